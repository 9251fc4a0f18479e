/** The two bars below the editor: what is to be decided, and how things stand. */

import type { Edit } from './edits';
import { byId, element } from './dom';
import { ICONS, LABELS, other, type ModeState } from './protocol';

export interface Verbs {
  accept(): void;
  reject(): void;
  cancel(): void;
  variation(step: 1 | -1): void;
  retry(): void;
  check(): void;
  goOn(): void;
  next(step: 1 | -1): void;
  toggleRemoved(): void;
  compare(): void;
  toggleMode(): void;
  status(): void;
  reconnect(): void;
}

/** What both bars show. */
export interface Standing {
  mode: ModeState | null;
  live: Edit | undefined;
  review: Edit | undefined;
  nHunks: number;
  showsRemoved: boolean;
  isConnected: boolean;
  place: string;
  last: Edit | undefined;
}

/** A click leaves the caret in the editor; who comes here with the keyboard stays here. */
function button(text: string, title: string, onclick: () => void, className = ''): HTMLButtonElement {
  const made = element('button', { type: 'button', title, className, onclick }, text);
  made.onmousedown = (event) => {
    event.preventDefault();
  };
  return made;
}

/** What the bar shows is left alone where it would be the same, or the focus would get lost. */
function fill(bar: HTMLElement, children: readonly Node[]): void {
  const isSame =
    bar.childNodes.length === children.length &&
    children.every((child, index) => bar.childNodes[index]?.isEqualNode(child));
  if (!isSame) bar.replaceChildren(...children);
}

export function showReview({ review, nHunks, showsRemoved }: Standing, verbs: Verbs): void {
  const bar = byId('review');
  bar.hidden = review === undefined;
  if (!review) return;
  const variations =
    review.variations > 1
      ? [
          button('‹', 'The answer before (Shift+F8)', () => {
            verbs.variation(-1);
          }),
          element('span', {}, `answer ${String(review.shown + 1)} of ${String(review.variations)}`),
          button('›', 'The next answer (F8)', () => {
            verbs.variation(1);
          }),
        ]
      : [];
  const otherMode = other(review.mode);
  fill(bar, [
    element('strong', {}, `${ICONS[review.mode]} ${nHunks === 1 ? '1 change' : `${String(nHunks)} changes`}`),
    element('span', { className: 'instruction', title: review.instruction }, review.instruction),
    element(
      'span',
      { className: 'group' },
      button('↑', 'The change before (Shift+F7)', () => {
        verbs.next(-1);
      }),
      button('↓', 'The next change (F7)', () => {
        verbs.next(1);
      }),
    ),
    ...(variations.length > 0 ? [element('span', { className: 'group' }, ...variations)] : []),
    element('span', { className: 'spring' }),
    button(showsRemoved ? 'Hide old lines' : 'Show old lines', 'Lines that the edit took away', () => {
      verbs.toggleRemoved();
    }),
    button('Compare', 'Before and now, side by side', () => {
      verbs.compare();
    }),
    ...(review.mode === 'lightning'
      ? [
          button(`Check in ${ICONS.deep}`, 'Have the deep model look over this edit', () => {
            verbs.check();
          }),
        ]
      : []),
    button('Follow up', 'Go on from this edit (Ctrl+K)', () => {
      verbs.goOn();
    }),
    button(`Retry in ${ICONS[otherMode]} ${LABELS[otherMode]}`, 'Ask the other mode instead (F9)', () => {
      verbs.retry();
    }),
    button(
      'Reject',
      'Put all old lines back (Ctrl+Shift+Backspace)',
      () => {
        verbs.reject();
      },
      'reject',
    ),
    button(
      'Accept',
      'Keep all changes (Ctrl+Shift+Enter)',
      () => {
        verbs.accept();
      },
      'accept',
    ),
  ]);
}

export function showStanding({ mode, live, last, isConnected, place }: Standing, verbs: Verbs): void {
  const served = mode?.[mode.mode];
  const parts: Node[] = [
    button(
      mode ? `${ICONS[mode.mode]} ${LABELS[mode.mode]}` : 'twospeed',
      'Switch between Lightning and Deep (Ctrl+Shift+L)',
      () => {
        verbs.toggleMode();
      },
      'mode',
    ),
  ];
  if (served) {
    parts.push(
      button(served.model, `${served.provider}/${served.model}: what serves, and what else there is`, () => {
        verbs.status();
      }),
    );
  }
  if (live) {
    const doing = live.state === 'queued' ? 'waiting' : live.thought ? thoughtOf(live.thought) : 'editing';
    parts.push(
      element('span', { className: 'running' }, `${ICONS[live.mode]} ${doing} …`),
      button(
        'Stop',
        'Put the old text back (Esc)',
        () => {
          verbs.cancel();
        },
        'stop',
      ),
    );
  }
  parts.push(element('span', { className: 'spring' }));
  const figures = last && figuresOf(last);
  if (figures) parts.push(element('span', { className: 'figures', title: 'The last edit' }, figures));
  parts.push(element('span', { className: 'place' }, place));
  if (!isConnected) {
    parts.push(
      button(
        'Disconnected: connect again',
        'twospeed has gone away',
        () => {
          verbs.reconnect();
        },
        'stop',
      ),
    );
  }
  fill(byId('status'), parts);
}

const thoughtOf = (text: string) => {
  const line =
    text
      .trim()
      .split(/\s*\n\s*/)
      .at(-1) ?? '';
  return line.length > 70 ? `${line.slice(0, 69)}…` : line;
};

/** How fast an edit was, and who wrote it. */
function figuresOf({ stats, mode, model }: Edit): string | null {
  if (!stats || model === null) return null;
  const parts = [`${ICONS[mode]} ${model}`, `${(stats.durationMs / 1000).toFixed(2)} s`];
  if (stats.ttftMs !== null) parts.push(`first token ${(stats.ttftMs / 1000).toFixed(2)} s`);
  if (stats.tokensPerSecond !== null) parts.push(`${stats.tokensPerSecond.toFixed(0)} tokens/s`);
  parts.push(`+${String(stats.linesAdded)} −${String(stats.linesRemoved)}`);
  return parts.join(' · ');
}
