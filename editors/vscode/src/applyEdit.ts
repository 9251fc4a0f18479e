/** `twospeed/applyEdit`: applies all edits of a request at exactly its version, or none and returns the reason. */

import { Position, Range, window, type TextDocument, type TextEditor } from 'vscode';

import { sparingCarets, type Replacement } from './carets';
import type { Edits } from './edits';
import { endOf, moved } from './moves';
import { asRange, documentAt } from './places';
import type { ApplyEditParams, ApplyEditResult } from './protocol';

type Reason = NonNullable<ApplyEditResult['reason']>;

/** Applies a request, and highlights the new lines. */
export async function applyEdit(edits: Edits, params: ApplyEditParams): Promise<ApplyEditResult> {
  const { uri, version } = params.textDocument;
  const document = documentAt(uri);
  if (document === undefined) return { applied: false, version: null, reason: 'closed' };
  const replacements = params.edits.map(({ range, newText }) => ({ range: asRange(range), newText }));
  const reason = await tryToApply(params, document, version, replacements);
  if (reason !== undefined) return { applied: false, version: document.version, reason };
  const inserted = insertedRanges(replacements).map((range) => edits.moves.now(document, range, version + 1));
  edits.addFresh(params.editId, inserted);
  return { applied: true, version: document.version };
}

/** The ranges of the new text after all edits, which are sorted and disjoint. */
function insertedRanges(edits: readonly Replacement[]): Range[] {
  const changes = edits.map(({ range, newText }) => ({ range, text: newText }));
  return edits
    .map(({ range, newText }, index) => {
      const start = moved(new Range(range.start, range.start), changes.slice(0, index).reverse()).start;
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
  const replacements = sparingCarets(editor.document, edits, carets(editor.document));
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
