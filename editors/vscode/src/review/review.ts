/** Review of an edit: navigation between hunks, decisions on a hunk, other answers. */

import { Selection, TextEditorRevealType, window } from 'vscode';

import { isInReview } from '../edits/edits';
import { showError, showOutcome } from '../edits/requests';
import { decideRequest, variationRequest, type Action, type Step } from '../protocol';
import type { Session } from '../session';

export function showNoReview(): void {
  void window.showInformationMessage('twospeed: no edit is in review in this file');
}

/** Moves the caret to the next or previous hunk of the file; from the last one it continues at the first. */
export function goToHunk({ edits }: Session, step: Step): void {
  const editor = window.activeTextEditor;
  if (editor === undefined) return;
  const starts = edits.hunksOf(editor.document).map(({ range }) => range.start);
  const { line } = editor.selection.active;
  const ahead = step === 1 ? starts.find((at) => at.line > line) : starts.findLast((at) => at.line < line);
  const to = ahead ?? (step === 1 ? starts[0] : starts.at(-1));
  if (to === undefined) {
    showNoReview();
    return;
  }
  editor.selection = new Selection(to, to);
  editor.revealRange(editor.selection, TextEditorRevealType.InCenterIfOutsideViewport);
}

/** Accepts or rejects the hunk at the caret. The server then reports the hunks that are left. */
export async function decideHunk({ client, edits }: Session, action: Action): Promise<void> {
  const here = edits.hunkAtCaret();
  if (here === undefined) {
    void window.showInformationMessage('twospeed: the caret is not on a change. F7 goes to the next one.');
    return;
  }
  await client
    .sendRequest(decideRequest, { editId: here.edit.id, action, hunk: here.hunk.id })
    .catch(showError);
}

/** Replaces the current answer with the next or previous one. */
export async function showVariation(session: Session, step: Step): Promise<void> {
  const { client, edits } = session;
  const edit = edits.atCaret(isInReview);
  if (edit === undefined) {
    showNoReview();
    return;
  }
  try {
    const result = await client.sendRequest(variationRequest, { editId: edit.id, step });
    await showOutcome(session, result);
  } catch (error) {
    showError(error);
  }
}
