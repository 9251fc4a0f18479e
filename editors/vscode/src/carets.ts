/**
 * Edits that do not move the carets.
 *
 * VS Code moves a caret to the end of a text that is inserted at the caret, so an answer would move it with each line.
 * Setting the selection afterwards is too late for a key that the user presses meanwhile. But a caret at the start of
 * *replaced* text does not move. So an insertion at a caret becomes a replacement of the next character.
 */

import { Position, Range, type TextDocument } from 'vscode';

export interface Replacement {
  range: Range;
  newText: string;
}

/**
 * Rewrites sorted, disjoint edits of `document` so that none inserts at one of `carets`.
 *
 * At the end of the document there is no next character: an insertion there stays as it is.
 */
export function sparingCarets(
  document: TextDocument,
  edits: readonly Replacement[],
  carets: readonly Position[],
): Replacement[] {
  return edits.map((edit, index) => {
    const at = edit.range.start;
    if (!edit.range.isEmpty || !carets.some((caret) => caret.isEqual(at))) return edit;
    const character = characterAt(document, at);
    const next = edits[index + 1];
    if (next?.range.start.isBefore(character.end)) return edit;
    return { range: character, newText: edit.newText + document.getText(character) };
  });
}

/** The range of the next character: a line break, or one or two UTF-16 units. Empty at the end of the document. */
function characterAt(document: TextDocument, at: Position): Range {
  const [character] = document.lineAt(at.line).text.slice(at.character);
  const end = character === undefined ? new Position(at.line + 1, 0) : at.translate(0, character.length);
  return document.validateRange(new Range(at, end));
}
