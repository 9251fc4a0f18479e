/** The two bars below the editor: the review bar and the status bar. */

import type { Edit } from '../edits/edit';
import { ICONS, LABELS, modelsOf, other, type Action, type ModeState, type Step } from '../protocol';
import { button, byId, counted, element, fill } from './dom';

/** What the buttons do. */
export interface BarActions {
  decideAll: (action: Action) => unknown;
  cancel(): void;
  cancelDeep(): void;
  variation(step: Step): void;
  retry(): void;
  check(): void;
  verify(): void;
  mend(): void;
  followUp(): void;
  goToHunk(step: Step): void;
  toggleRemoved(): void;
  compare(): void;
  toggleMode(): void;
  status(): void;
  reconnect(): void;
}

/** What both bars show. */
export interface BarState {
  mode: ModeState | null;
  live: Edit | undefined;
  review: Edit | undefined;
  /** An edit that is in review or was accepted. */
  verifiable: Edit | undefined;
  nHunks: number;
  /** The places that the deep model would change. */
  nOffered: number;
  /** Places of the edit in review, and of the running one. */
  nPlaces: number;
  nLive: number;
  showsRemoved: boolean;
  isConnected: boolean;
  place: string;
  last: Edit | undefined;
}

const secondsSince = (time: number) => `${String(Math.floor((performance.now() - time) / 1000))} s`;

/** What the deep model does, or would do, with a draft in review. */
function deepParts({ deep, deepSince }: Edit, nOffered: number, actions: BarActions): Node[] {
  const icon = ICONS.deep;
  const said = (text: string, title = '') => element('strong', { className: 'deep', title }, text);
  if (nOffered > 0) {
    const take = () => {
      actions.decideAll('take');
    };
    const dismiss = () => {
      actions.decideAll('dismiss');
    };
    return [
      said(`${icon} would change ${counted(nOffered, 'place')}`),
      button('Take all', 'Replace the lines of all these places (Shift+F2); F2 takes the one here', take),
      button('Dismiss', 'Keep the lines of all these places (Shift+F4); F4 keeps the ones here', dismiss),
    ];
  }
  switch (deep?.state) {
    case 'requested': {
      const stop = () => {
        actions.cancelDeep();
      };
      return [
        said(`${icon} works on it … ${secondsSince(deepSince)}`),
        button(`Stop ${icon}`, 'Cancel the deep model; the changes stay in review', stop),
      ];
    }
    case 'unchanged':
      return [said(`${icon} would change nothing`)];
    case 'refused':
    case 'failed':
      return [said(`${icon} ${deep.state}`, deep.reason?.message)];
    default:
      return [];
  }
}

/** The buttons of an edit that commands can verify; the second one only after the first. */
function verifyButtons({ isVerified }: Edit, actions: BarActions): Node[] {
  const verify = button('Verify', 'Run your commands on the saved file: [verify] in your config', () => {
    actions.verify();
  });
  if (!isVerified) return [verify];
  return [
    verify,
    button(`Mend in ${ICONS.deep}`, 'Let the deep model mend what your commands report', () => {
      actions.mend();
    }),
  ];
}

function decideButtons({ decideAll }: BarActions): Node[] {
  const reject = () => {
    decideAll('reject');
  };
  const accept = () => {
    decideAll('accept');
  };
  return [
    button('Reject', 'Restore all old lines (Ctrl+Shift+Backspace)', reject, 'reject'),
    button('Accept', 'Keep all changes (Ctrl+Shift+Enter)', accept, 'accept'),
  ];
}

export function showReview(
  { review, nHunks, nOffered, nPlaces, showsRemoved }: BarState,
  actions: BarActions,
): void {
  const bar = byId('review');
  bar.hidden = review === undefined;
  if (!review) return;
  const variations =
    review.variations > 1
      ? [
          button('‹', 'Previous answer (Shift+F8)', () => {
            actions.variation(-1);
          }),
          element('span', {}, `answer ${String(review.answerIndex + 1)} of ${String(review.variations)}`),
          button('›', 'Next answer (F8)', () => {
            actions.variation(1);
          }),
        ]
      : [];
  const otherMode = other(review.mode);
  const places = nPlaces > 1 ? ` at ${String(nPlaces)} places` : '';
  const changes = `${ICONS[review.mode]} ${counted(nHunks, 'change')}${places}`;
  // Without hunks the draft is decided, and only the deep answer is left.
  const isDecided = nHunks === 0 && review.deep !== null;
  const deep = deepParts(review, nOffered, actions);
  fill(bar, [
    ...(isDecided ? [] : [element('strong', {}, changes)]),
    ...deep,
    element('span', { className: 'instruction', title: review.instruction }, review.instruction),
    element(
      'span',
      { className: 'group' },
      button('↑', 'Previous change (Shift+F7)', () => {
        actions.goToHunk(-1);
      }),
      button('↓', 'Next change (F7)', () => {
        actions.goToHunk(1);
      }),
    ),
    ...(variations.length > 0 ? [element('span', { className: 'group' }, ...variations)] : []),
    element('span', { className: 'spring' }),
    button(showsRemoved ? 'Hide old lines' : 'Show old lines', 'The lines that the edit removed', () => {
      actions.toggleRemoved();
    }),
    button('Compare', 'Compare before and now, side by side', () => {
      actions.compare();
    }),
    ...(review.mode === 'lightning' && review.deep === null
      ? [
          button(`Check in ${ICONS.deep}`, 'Let the deep model check this edit', () => {
            actions.check();
          }),
        ]
      : []),
    button('Follow up', 'Refine this edit (Ctrl+K)', () => {
      actions.followUp();
    }),
    button(
      `Retry in ${ICONS[otherMode]} ${LABELS[otherMode]}`,
      'Request the edit again in the other mode (F9)',
      () => {
        actions.retry();
      },
    ),
    ...(isDecided ? [] : decideButtons(actions)),
  ]);
}

export function showStatusBar(state: BarState, actions: BarActions): void {
  const { mode, live, nLive, verifiable, last, isConnected, place } = state;
  const used = mode ? modelsOf(mode) : [];
  const parts: Node[] = [
    button(
      mode ? `${ICONS[mode.mode]} ${LABELS[mode.mode]}` : 'twospeed',
      'Switch the mode (Ctrl+Shift+L)',
      () => {
        actions.toggleMode();
      },
      'mode',
    ),
  ];
  if (used.length > 0) {
    const names = used.map(({ provider, model }) => `${provider}/${model}`).join(', ');
    parts.push(
      button(used.map(({ model }) => model).join(' + '), `${names}. Click to list the models`, () => {
        actions.status();
      }),
    );
  }
  if (live) {
    const activity =
      live.state === 'queued' ? 'waiting' : live.reasoning ? lastLineOf(live.reasoning) : 'editing';
    const places = nLive > 1 ? ` ${String(nLive)} places` : '';
    const running = `${ICONS[live.mode]} ${secondsSince(live.startedAt)} · ${activity}${places} …`;
    parts.push(
      element('span', { className: 'running', title: live.reasoning }, running),
      button(
        'Stop',
        'Cancel, and restore the old text (Esc)',
        () => {
          actions.cancel();
        },
        'stop',
      ),
    );
  }
  parts.push(element('span', { className: 'spring' }));
  const summary = last && summaryOf(last);
  if (summary) parts.push(element('span', { className: 'figures', title: 'The last edit' }, summary));
  if (verifiable && !live) parts.push(...verifyButtons(verifiable, actions));
  parts.push(element('span', { className: 'place' }, place));
  if (!isConnected) {
    parts.push(
      button(
        'Disconnected: connect again',
        'The connection to twospeed is closed',
        () => {
          actions.reconnect();
        },
        'stop',
      ),
    );
  }
  fill(byId('status'), parts);
}

const lastLineOf = (text: string) => {
  const line =
    text
      .trim()
      .split(/\s*\n\s*/)
      .at(-1) ?? '';
  return line.length > 70 ? `${line.slice(0, 69)}…` : line;
};

/** The model and the speed of an edit. */
function summaryOf({ stats, mode, model }: Edit): string | null {
  if (!stats || model === null) return null;
  const parts = [`${ICONS[mode]} ${model}`, `${(stats.durationMs / 1000).toFixed(2)} s`];
  if (stats.ttftMs !== null) parts.push(`first token ${(stats.ttftMs / 1000).toFixed(2)} s`);
  if (stats.tokensPerSecond !== null) parts.push(`${stats.tokensPerSecond.toFixed(0)} tokens/s`);
  parts.push(`+${String(stats.linesAdded)} −${String(stats.linesRemoved)}`);
  return parts.join(' · ');
}
