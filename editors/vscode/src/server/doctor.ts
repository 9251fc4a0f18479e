/** Runs `twospeed doctor`, which checks the configuration and the models. */

import { execFile } from 'node:child_process';

import { ProgressLocation, window, type LogOutputChannel } from 'vscode';

import { findProgram, offerInstallation } from './program';

const LIMIT_MS = 60_000;

/** Runs it with the program of the server, and shows its output in the log. */
export async function runDoctor(log: LogOutputChannel): Promise<void> {
  const found = await findProgram();
  if (found === undefined) {
    await offerInstallation();
    return;
  }
  const [command = '', ...args] = found;
  const output = await window.withProgress(
    { location: ProgressLocation.Notification, title: 'twospeed doctor' },
    () => run(command, [...args, 'doctor']),
  );
  log.info(`${[...found, 'doctor'].join(' ')}\n${output}`);
  log.show();
}

/** Returns the output of a program, and its exit code or signal if it failed. */
function run(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: LIMIT_MS }, (error, stdout, stderr) => {
      const ending = error ? [`ended with ${String(error.code ?? error.signal ?? error.message)}`] : [];
      resolve([stdout.trim(), stderr.trim(), ...ending].filter((text) => text !== '').join('\n'));
    });
  });
}
