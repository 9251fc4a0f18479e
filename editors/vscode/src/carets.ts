/**
 * Edits that leave the carets where they are.
 *
 * VS Code moves a caret behind a text that is inserted right at it, so an answer would drag it along, line by line.
 * Setting the selection afterwards comes too late for a key that is pressed meanwhile. But a caret at the start of a
 * text that is *replaced* stays: so an insertion at a caret is written as a replacement of the character behind it.
 */

import { Position, Range, type TextDocument } from 'vscode';

/** Text that takes the place of a range. */
export interface Replacement {
  range: Range;
  newText: string;
}

/**
 * The same edits of `document`, sorted and disjoint as they came, none of which inserts at one of `carets`.
 *
 * At the very end of a document nothing stands behind a caret: there the insertion stays as it is.
 */
export function sparingCarets(
  document: TextDocument,
  edits: readonly Replacement[],
  carets: readonly Position[],
): Replacement[] {
  return edits.map((edit, index) => {
    const at = edit.range.start;
    if (!edit.range.isEmpty || !carets.some((caret) => caret.isEqual(at))) return edit;
    const behind = characterBehind(document, at);
    const next = edits[index + 1];
    if (next?.range.start.isBefore(behind.end)) return edit;
    return { range: behind, newText: edit.newText + document.getText(behind) };
  });
}

/** The character behind `at`, which may be a line break or take two units; nothing at the document's end. */
function characterBehind(document: TextDocument, at: Position): Range {
  const [character] = document.lineAt(at.line).text.slice(at.character);
  const end = character === undefined ? new Position(at.line + 1, 0) : at.translate(0, character.length);
  return document.validateRange(new Range(at, end));
}
