/** The server's program: where it is, and what is said where there is none. */

import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

import { commands, env, window, workspace } from 'vscode';

/** What installs the server, out of a checkout. */
export const INSTALL = 'pipx install /path/to/twospeed';

/** Ways to run the server without naming it, the quickest to start first. */
const WAYS = [['twospeed'], ['uvx', 'twospeed'], ['pipx', 'run', 'twospeed']] as const;

/** Gives the program and its first arguments: the setting's, which throws if it is of no use, else what is found. */
export async function findProgram(): Promise<string[] | undefined> {
  const named = workspace.getConfiguration('twospeed').get<unknown>('command') ?? [];
  if (!Array.isArray(named) || !named.every((word) => typeof word === 'string')) {
    throw new Error('the setting twospeed.command must be a list of strings, such as ["/path/to/twospeed"]');
  }
  if (named.length > 0) return named;
  for (const [name, ...args] of WAYS) {
    const path = await findExecutable(name);
    if (path !== undefined) return [path, ...args];
  }
  return undefined;
}

/** Looks for a program on the PATH, and where pipx and uv put theirs. */
export async function findExecutable(name: string): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  for (const folder of [...folders, join(homedir(), '.local', 'bin')]) {
    for (const ending of endings) {
      const path = join(folder, name + ending);
      const isThere = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isThere) return path;
    }
  }
  return undefined;
}

/** Says that there is no server, and how to get it. */
export async function offerInstallation(): Promise<void> {
  const inTerminal = 'Open in Terminal';
  const copy = 'Copy';
  const name = 'Name Its Program';
  const message = `twospeed: the server is not installed; this installs it: ${INSTALL}`;
  const chosen = await window.showWarningMessage(message, inTerminal, copy, name);
  if (chosen === copy) await env.clipboard.writeText(INSTALL);
  if (chosen === name) await commands.executeCommand('workbench.action.openSettings', 'twospeed.command');
  if (chosen === inTerminal) {
    const terminal = window.createTerminal('twospeed');
    terminal.show();
    terminal.sendText(INSTALL, false); // the person presses Enter
  }
}
