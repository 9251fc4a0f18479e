/** Where documents come from and go: files that the server was started with, else a small project in this page alone. */

import checkout from 'sample:checkout.ts';
import inventory from 'sample:inventory.py';

import type { FileText } from './documents';
import { openLine } from './rpc';

const SAMPLE: FileText[] = [
  { uri: 'sample:/inventory.py', name: 'inventory.py', languageId: 'python', text: inventory },
  { uri: 'sample:/checkout.ts', name: 'checkout.ts', languageId: 'typescript', text: checkout },
];

interface Answer {
  id: number;
  error?: string;
  files?: FileText[];
}

/** The line on which named files are read and saved. */
export class Files {
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastId = 0;
  #line: WebSocket | null = null;

  constructor(readonly token: string) {}

  /** Reads what there is to edit. */
  async read(): Promise<{ files: FileText[]; isSample: boolean }> {
    const { files = [] } = await this.#ask({ method: 'read' });
    return files.length > 0 ? { files, isSample: false } : { files: SAMPLE, isSample: true };
  }

  /** Writes a file; if that cannot be done, it is as it was. */
  async save(uri: string, text: string): Promise<void> {
    await this.#ask({ method: 'save', uri, text });
  }

  async #ask(question: object): Promise<Answer> {
    this.#line ??= await this.#open();
    const line = this.#line;
    const id = (this.#lastId += 1);
    const answer = await new Promise<Answer>((resolve) => {
      this.#waiting.set(id, resolve);
      line.send(JSON.stringify({ id, ...question }));
    });
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }

  async #open(): Promise<WebSocket> {
    const line = await openLine('/files', this.token);
    line.onmessage = (event: MessageEvent<string>) => {
      const answer = JSON.parse(event.data) as Answer;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    };
    line.onclose = () => {
      this.#line = null;
      for (const [id, resolve] of this.#waiting) resolve({ id, error: 'the connection is closed' });
      this.#waiting.clear();
    };
    return line;
  }
}
