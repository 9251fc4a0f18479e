/** `twospeed/applyEdit`: all of a shipment at exactly its version, or nothing and the reason why. */

import { Position, Range, window, type TextDocument, type TextEditor } from 'vscode';

import { sparingCarets, type Replacement } from './carets';
import type { Edits } from './edits';
import { endOf, moved } from './moves';
import { asRange, documentAt } from './places';
import type { ApplyEditParams, ApplyEditResult } from './protocol';

type Reason = NonNullable<ApplyEditResult['reason']>;

/** Applies a shipment, and marks the lines that came in. */
export async function applyEdit(edits: Edits, shipment: ApplyEditParams): Promise<ApplyEditResult> {
  const { uri, version } = shipment.textDocument;
  const document = documentAt(uri);
  if (document === undefined) return { applied: false, version: null, reason: 'closed' };
  const replacements = shipment.edits.map(({ range, newText }) => ({ range: asRange(range), newText }));
  const reason = await obstacleToApplying(shipment, document, version, replacements);
  if (reason !== undefined) return { applied: false, version: document.version, reason };
  const arrived = arrivals(replacements).map((range) => edits.moves.now(document, range, version + 1));
  edits.arrived(shipment.editId, arrived);
  return { applied: true, version: document.version };
}

/** Where new text is once all of the edits are made; they are sorted and disjoint. */
function arrivals(edits: readonly Replacement[]): Range[] {
  const changes = edits.map(({ range, newText }) => ({ range, text: newText }));
  return edits
    .map(({ range, newText }, index) => {
      const start = moved(new Range(range.start, range.start), changes.slice(0, index).reverse()).start;
      const isBehindLine = range.start.character > 0 && /^[\r\n]/.test(newText);
      return new Range(isBehindLine ? new Position(start.line + 1, 0) : start, endOf(start, newText));
    })
    .filter((range) => !range.isEmpty);
}

/** Does it; what stands in the way, if anything does. */
async function obstacleToApplying(
  shipment: ApplyEditParams,
  document: TextDocument,
  version: number,
  edits: readonly Replacement[],
): Promise<Reason | undefined> {
  if (document.version !== version) return 'stale';
  const editor = editorShowing(document);
  if (editor === undefined) return 'hidden';

  const isTaken = await replaceAll(editor, edits, shipment);
  if (document.isClosed) return 'closed';
  if (document.version !== version) return isTaken ? undefined : 'stale';
  if (!isTaken) return 'hidden';
  // VS Code says yes for a read-only editor and changes nothing; every change would have raised the version.
  return edits.length > 0 ? 'readOnly' : undefined;
}

/** The editor the person is in comes first, since its undo steps and its caret are the ones that are seen. */
function editorShowing(document: TextDocument): TextEditor | undefined {
  const active = window.activeTextEditor;
  return active?.document === document
    ? active
    : window.visibleTextEditors.find((editor) => editor.document === document);
}

/**
 * Hands VS Code one edit of the version the extension host knows; it is refused if a keystroke is on its way here.
 *
 * An edit of nothing, an empty text at the caret, is how an extension ends an undo step. Where none is open it would
 * begin one, with nothing in it; saving has ended it, and undoing brings back the saved text.
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
    return false; // the editor was closed in this very moment
  }
}

/** Where nothing is selected in the editors that show `document`. */
function carets(document: TextDocument) {
  return window.visibleTextEditors
    .filter((editor) => editor.document === document)
    .flatMap((editor) => editor.selections.filter((selection) => selection.isEmpty))
    .map((selection) => selection.active);
}
