/** Saves documents to their files, and asks before it replaces text that another program has written. */

import type { Extension } from '@codemirror/state';

import type { OpenDocument } from '../editor/openDocument';
import { FileConflict, type Files } from '../server/files';
import { compareOnDisk } from './compare';
import { notify } from './notices';

export class Saving {
  /** Closes the notice about the conflict of a document. */
  readonly #conflicts = new Map<OpenDocument, () => void>();

  /** `report` shows errors, `saved` is called after each save. */
  constructor(
    readonly files: Files,
    readonly appearanceOf: (document: OpenDocument) => Extension,
    readonly report: (work: () => Promise<unknown>) => Promise<void>,
    readonly saved: () => void,
  ) {}

  /** Saves a document; `over` is the text on disk that the user agreed to replace. */
  async save(document: OpenDocument, over?: string): Promise<void> {
    await this.report(async () => {
      this.#close(document);
      const { doc } = document.view.state;
      try {
        await this.files.save(document.uri, document.text, over);
      } catch (error) {
        if (!(error instanceof FileConflict)) throw error;
        this.#offer(document, error);
        return;
      }
      document.saved(doc);
      this.saved();
    });
  }

  #offer(document: OpenDocument, { message, onDisk }: FileConflict): void {
    const overwrite = () => {
      void this.save(document, onDisk);
    };
    const compare = () => {
      compareOnDisk(document, onDisk, this.appearanceOf(document), overwrite);
    };
    const choices = [
      { title: 'Compare', run: compare },
      { title: 'Overwrite', run: overwrite },
    ];
    this.#conflicts.set(document, notify(message, 'error', choices));
  }

  #close(document: OpenDocument): void {
    this.#conflicts.get(document)?.();
    this.#conflicts.delete(document);
  }
}
