/** `twospeed doctor`: what is configured, who answers, how fast. */

import { execFile } from 'node:child_process';

import { ProgressLocation, window, type LogOutputChannel } from 'vscode';

import { findProgram, offerInstallation } from './program';

const LIMIT_MS = 60_000;

/** Runs it with the server's own program; what it says goes into the log, which is shown. */
export async function runDoctor(log: LogOutputChannel): Promise<void> {
  const found = await findProgram();
  if (found === undefined) {
    await offerInstallation();
    return;
  }
  const [command = '', ...args] = found;
  const said = await window.withProgress(
    { location: ProgressLocation.Notification, title: 'twospeed doctor' },
    () => run(command, [...args, 'doctor']),
  );
  log.info(`${[...found, 'doctor'].join(' ')}\n${said}`);
  log.show();
}

/** Gives what a program writes, and how it ended where that was not well. */
function run(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: LIMIT_MS }, (error, stdout, stderr) => {
      const ending = error ? [`ended with ${String(error.code ?? error.signal ?? error.message)}`] : [];
      resolve([stdout.trim(), stderr.trim(), ...ending].filter((text) => text !== '').join('\n'));
    });
  });
}
