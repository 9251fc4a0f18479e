/** The program of the server: how to find it, and what to show if there is none. */

import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

import { commands, env, window, workspace } from 'vscode';

/** Installs the server from a checkout. */
export const INSTALL = 'pipx install /path/to/twospeed';

/** Returns the program and its first arguments, from the setting or by search. Throws if the setting is invalid. */
export async function findProgram(): Promise<string[] | undefined> {
  const named = workspace.getConfiguration('twospeed').get<unknown>('command') ?? [];
  if (!Array.isArray(named) || !named.every((word) => typeof word === 'string')) {
    throw new Error(
      'the setting twospeed.command must be a list of strings, for example ["/path/to/twospeed"]',
    );
  }
  if (named.length > 0) return named;
  const path = await findExecutable('twospeed');
  return path === undefined ? undefined : [path];
}

/** Searches the PATH, and ~/.local/bin, where pipx and uv install programs. */
export async function findExecutable(name: string): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  for (const folder of [...folders, join(homedir(), '.local', 'bin')]) {
    for (const ending of endings) {
      const path = join(folder, name + ending);
      const exists = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (exists) return path;
    }
  }
  return undefined;
}

/** Shows that the server is not installed, and offers to install it. */
export async function offerInstallation(): Promise<void> {
  const inTerminal = 'Open in Terminal';
  const copy = 'Copy';
  const name = 'Open Setting';
  const message = `twospeed: the server is not installed. Install it with: ${INSTALL}`;
  const chosen = await window.showWarningMessage(message, inTerminal, copy, name);
  if (chosen === copy) await env.clipboard.writeText(INSTALL);
  if (chosen === name) await commands.executeCommand('workbench.action.openSettings', 'twospeed.command');
  if (chosen === inTerminal) {
    const terminal = window.createTerminal('twospeed');
    terminal.show();
    terminal.sendText(INSTALL, false); // the user presses Enter
  }
}
