/** The key bindings of every editor of the page. */

import { Prec, type Extension } from '@codemirror/state';
import { keymap, type KeyBinding } from '@codemirror/view';

import { hideSuggestion } from '../editor/ghostText';
import type { Actions } from './actions';
import type { Suggestions } from './suggestions';

/** `ask` opens the prompt, `save` saves the current document. */
export function keysFor(
  actions: Actions,
  suggestions: Suggestions,
  ask: () => boolean,
  save: () => boolean,
): Extension {
  const key = (name: string, run: () => boolean): KeyBinding => ({ key: name, run, preventDefault: true });
  return Prec.highest(
    keymap.of([
      key('Mod-k', ask),
      key('Mod-s', save),
      key('F2', () => actions.decideAtCaret('take')),
      key('Shift-F2', () => actions.decideAll('take')),
      key('F4', () => actions.decideAtCaret('dismiss')),
      key('Shift-F4', () => actions.decideAll('dismiss')),
      key('F7', () => actions.goToHunk(1)),
      key('Shift-F7', () => actions.goToHunk(-1)),
      key('F8', () => actions.showVariation(1)),
      key('Shift-F8', () => actions.showVariation(-1)),
      key('F9', () => actions.retry()),
      key('Shift-F9', () => actions.repeat()),
      key('Alt-Enter', () => actions.decideAtCaret('accept')),
      key('Alt-Delete', () => actions.decideAtCaret('reject')),
      key('Mod-Shift-Enter', () => actions.decideAll('accept')),
      key('Mod-Shift-Backspace', () => actions.decideAll('reject')),
      { key: 'Mod-z', run: () => actions.cancelIfNothingTyped() },
      { key: 'Ctrl-Space', mac: 'Alt-`', run: () => suggestions.invoke(actions.current()) },
      { key: 'Tab', run: () => suggestions.accept(actions.current()) },
      { key: 'Escape', run: hideSuggestion },
    ]),
  );
}

/** Escape has the default precedence, so that it first closes an open panel. */
export const escapeFor = (actions: Actions): Extension =>
  keymap.of([{ key: 'Escape', run: () => actions.cancel() }]);
