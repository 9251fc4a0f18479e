/** A document as it was before the edits in review: to be peeked at, or compared with. */

import {
  commands,
  EventEmitter,
  Location,
  Range,
  Uri,
  window,
  workspace,
  type Disposable,
  type TextDocument,
  type TextDocumentContentProvider,
} from 'vscode';

import { isInReview, type Edits, type PlacedHunk } from './edits';
import { endOf } from './moves';
import { nameOf } from './places';
import { sayNothingHere } from './review';

const SCHEME = 'twospeed-before';

export class Before implements TextDocumentContentProvider, Disposable {
  readonly #changed = new EventEmitter<Uri>();
  readonly #registration: Disposable[];
  readonly onDidChange = this.#changed.event;

  constructor(readonly edits: Edits) {
    this.#registration = [
      workspace.registerTextDocumentContentProvider(SCHEME, this),
      edits.onDidChange((document) => {
        if (document) this.#changed.fire(uriOf(document));
      }),
    ];
  }

  dispose(): void {
    for (const each of [...this.#registration, this.#changed]) each.dispose();
  }

  provideTextDocumentContent(uri: Uri): string {
    const document = workspace.textDocuments.find((each) => each.uri.toString() === uri.query);
    return document ? textBefore(document, this.#hunksOf(document)).text : '';
  }

  /** Shows the lines that were removed where the caret is, below it; the others are listed beside them. */
  async peek(): Promise<void> {
    const editor = window.activeTextEditor;
    const hunks = editor ? this.#hunksOf(editor.document) : [];
    if (editor === undefined || hunks.length === 0) {
      sayNothingHere();
      return;
    }
    const uri = uriOf(editor.document);
    const { places } = textBefore(editor.document, hunks);
    const shown = hunks.flatMap(({ removed }, index) => {
      const place = places[index];
      return removed === '' || place === undefined ? [] : [new Location(uri, place)];
    });
    if (shown.length === 0) {
      void window.showInformationMessage('twospeed: nothing was removed, the changes only add lines');
      return;
    }
    const at = this.edits.hunkHere()?.hunk ?? hunks[0];
    await commands.executeCommand(
      'editor.action.peekLocations',
      editor.document.uri,
      at?.range.start ?? editor.selection.active,
      shown,
      'peek',
    );
  }

  /** Opens the document beside what it was. */
  async compare(): Promise<void> {
    const document = window.activeTextEditor?.document;
    if (document === undefined || this.#hunksOf(document).length === 0) {
      sayNothingHere();
      return;
    }
    const title = `${nameOf(document.uri)}: before and now`;
    await commands.executeCommand('vscode.diff', uriOf(document), document.uri, title);
  }

  /** From the top down. */
  #hunksOf(document: TextDocument): PlacedHunk[] {
    return this.edits
      .of(document)
      .filter(isInReview)
      .flatMap(({ hunks }) => hunks)
      .sort((one, other) => one.range.start.compareTo(other.range.start));
  }
}

/** With the document's name, so that it is coloured alike; the folder is what a peek shows beside it. */
const uriOf = ({ uri }: TextDocument) =>
  Uri.from({ scheme: SCHEME, path: `/before the edit/${nameOf(uri)}`, query: uri.toString() });

/** Puts back what hunks took away; says where each of them is then. */
function textBefore(document: TextDocument, hunks: readonly PlacedHunk[]): { text: string; places: Range[] } {
  let text = '';
  let offset = 0;
  const places = hunks.map(({ range, removed }) => {
    text += document.getText().slice(offset, document.offsetAt(range.start));
    offset = document.offsetAt(range.end);
    const start = endOf(document.positionAt(0), text);
    text += removed;
    return new Range(start, endOf(start, removed.replace(/(\r\n|\r|\n)$/, '')));
  });
  return { text: text + document.getText().slice(offset), places };
}
