/** The text of a document before the edits in review: shown in a peek view, or in a comparison. */

import { commands, EventEmitter, Location, Range, window, type TextDocument, type Uri } from 'vscode';

import { endOf } from '../edits/documentChanges';
import type { Edits, PlacedHunk } from '../edits/edits';
import { documentAt, fileName, withoutLineBreak } from '../positions';
import { openDiff, ProvidedDocuments } from './providedDocuments';
import { showNoReview } from './review';

export class OriginalText extends ProvidedDocuments {
  readonly #changed = new EventEmitter<Uri>();
  readonly onDidChange = this.#changed.event;

  constructor(readonly edits: Edits) {
    super('twospeed-before');
    this.parts.push(
      this.#changed,
      edits.onDidChange((document) => {
        if (document) this.#changed.fire(this.#uriOf(document));
      }),
    );
  }

  override provideTextDocumentContent({ query }: Uri): string {
    const document = documentAt(query);
    return document ? textBefore(document, this.edits.hunksOf(document)).text : '';
  }

  /** Opens a peek view at the caret with the removed lines of the hunk there. The view lists those of other hunks too. */
  async peek(): Promise<void> {
    const editor = window.activeTextEditor;
    const hunks = editor ? this.edits.hunksOf(editor.document) : [];
    if (editor === undefined || hunks.length === 0) {
      showNoReview();
      return;
    }
    const uri = this.#uriOf(editor.document);
    const { places } = textBefore(editor.document, hunks);
    const shown = hunks.flatMap(({ removed }, index) => {
      const place = places[index];
      return removed === '' || place === undefined ? [] : [new Location(uri, place)];
    });
    if (shown.length === 0) {
      void window.showInformationMessage('twospeed: the changes only add lines, none were removed');
      return;
    }
    const at = this.edits.hunkAtCaret()?.hunk ?? hunks[0];
    await commands.executeCommand(
      'editor.action.peekLocations',
      editor.document.uri,
      at?.range.start ?? editor.selection.active,
      shown,
      'peek',
    );
  }

  /** Opens a comparison with the document. */
  async compare(): Promise<void> {
    const document = window.activeTextEditor?.document;
    if (document === undefined || this.edits.hunksOf(document).length === 0) {
      showNoReview();
      return;
    }
    await openDiff(this.#uriOf(document), document.uri, `${fileName(document.uri)}: before and now`);
  }

  #uriOf(document: TextDocument): Uri {
    return this.uriOf(document, 'before the edit', document.uri.toString());
  }
}

/** Reverts the hunks in a copy of the text; returns it with the ranges of the removed text. */
function textBefore(document: TextDocument, hunks: readonly PlacedHunk[]): { text: string; places: Range[] } {
  let text = '';
  let offset = 0;
  const places = hunks.map(({ range, removed }) => {
    text += document.getText().slice(offset, document.offsetAt(range.start));
    offset = document.offsetAt(range.end);
    const start = endOf(document.positionAt(0), text);
    text += removed;
    return new Range(start, endOf(start, withoutLineBreak(removed)));
  });
  return { text: text + document.getText().slice(offset), places };
}
