/** A manual save accepts an edit. An auto save does not: the user may not have reviewed the edit. */

import {
  TextDocumentSaveReason,
  workspace,
  Disposable,
  type NotebookDocument,
  type TextDocument,
} from 'vscode';

import { isInReview, type Edits } from '../edits/edits';

export class AcceptOnSave implements Disposable {
  /** Documents and notebooks whose last save was automatic. */
  readonly #autoSaved = new WeakSet<TextDocument | NotebookDocument>();
  readonly #listener: Disposable;

  constructor(readonly edits: Edits) {
    const note = (saved: TextDocument | NotebookDocument, reason: TextDocumentSaveReason) => {
      if (reason === TextDocumentSaveReason.Manual) this.#autoSaved.delete(saved);
      else this.#autoSaved.add(saved);
    };
    this.#listener = Disposable.from(
      workspace.onWillSaveTextDocument(({ document, reason }) => {
        note(document, reason);
      }),
      workspace.onWillSaveNotebookDocument(({ notebook, reason }) => {
        note(notebook, reason);
      }),
    );
  }

  dispose(): void {
    this.#listener.dispose();
  }

  /** Whether to send `textDocument/didSave` or `notebookDocument/didSave`. */
  shouldSend(saved: TextDocument | NotebookDocument): boolean {
    if (!this.#autoSaved.has(saved)) return true;
    const documents = 'getCells' in saved ? saved.getCells().map(({ document }) => document) : [saved];
    return !documents.some((document) => this.edits.of(document).some(isInReview));
  }
}
