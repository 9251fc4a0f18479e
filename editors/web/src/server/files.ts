/** Reads and saves the files of the command line; without files it returns a sample project that exists only in this page. */

import checkout from 'sample:checkout.ts';
import inventory from 'sample:inventory.py';

import type { FileText } from '../editor/openDocument';
import { openSocket } from './rpc';

const SAMPLE: FileText[] = [
  { uri: 'sample:/inventory.py', name: 'inventory.py', languageId: 'python', text: inventory },
  { uri: 'sample:/checkout.ts', name: 'checkout.ts', languageId: 'typescript', text: checkout },
];

interface Answer {
  id: number;
  error?: string;
  files?: FileText[];
  /** The text of a file that another program has changed. */
  onDisk?: string;
}

/** Another program has changed the file, so it was not written. */
export class FileConflict extends Error {
  constructor(
    message: string,
    readonly onDisk: string,
  ) {
    super(message);
  }
}

/** The WebSocket that reads and saves files. */
export class Files {
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastId = 0;
  #socket: WebSocket | null = null;

  constructor(readonly token: string) {}

  async read(): Promise<{ files: FileText[]; isSample: boolean }> {
    const { files = [] } = await this.#ask({ method: 'read' });
    return files.length > 0 ? { files, isSample: false } : { files: SAMPLE, isSample: true };
  }

  /** Writes a file; `over` is the text of another program to replace. If this fails, the file is unchanged. */
  async save(uri: string, text: string, over?: string): Promise<void> {
    await this.#ask({ method: 'save', uri, text, over });
  }

  async #ask(question: object): Promise<Answer> {
    this.#socket ??= await this.#open();
    const socket = this.#socket;
    const id = (this.#lastId += 1);
    const answer = await new Promise<Answer>((resolve) => {
      this.#waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, ...question }));
    });
    const { error, onDisk } = answer;
    if (error === undefined) return answer;
    throw onDisk === undefined ? new Error(error) : new FileConflict(error, onDisk);
  }

  async #open(): Promise<WebSocket> {
    const socket = await openSocket('/files', this.token);
    socket.onmessage = (event: MessageEvent<string>) => {
      const answer = JSON.parse(event.data) as Answer;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    };
    socket.onclose = () => {
      this.#socket = null;
      for (const [id, resolve] of this.#waiting) resolve({ id, error: 'the connection is closed' });
      this.#waiting.clear();
    };
    return socket;
  }
}
