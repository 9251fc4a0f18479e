/** The menu of the status bar: the commands that are available now, with their keys. */

import { commands, QuickPickItemKind, window, type QuickPickItem } from 'vscode';

import { isInReview, isLive } from './edits';
import { ICONS, LABELS, other, type Mode } from './protocol';
import type { Session } from './session';
import { changes } from './status';

interface Verb extends QuickPickItem {
  command?: string;
}

/** Shows the menu, and runs the chosen command. */
export async function showMenu(session: Session): Promise<void> {
  const chosen = await window.showQuickPick(verbs(session), { title: 'twospeed' });
  if (chosen?.command) await commands.executeCommand(chosen.command);
}

function verbs({ edits, modes }: Session): Verb[] {
  const live = edits.here(isLive);
  const review = edits.here(isInReview);
  const mode = modes.state?.mode ?? 'lightning';
  return [
    ...(live
      ? [
          heading(`${ICONS[live.mode]} running`),
          verb('steer', 'comment', 'Steer It…', 'a new instruction'),
          verb('cancel', 'close', 'Cancel It', 'Esc'),
        ]
      : []),
    ...(review
      ? reviewVerbs(review.mode, review.hunks.length, (edits.requestOf(review)?.variations ?? 1) > 1)
      : []),
    ...(edits.refusedHere === undefined
      ? []
      : [
          heading('refused'),
          verb('showAnswer', 'diff', 'Show the Answer', 'beside the current text'),
          verb('applyAnyway', 'check', 'Apply It Anyway', 'for review'),
        ]),
    heading('edit'),
    verb('ask', 'sparkle', 'Edit…', 'Alt+K'),
    verb('askForAnswers', 'list-ordered', 'Edit with Several Answers…'),
    verb('repeat', 'debug-rerun', 'Repeat Last Instruction Here'),
    verb(
      'toggleMode',
      'arrow-swap',
      `Switch to ${ICONS[other(mode)]} ${LABELS[other(mode)]}`,
      'Ctrl+Shift+L',
    ),
    heading('server'),
    verb('status', 'info', 'Show Status'),
    verb('doctor', 'pulse', 'Run Doctor'),
    verb('log', 'output', 'Show Log'),
    verb('restart', 'refresh', 'Restart Server'),
  ];
}

function reviewVerbs(mode: Mode, count: number, hasAnswers: boolean): Verb[] {
  return [
    heading(`${ICONS[mode]} ${changes(count)} in review`),
    verb('accept', 'check-all', 'Accept', 'Shift+Alt+Enter, or save'),
    verb('reject', 'discard', 'Reject', 'Shift+Alt+Delete'),
    verb('nextHunk', 'arrow-down', 'Go to Next Change', 'F7'),
    verb('removed', 'eye', 'Show Removed Lines'),
    verb('compare', 'diff', 'Compare with What Was There'),
    ...(hasAnswers ? [verb('nextVariation', 'arrow-right', 'Next Answer', 'Alt+]')] : []),
    verb('followUp', 'comment-discussion', 'Follow Up…', 'refine this edit'),
    verb('retry', 'sync', `Retry in ${ICONS[other(mode)]} ${LABELS[other(mode)]}`),
    ...(mode === 'lightning' ? [verb('review', 'search', `Check in ${ICONS.deep} ${LABELS.deep}`)] : []),
  ];
}

const verb = (command: string, icon: string, label: string, description = ''): Verb => ({
  label: `$(${icon}) ${label}`,
  description,
  command: `twospeed.${command}`,
});

const heading = (label: string): Verb => ({ label, kind: QuickPickItemKind.Separator });
