/** Review of an edit: navigation between hunks, decisions on a hunk or a place of an offer, other answers. */

import { Selection, TextEditorRevealType, window } from 'vscode';

import { isInReview } from '../edits/edits';
import { showError, showOutcome } from '../edits/requests';
import { decideRequest, ICONS, variationRequest, type Action, type Step } from '../protocol';
import type { Session } from '../session';

export function showNoReview(): void {
  void window.showInformationMessage('twospeed: no edit is in review in this file');
}

/** Moves the caret to the next or previous hunk, or place of an offer; from the last one it continues at the first. */
export function goToHunk({ edits }: Session, step: Step): void {
  const editor = window.activeTextEditor;
  if (editor === undefined) return;
  const starts = edits.startsOf(editor.document);
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

/** Decides the hunk at the caret, or the place of an offer there. The server then reports what is left. */
export async function decideHunk({ client, edits }: Session, action: Action): Promise<void> {
  const isAboutOffer = action === 'take' || action === 'dismiss';
  const here = isAboutOffer ? edits.offeredAtCaret() : edits.hunkAtCaret();
  if (here === undefined) {
    const wanted = isAboutOffer ? `a place that ${ICONS.deep} would change` : 'a change';
    void window.showInformationMessage(`twospeed: the caret is not on ${wanted}. F7 goes to the next one.`);
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
