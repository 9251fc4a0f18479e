/** The menu of the status bar: the commands that are available now, with their keys. */

import { commands, QuickPickItemKind, window, type QuickPickItem } from 'vscode';

import { isInReview, isLive } from '../edits/edits';
import { ICONS, LABELS, other, type Mode } from '../protocol';
import type { Session } from '../session';
import { changes } from './statusBar';

interface MenuItem extends QuickPickItem {
  command?: string;
}

/** Shows the menu, and runs the chosen command. */
export async function showMenu(session: Session): Promise<void> {
  const chosen = await window.showQuickPick(menuItems(session), { title: 'twospeed' });
  if (chosen?.command) await commands.executeCommand(chosen.command);
}

function menuItems({ edits, modes }: Session): MenuItem[] {
  const live = edits.atCaret(isLive);
  const review = edits.atCaret(isInReview);
  const mode = modes.state?.mode ?? 'lightning';
  return [
    ...(live
      ? [
          heading(`${ICONS[live.mode]} running`),
          item('steer', 'comment', 'Steer It…', 'a new instruction'),
          item('cancel', 'close', 'Cancel It', 'Esc'),
        ]
      : []),
    ...(review
      ? reviewItems(
          review.mode,
          changes(edits.placesOf(review).filter(isInReview)),
          (edits.requestOf(review)?.variations ?? 1) > 1,
        )
      : []),
    ...(review === undefined && edits.verifiableEditId !== undefined
      ? [heading('accepted'), ...verificationItems()]
      : []),
    ...(edits.refusedEditId === undefined
      ? []
      : [
          heading('refused'),
          item('showAnswer', 'diff', 'Show the Answer', 'beside the current text'),
          item('applyAnyway', 'check', 'Apply It Anyway', 'for review'),
        ]),
    heading('edit'),
    item('ask', 'sparkle', 'Edit…', 'Alt+K'),
    item('askForAnswers', 'list-ordered', 'Edit with Several Answers…'),
    item('fixAll', 'lightbulb', 'Fix All Problems Like This', 'in this file'),
    item('repeat', 'debug-rerun', 'Repeat Last Instruction Here'),
    item('toggleMode', 'arrow-swap', `Switch the Mode (now ${ICONS[mode]} ${LABELS[mode]})`, 'Ctrl+Shift+L'),
    heading('server'),
    item('status', 'info', 'Show Status'),
    item('doctor', 'pulse', 'Run Doctor'),
    item('log', 'output', 'Show Log'),
    item('restart', 'refresh', 'Restart Server'),
  ];
}

function reviewItems(mode: Mode, count: string, hasAnswers: boolean): MenuItem[] {
  return [
    heading(`${ICONS[mode]} ${count} in review`),
    item('accept', 'check-all', 'Accept', 'Shift+Alt+Enter, or save'),
    item('reject', 'discard', 'Reject', 'Shift+Alt+Delete'),
    item('nextHunk', 'arrow-down', 'Go to Next Change', 'F7'),
    item('removed', 'eye', 'Show Removed Lines'),
    item('compare', 'diff', 'Compare with Original'),
    ...(hasAnswers ? [item('nextVariation', 'arrow-right', 'Next Answer', 'Alt+]')] : []),
    item('followUp', 'comment-discussion', 'Follow Up…', 'refine this edit'),
    item('retry', 'sync', `Retry in ${ICONS[other(mode)]} ${LABELS[other(mode)]}`),
    ...(mode === 'lightning' ? [item('review', 'search', `Check in ${ICONS.deep} ${LABELS.deep}`)] : []),
    item('updateCallers', 'references', 'Update Callers', 'of a changed name, parameter or result'),
    ...verificationItems(),
  ];
}

const verificationItems = () => [
  item('verify', 'beaker', 'Verify', 'with your commands, on the saved file'),
  item('mend', 'tools', 'Mend', 'what a verification or another extension reports'),
];

const item = (command: string, icon: string, label: string, description = ''): MenuItem => ({
  label: `$(${icon}) ${label}`,
  description,
  command: `twospeed.${command}`,
});

const heading = (label: string): MenuItem => ({ label, kind: QuickPickItemKind.Separator });
