/** The menu of the status bar, with the commands that are available now and their keys; the choice of a mode. */

import { commands, QuickPickItemKind, window, type QuickPickItem } from 'vscode';

import { awaitsDeep, hasHunks, hasOffer, isLive, type Edit } from '../edits/edits';
import { ICONS, LABELS, other, type Mode, type ModeChoice } from '../protocol';
import type { Session } from '../session';
import { changes, counted } from './statusBar';

interface MenuItem extends QuickPickItem {
  command?: string;
}

/** Shows the menu, and runs the chosen command. */
export async function showMenu(session: Session): Promise<void> {
  const chosen = await window.showQuickPick(menuItems(session), { title: 'twospeed' });
  if (chosen?.command) await commands.executeCommand(chosen.command);
}

/** Lets the user choose a mode. */
export async function chooseMode({ modes }: Session): Promise<void> {
  const choices = (['lightning', 'deep', 'both'] satisfies ModeChoice[]).map((mode) => ({
    mode,
    label: `${ICONS[mode]} ${LABELS[mode]}`,
    description: modes
      .modelsOf(mode)
      .map(({ model }) => model)
      .join(' · '),
  }));
  const chosen = await window.showQuickPick(choices, { title: 'twospeed: the mode of the next edits' });
  if (chosen) await commands.executeCommand('twospeed.setMode', chosen.mode);
}

function menuItems({ edits }: Session): MenuItem[] {
  const live = edits.atCaret(isLive);
  const review = edits.atCaret(hasHunks);
  const offered = edits.atCaret(hasOffer);
  return [
    ...(live
      ? [
          heading(`${ICONS[live.mode]} running`),
          item('steer', 'comment', 'Steer It…', 'a new instruction'),
          item('cancel', 'close', 'Cancel It', 'Esc'),
        ]
      : []),
    ...(offered ? offerItems(offered) : []),
    ...(edits.atCaret(awaitsDeep)
      ? [heading(`${ICONS.deep} working`), item('cancel', 'close', 'Cancel the Deep Answer')]
      : []),
    ...(review
      ? reviewItems(
          review.mode,
          changes(edits.placesOf(review).filter(hasHunks)),
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
    item('suggest', 'sparkle', 'Suggest Code at the Cursor', 'Alt+\\'),
    item('repeat', 'debug-rerun', 'Repeat Last Instruction Here'),
    item('setMode', 'arrow-swap', 'Choose Mode…', 'Ctrl+Shift+L switches to the next one'),
    heading('server'),
    item('status', 'info', 'Show Status'),
    item('doctor', 'pulse', 'Run Doctor'),
    item('log', 'output', 'Show Log'),
    item('restart', 'refresh', 'Restart Server'),
  ];
}

const offerItems = ({ offered }: Edit): MenuItem[] => [
  heading(`${ICONS.deep} would change ${counted(offered, 'place')}`),
  item('take', 'check-all', 'Take All', 'Shift+Alt+J'),
  item('takePlace', 'check', 'Take the Place at the Cursor', 'Alt+J'),
  item('dismissOffer', 'close-all', 'Dismiss All', 'Shift+Alt+U'),
  item('dismissPlace', 'close', 'Dismiss the Place at the Cursor', 'Alt+U'),
];

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
