/** `twospeed/applyEdit`: applies all edits of a request at exactly its version, or none and returns the reason. */

import { Position, Range, window, type TextDocument, type TextEditor } from 'vscode';

import { asRange, documentAt } from '../positions';
import type { ApplyEditParams, ApplyEditResult } from '../protocol';
import { endOf, mapRange } from './documentChanges';
import type { Edits } from './edits';

type Reason = NonNullable<ApplyEditResult['reason']>;

interface Replacement {
  range: Range;
  newText: string;
}

/** Applies a request, and highlights the new lines. */
export async function applyEdit(edits: Edits, params: ApplyEditParams): Promise<ApplyEditResult> {
  const { uri, version } = params.textDocument;
  const document = documentAt(uri);
  if (document === undefined) return { applied: false, version: null, reason: 'closed' };
  const replacements = params.edits.map(({ range, newText }) => ({ range: asRange(range), newText }));
  const reason = await tryToApply(params, document, version, replacements);
  if (reason !== undefined) return { applied: false, version: document.version, reason };
  const inserted = insertedRanges(replacements).map((range) =>
    edits.documentChanges.mapToCurrent(document, range, version + 1),
  );
  edits.addNewLines(params.editId, inserted);
  return { applied: true, version: document.version };
}

/** The ranges of the new text after all edits, which are sorted and disjoint. */
function insertedRanges(edits: readonly Replacement[]): Range[] {
  const changes = edits.map(({ range, newText }) => ({ range, text: newText }));
  return edits
    .map(({ range, newText }, index) => {
      const start = mapRange(new Range(range.start, range.start), changes.slice(0, index).reverse()).start;
      const isAfterLine = range.start.character > 0 && /^[\r\n]/.test(newText);
      return new Range(isAfterLine ? new Position(start.line + 1, 0) : start, endOf(start, newText));
    })
    .filter((range) => !range.isEmpty);
}

/** Applies the edits; returns the reason if VS Code did not. */
async function tryToApply(
  params: ApplyEditParams,
  document: TextDocument,
  version: number,
  edits: readonly Replacement[],
): Promise<Reason | undefined> {
  if (document.version !== version) return 'stale';
  const editor = editorShowing(document);
  if (editor === undefined) return 'hidden';

  const isAccepted = await replaceAll(editor, edits, params);
  if (document.isClosed) return 'closed';
  if (document.version !== version) return isAccepted ? undefined : 'stale';
  if (!isAccepted) return 'hidden';
  // For a read-only editor, VS Code returns true and changes nothing. A change would have raised the version.
  return edits.length > 0 ? 'readOnly' : undefined;
}

/** The active editor is preferred: the user sees its caret and its undo steps. */
function editorShowing(document: TextDocument): TextEditor | undefined {
  const active = window.activeTextEditor;
  return active?.document === document
    ? active
    : window.visibleTextEditors.find((editor) => editor.document === document);
}

/**
 * Applies all edits as one `TextEditor.edit`. VS Code refuses it if a keystroke has not reached the extension host yet.
 *
 * To end an undo step, the extension inserts an empty text at the caret. If no step is open, this would create an empty
 * one. A saved document has no open step.
 */
async function replaceAll(
  editor: TextEditor,
  edits: readonly Replacement[],
  { undoStopBefore, undoStopAfter }: ApplyEditParams,
): Promise<boolean> {
  if (edits.length === 0 && !editor.document.isDirty) return true;
  const replacements = withoutInsertionsAtCarets(editor.document, edits, carets(editor.document));
  try {
    return await editor.edit(
      (builder) => {
        for (const { range, newText } of replacements) builder.replace(range, newText);
        if (replacements.length === 0) builder.insert(editor.selection.active, '');
      },
      { undoStopBefore, undoStopAfter },
    );
  } catch {
    return false; // the editor was closed meanwhile
  }
}

/** The carets, without selections, of all editors that show `document`. */
function carets(document: TextDocument) {
  return window.visibleTextEditors
    .filter((editor) => editor.document === document)
    .flatMap((editor) => editor.selections.filter((selection) => selection.isEmpty))
    .map((selection) => selection.active);
}

/**
 * Replaces each insertion at a caret by a replacement of the next character.
 *
 * VS Code moves a caret to the end of text that is inserted there, so an answer would move it with each line. To set the
 * selection afterwards is too late for a key that the user presses meanwhile. A caret at the start of *replaced* text does
 * not move. At the end of the document there is no next character: an insertion there stays as it is.
 */
function withoutInsertionsAtCarets(
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
