/** Saving accepts an edit, where a person does it: a file that saves itself has been looked over by nobody. */

import { TextDocumentSaveReason, workspace, type Disposable, type TextDocument } from 'vscode';

import { isInReview, type Edits } from './edits';

export class Saves implements Disposable {
  /** Documents that saved themselves the last time. */
  readonly #byThemselves = new WeakSet<TextDocument>();
  readonly #listener: Disposable;

  constructor(readonly edits: Edits) {
    this.#listener = workspace.onWillSaveTextDocument(({ document, reason }) => {
      if (reason === TextDocumentSaveReason.Manual) this.#byThemselves.delete(document);
      else this.#byThemselves.add(document);
    });
  }

  dispose(): void {
    this.#listener.dispose();
  }

  /** Whether the server is to hear of a save. */
  isTold(document: TextDocument): boolean {
    return !this.#byThemselves.has(document) || !this.edits.of(document).some(isInReview);
  }
}
