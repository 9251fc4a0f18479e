/** Looking over an edit: from hunk to hunk, keeping or taking back one or all, going through its answers. */

import { Selection, TextEditorRevealType, window } from 'vscode';

import { report, tellEnding } from './ask';
import { isInReview } from './edits';
import { decideRequest, variationRequest, type Action, type Step } from './protocol';
import type { Session } from './session';

/** Says that there is nothing to be looked over here. */
export function sayNothingHere(): void {
  void window.showInformationMessage('twospeed: no edit is to be looked over in this file');
}

/** Puts the caret on another hunk of the file, around its end if need be. */
export function goToHunk({ edits }: Session, step: Step): void {
  const editor = window.activeTextEditor;
  if (editor === undefined) return;
  const starts = edits
    .of(editor.document)
    .filter(isInReview)
    .flatMap(({ hunks }) => hunks.map(({ range }) => range.start))
    .sort((one, other) => one.compareTo(other));
  const { line } = editor.selection.active;
  const ahead = step === 1 ? starts.find((at) => at.line > line) : starts.findLast((at) => at.line < line);
  const to = ahead ?? (step === 1 ? starts[0] : starts.at(-1));
  if (to === undefined) {
    sayNothingHere();
    return;
  }
  editor.selection = new Selection(to, to);
  editor.revealRange(editor.selection, TextEditorRevealType.InCenterIfOutsideViewport);
}

/** Decides on the hunk at the caret; which are left, the server tells. */
export async function decideHunk({ client, edits }: Session, action: Action): Promise<void> {
  const here = edits.hunkHere();
  if (here === undefined) {
    void window.showInformationMessage('twospeed: the caret is on no change; F7 goes to one');
    return;
  }
  await client.sendRequest(decideRequest, { editId: here.edit.id, action, hunk: here.hunk.id }).catch(report);
}

/** Puts another answer in the place of the one that stands there. */
export async function showVariation(session: Session, step: Step): Promise<void> {
  const { client, edits } = session;
  const edit = edits.here(isInReview);
  if (edit === undefined) {
    sayNothingHere();
    return;
  }
  try {
    const result = await client.sendRequest(variationRequest, { editId: edit.id, step });
    await tellEnding(session, result);
  } catch (error) {
    report(error);
  }
}
