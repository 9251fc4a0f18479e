/** The answers of refused edits, each beside the text that it would have replaced. */

import {
  commands,
  TabInputTextDiff,
  Uri,
  window,
  workspace,
  type Disposable,
  type TextDocument,
  type TextDocumentContentProvider,
} from 'vscode';

import { asRange, documentAt, nameOf } from './places';
import type { ShownAnswer } from './protocol';

const SCHEME = 'twospeed-answer';

interface Comparison {
  document: TextDocument;
  /** The whole document as it is, and with the answer in it. */
  sides: Record<Side, string>;
}

type Side = 'document' | 'refused answer';

export class Answers implements TextDocumentContentProvider, Disposable {
  /** By the edit's id, as long as one of its sides is open. */
  readonly #shown = new Map<string, Comparison>();
  readonly #registration: Disposable[];

  constructor() {
    this.#registration = [
      workspace.registerTextDocumentContentProvider(SCHEME, this),
      workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === SCHEME) this.#shown.delete(uri.query);
      }),
    ];
  }

  dispose(): void {
    for (const each of this.#registration) each.dispose();
  }

  provideTextDocumentContent({ path, query }: Uri): string {
    return this.#shown.get(query)?.sides[sideOf(path)] ?? '';
  }

  /**
   * Opens the difference that `twospeed.showAnswer` tells of.
   *
   * Both sides are copies: the document itself would be read-only on the left, and an edit that streams into it meanwhile
   * would find no other editor of it.
   */
  async show({ editId, uri, version, range, text }: ShownAnswer): Promise<void> {
    const document = documentAt(uri);
    if (document?.version !== version) throw new Error('the text has changed since that edit ended');
    const before = document.getText();
    const { start, end } = asRange(range);
    const after = before.slice(0, document.offsetAt(start)) + text + before.slice(document.offsetAt(end));
    this.#shown.set(editId, { document, sides: { document: before, 'refused answer': after } });
    const name = nameOf(document.uri);
    await commands.executeCommand(
      'vscode.diff',
      uriOf(editId, 'document', name),
      uriOf(editId, 'refused answer', name),
      `${name} (refused answer)`,
    );
  }

  /** The edit whose answer is in front of the person. */
  get editHere(): string | undefined {
    const uri = window.activeTextEditor?.document.uri;
    return uri?.scheme === SCHEME ? uri.query : undefined;
  }

  /** Closes the difference of an edit, and shows its document instead. */
  async leave(editId: string): Promise<void> {
    const document = this.#shown.get(editId)?.document;
    if (document === undefined) return;
    const tabs = window.tabGroups.all.flatMap(({ tabs }) => tabs);
    await window.tabGroups.close(
      tabs.filter(({ input }) => input instanceof TabInputTextDiff && isOf(editId, input.modified)),
    );
    await window.showTextDocument(document);
  }
}

const isOf = (editId: string, { scheme, query }: Uri) => scheme === SCHEME && query === editId;

/** With the document's name, so that it is coloured alike. */
const uriOf = (editId: string, side: Side, name: string) =>
  Uri.from({ scheme: SCHEME, path: `/${side}/${name}`, query: editId });

const sideOf = (path: string): Side => (path.startsWith('/refused answer/') ? 'refused answer' : 'document');
