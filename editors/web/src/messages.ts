/** What is said to the person, and asked: notices that go away, questions that wait, dialogs. */

import { byId, element } from './dom';

const SHOWN_MS = 8_000;

export type Kind = 'error' | 'warning' | 'info';

/** What a person may do about something that is said. */
export interface Choice {
  title: string;
  run: () => unknown;
}

/**
 * Shows a notice, and returns what closes it.
 *
 * An error, and one with something to choose, stays until it is clicked; a choice leaves it there.
 */
export function notify(text: string, kind: Kind = 'info', choices: readonly Choice[] = []): () => void {
  const notice = element('div', { className: `notice ${kind}`, title: 'Click to close' }, text);
  notice.setAttribute('role', kind === 'error' ? 'alert' : 'status');
  const close = () => {
    notice.remove();
  };
  notice.onclick = close;
  if (choices.length > 0) notice.append(rowOf(choices));
  byId('notices').append(notice);
  if (kind !== 'error' && choices.length === 0) setTimeout(close, SHOWN_MS);
  return close;
}

/** Buttons, which keep a click to themselves. */
export function rowOf(choices: readonly Choice[]): HTMLElement {
  const buttons = choices.map(({ title, run }) => {
    const onclick = (event: Event) => {
      event.stopPropagation();
      run();
    };
    const button = element('button', { type: 'button', onclick }, title);
    button.onmousedown = (event) => {
      event.preventDefault(); // the caret stays in the editor
    };
    return button;
  });
  return element('div', { className: 'row' }, ...buttons);
}

/** Asks; `null` where the person chose nothing. */
export function ask(text: string, choices: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    const row = rowOf(
      choices.map((title) => ({
        title,
        run: () => {
          close(title);
        },
      })),
    );
    const close = dialog(
      'Question',
      [element('p', {}, text), row],
      () => {
        resolve(null);
      },
      resolve,
    );
    row.querySelector('button')?.focus();
  });
}

/** Opens a dialog over everything; gives what closes it. */
export function dialog(
  title: string,
  content: readonly Node[],
  onDismiss: () => void = () => undefined,
  onChoice: (choice: string) => void = () => undefined,
): (choice?: string) => void {
  const box = element('dialog', {}, element('h2', {}, title), ...content);
  let choice: string | undefined;
  box.onclose = () => {
    box.remove();
    if (choice === undefined) onDismiss();
    else onChoice(choice);
  };
  box.onclick = (event) => {
    if (event.target === box) box.close(); // beside it
  };
  document.body.append(box);
  box.showModal();
  return (chosen) => {
    choice = chosen;
    box.close();
  };
}
