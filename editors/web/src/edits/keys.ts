/** The keys of the page, as the editors bind them and as the sheet of keys lists them. */

import { Prec, type Extension } from '@codemirror/state';
import { keymap, type Command } from '@codemirror/view';

import { hideSuggestion } from '../editor/ghostText';
import type { Actions } from './actions';
import type { Suggestions } from './suggestions';

export interface Key {
  /** The name of the key in CodeMirror: `Mod` is Cmd on a Mac, and Ctrl elsewhere. */
  key: string;
  mac?: string;
  /** What the key does. */
  says: string;
  /** Missing if another part of the page handles the key. */
  run?: Command;
  /** Whether the editor handles the key too, if `run` returns false. */
  isShared?: boolean;
}

export interface KeyGroup {
  title: string;
  keys: readonly Key[];
}

/** What the keys do that need the page. */
export interface PageActions {
  /** Opens the prompt. */
  ask(): boolean;
  save(): boolean;
  /** Lists the code actions. */
  list(): boolean;
}

export function keysOf(actions: Actions, suggestions: Suggestions, page: PageActions): readonly KeyGroup[] {
  const key = (name: string, says: string, run?: Command): Key => ({
    key: name,
    says,
    ...(run && { run }),
  });
  const shared = (name: string, says: string, run: Command): Key => ({
    ...key(name, says, run),
    isShared: true,
  });
  return [
    {
      title: 'Edit',
      keys: [
        key('Mod-k', 'edit the selection or the code around the caret; steer or follow up an edit', () =>
          page.ask(),
        ),
        key('Mod-.', 'list presets and other actions', () => page.list()),
        key('Mod-Shift-l', 'switch the mode'),
        key('Escape', 'stop the running edit'),
        shared('Mod-z', 'undo; stop the running edit', () => actions.cancelIfNothingTyped()),
        key('F9', 'retry in the other mode', () => actions.retry()),
        key('Shift-F9', 'repeat the instruction here', () => actions.repeat()),
        key('Mod-s', 'save, and accept', () => page.save()),
      ],
    },
    {
      title: 'Review',
      keys: [
        key('F7', 'go to the next change', () => actions.goToHunk(1)),
        key('Shift-F7', 'go to the previous change', () => actions.goToHunk(-1)),
        key('Alt-Enter', 'accept the change at the caret', () => actions.decideAtCaret('accept')),
        key('Alt-Delete', 'reject the change at the caret', () => actions.decideAtCaret('reject')),
        key('Mod-Shift-Enter', 'accept the edit', () => actions.decideAll('accept')),
        key('Mod-Shift-Backspace', 'reject the edit', () => actions.decideAll('reject')),
        key('F8', 'show the next answer', () => actions.showVariation(1)),
        key('Shift-F8', 'show the previous answer', () => actions.showVariation(-1)),
        key('F2', 'take what Deep would write at the caret', () => actions.decideAtCaret('take')),
        key('Shift-F2', 'take all that Deep would write', () => actions.decideAll('take')),
        key('F4', 'dismiss what Deep would write at the caret', () => actions.decideAtCaret('dismiss')),
        key('Shift-F4', 'dismiss all that Deep would write', () => actions.decideAll('dismiss')),
      ],
    },
    {
      title: 'Suggestions',
      keys: [
        {
          ...shared('Ctrl-Space', 'request a suggestion', () => suggestions.invoke(actions.current())),
          mac: 'Alt-`',
        },
        shared('Tab', 'insert the suggestion; else indent', () => suggestions.accept(actions.current())),
        shared('Escape', 'hide the suggestion', hideSuggestion),
      ],
    },
    {
      title: 'Page',
      keys: [
        key('Escape Tab', 'leave the editor: Esc, then Tab'),
        { ...key('Ctrl-m', 'let Tab leave the editor, or indent again'), mac: 'Shift-Alt-m' },
        key('Mod-f', 'search'),
        key('?', 'show these keys, outside the editor'),
      ],
    },
  ];
}

/** Binds the keys of all groups in an editor. */
export const bindingsOf = (groups: readonly KeyGroup[]): Extension =>
  Prec.highest(
    keymap.of(
      groups.flatMap(({ keys }) =>
        keys.flatMap(({ key, mac, run, isShared }) =>
          run ? [{ key, ...(mac && { mac }), run, preventDefault: isShared !== true }] : [],
        ),
      ),
    ),
  );

/** Escape has the default precedence, so that it first closes an open panel. */
export const escapeFor = (actions: Actions): Extension =>
  keymap.of([{ key: 'Escape', run: () => actions.cancel() }]);
