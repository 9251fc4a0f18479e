/** What is said to the person, and asked: notices that go away, questions that wait, dialogs. */

import { byId, element } from './dom';

const SHOWN_MS = 8_000;

export type Kind = 'error' | 'warning' | 'info';

/** Shows a notice; errors stay until they are clicked. */
export function notify(text: string, kind: Kind = 'info'): void {
  const notice = element('div', { className: `notice ${kind}`, title: 'Click to close' }, text);
  notice.setAttribute('role', kind === 'error' ? 'alert' : 'status');
  const close = () => {
    notice.remove();
  };
  notice.onclick = close;
  byId('notices').append(notice);
  if (kind !== 'error') setTimeout(close, SHOWN_MS);
}

/** Asks; `null` where the person chose nothing. */
export function ask(text: string, choices: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    const buttons = choices.map((choice) =>
      element(
        'button',
        {
          type: 'button',
          onclick: () => {
            close(choice);
          },
        },
        choice,
      ),
    );
    const close = dialog(
      'Question',
      [element('p', {}, text), element('div', { className: 'row' }, ...buttons)],
      () => {
        resolve(null);
      },
      resolve,
    );
    buttons[0]?.focus();
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
