/** The sheet of keys: a dialog that lists what each key does. */

import type { Key, KeyGroup } from '../edits/keys';
import { element } from './dom';
import { dialog } from './notices';

const isMac = /Mac|iP(hone|ad)/.test(navigator.platform);
const NAMES: Record<string, string> = { Mod: isMac ? 'Cmd' : 'Ctrl', Escape: 'Esc' };

export function showKeys(groups: readonly KeyGroup[]): void {
  const sections = groups.map(({ title, keys }) =>
    element('section', {}, element('h3', {}, title), element('dl', {}, ...keys.map(rowOf))),
  );
  dialog('Keys', [element('div', { className: 'keys' }, ...sections)]);
}

const rowOf = ({ key, mac, says }: Key): HTMLElement =>
  element('div', {}, element('dt', {}, ...kbdsOf(isMac && mac ? mac : key)), element('dd', {}, says));

/** A space separates keys to press one after the other. */
const kbdsOf = (keys: string): HTMLElement[] => keys.split(' ').map((key) => element('kbd', {}, nameOf(key)));

/** The name of a key as keyboards show it: `Ctrl+Shift+L`. */
export const nameOf = (key: string): string =>
  key
    .split('-')
    .map((part) => NAMES[part] ?? (part.length === 1 ? part.toUpperCase() : part))
    .join('+');
