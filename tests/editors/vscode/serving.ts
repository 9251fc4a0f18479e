/** The server: its settings, its end, and what is said when it is not there. */

import { mkdir, watch, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { commands, ConfigurationTarget, workspace } from 'vscode';

import { see, seeAt, seeNo } from './hands';
import { Shop } from './shop';

const set = (key: string, value: unknown) =>
  workspace.getConfiguration('twospeed').update(key, value, ConfigurationTarget.Global);

export const serving: Record<string, () => Promise<void>> = {
  async "settings are the server's, and it is told when they change"() {
    await Shop.open();
    await set('mode', 'deep');
    await see('🧠 Deep · slow');
    await set('mode', undefined);
    await see('⚡ Lightning · fast');
  },

  async 'a setting that is not for editors is refused, with the place where it belongs'() {
    await set('gate.parse', 'warn');
    await commands.executeCommand('notifications.showList');
    await see('is looser than');
    await set('gate.parse', undefined);
  },

  async 'a server that is started again serves'() {
    const shop = await Shop.open();
    await commands.executeCommand('twospeed.restart');
    await see('⚡ Lightning · fast');
    await shop.edit('say the mode', 'owed(items):');
    await shop.isSavedAs(shop.before.replace('    return sum', '    # fast\n    return sum'));
  },

  async 'a server is looked for; where there is none, a message names the command that installs it'() {
    const shop = await Shop.open();
    const { PATH, HOME } = process.env;
    const program = workspace.getConfiguration('twospeed').get<string[]>('command', []);
    const home = process.env.TWOSPEED_SCRATCH ?? '';
    const own = join(home, '.local/bin/twospeed');
    try {
      Object.assign(process.env, { PATH: '', HOME: home });
      await set('command', undefined);
      await commands.executeCommand('notifications.showList');
      await see('pipx install /path/to/twospeed');
      await commands.executeCommand('notifications.clearAll');
      await mkdir(dirname(own), { recursive: true });
      await writeFile(own, `#!/bin/sh\nexec ${program.join(' ')} "$@"\n`, { mode: 0o755 });
      await commands.executeCommand('twospeed.restart');
      await see('⚡ Lightning · fast');
      await shop.edit('say the mode', 'owed(items):');
      await shop.isSavedAs(shop.before.replace('    return sum', '    # fast\n    return sum'));
    } finally {
      Object.assign(process.env, { PATH, HOME });
      await set('command', program);
    }
    await see('⚡ Lightning · fast');
  },

  async 'a program that cannot be run is said in the status bar, and a click tries again'() {
    const program = workspace.getConfiguration('twospeed').get<string[]>('command', []);
    await set('command', ['/nowhere/twospeed']);
    await seeNo('⚡ Lightning');
    await set('command', program);
    await see('⚡ Lightning · fast');
  },

  async 'a setting of a wrong type is named, and the right one serves'() {
    const program = workspace.getConfiguration('twospeed').get<string[]>('command', []);
    await commands.executeCommand('notifications.clearAll');
    await set('command', 'twospeed');
    await commands.executeCommand('notifications.showList');
    await see('twospeed.command must be a list of strings');
    await commands.executeCommand('notifications.clearAll');
    await set('command', program);
    await see('⚡ Lightning · fast');
  },

  async 'a program that never answers is given up when another one is named'() {
    const program = workspace.getConfiguration('twospeed').get<string[]>('command', []);
    const folder = join(process.env.TWOSPEED_SCRATCH ?? '', 'silent');
    await mkdir(folder);
    const begun = watch(folder)[Symbol.asyncIterator]().next();
    await set('command', ['sh', '-c', 'touch "$0"; exec sleep 600', join(folder, 'begun')]);
    await begun;
    await seeNo('⚡ Lightning');
    await set('command', program);
    await see('⚡ Lightning · fast');
  },

  async 'words of a provider are no link in a message'() {
    const shop = await Shop.open();
    await shop.edit('lead astray', 'owed(items):');
    await commands.executeCommand('notifications.showList');
    await see('[look] (command:');
    await commands.executeCommand('notifications.clearAll');
  },

  async 'the log and the doctor are a command away'() {
    await commands.executeCommand('twospeed.doctor');
    await seeAt('.output-view .view-line, .panel .view-line', 'scripted/fast');
    await commands.executeCommand('workbench.action.closePanel');
  },
};
