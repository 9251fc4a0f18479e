/** A manual save accepts an edit. An auto save does not: the user may not have reviewed the edit. */

import { TextDocumentSaveReason, workspace, type Disposable, type TextDocument } from 'vscode';

import { isInReview, type Edits } from '../edits/edits';

export class AcceptOnSave implements Disposable {
  /** Documents whose last save was automatic. */
  readonly #autoSaved = new WeakSet<TextDocument>();
  readonly #listener: Disposable;

  constructor(readonly edits: Edits) {
    this.#listener = workspace.onWillSaveTextDocument(({ document, reason }) => {
      if (reason === TextDocumentSaveReason.Manual) this.#autoSaved.delete(document);
      else this.#autoSaved.add(document);
    });
  }

  dispose(): void {
    this.#listener.dispose();
  }

  /** Whether to send `textDocument/didSave`. */
  shouldSend(document: TextDocument): boolean {
    return !this.#autoSaved.has(document) || !this.edits.of(document).some(isInReview);
  }
}
