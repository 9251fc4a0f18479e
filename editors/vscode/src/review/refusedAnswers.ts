/** Comparisons of refused answers with the text that they would replace. */

import { TabInputTextDiff, window, workspace, type TextDocument, type Uri } from 'vscode';

import { asRange, documentAt, fileName } from '../positions';
import type { ShownAnswer } from '../protocol';
import { openDiff, ProvidedDocuments } from './providedDocuments';

type Side = 'document' | 'refused answer';

interface Comparison {
  document: TextDocument;
  /** The text of the document, and the same text with the answer in it. */
  sides: Record<Side, string>;
}

export class RefusedAnswers extends ProvidedDocuments {
  /** The open comparisons, by edit id, which is the query of their URIs. */
  readonly #comparisons = new Map<string, Comparison>();

  constructor() {
    super('twospeed-answer');
    this.parts.push(
      workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === this.scheme) this.#comparisons.delete(uri.query);
      }),
    );
  }

  override provideTextDocumentContent({ path, query }: Uri): string {
    return this.#comparisons.get(query)?.sides[sideOf(path)] ?? '';
  }

  /**
   * Opens the comparison for the result of `twospeed.showAnswer`.
   *
   * Both sides are copies: the diff editor makes its left side read-only, so no edit could stream into the document there.
   */
  async show({ editId, uri, version, range, text }: ShownAnswer): Promise<void> {
    const document = documentAt(uri);
    if (document?.version !== version) {
      throw new Error('the text has changed since that edit ended; repeat it for a new answer');
    }
    const before = document.getText();
    const { start, end } = asRange(range);
    const after = before.slice(0, document.offsetAt(start)) + text + before.slice(document.offsetAt(end));
    this.#comparisons.set(editId, { document, sides: { document: before, 'refused answer': after } });
    const side = (name: Side) => this.uriOf(document, name, editId);
    await openDiff(side('document'), side('refused answer'), `${fileName(document.uri)} (refused answer)`);
  }

  /** The id of the edit whose comparison is the active editor. */
  get activeEditId(): string | undefined {
    const uri = window.activeTextEditor?.document.uri;
    return uri?.scheme === this.scheme ? uri.query : undefined;
  }

  /** Closes the comparison of an edit, and shows its document instead. */
  async close(editId: string): Promise<void> {
    const document = this.#comparisons.get(editId)?.document;
    if (document === undefined) return;
    const isOfEdit = ({ scheme, query }: Uri) => scheme === this.scheme && query === editId;
    const tabs = window.tabGroups.all.flatMap(({ tabs }) => tabs);
    await window.tabGroups.close(
      tabs.filter(({ input }) => input instanceof TabInputTextDiff && isOfEdit(input.modified)),
    );
    await window.showTextDocument(document);
  }
}

const sideOf = (path: string): Side => (path.startsWith('/refused answer/') ? 'refused answer' : 'document');
