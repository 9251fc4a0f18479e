/**
 * The commands of this extension, and the arguments for those of the server.
 *
 * vscode-languageclient registers the server's commands (such as `twospeed.accept`), so they are in package.json but not
 * registered here. A key or the command palette calls them without arguments; this module adds the arguments.
 */

import { commands, Uri, window, type Disposable, type TextEditor } from 'vscode';
import { ExecuteCommandRequest } from 'vscode-languageclient/node';

import { report } from './ask';
import type { Before } from './before';
import { runDoctor } from './doctor';
import { isInReview, isLive } from './edits';
import { askForAnswers, askForFollowUp, askForSteering, askHere } from './instruct';
import { showMenu } from './menu';
import { lspRange } from './places';
import type { ShownAnswer } from './protocol';
import { decideHunk, goToHunk, showNoReview, showVariation } from './review';
import type { Server } from './server';
import type { Session } from './session';

/** Registers the commands of this extension; `session` returns `undefined` while no server runs. */
export function registerCommands(
  server: Server,
  before: Before,
  session: () => Session | undefined,
): Disposable[] {
  const withSession = (run: (session: Session) => unknown) => async () => {
    const current = session();
    if (current) await run(current);
    else void showNoServer();
  };
  const own: Record<string, () => unknown> = {
    ask: withSession(askHere),
    askForAnswers: withSession(askForAnswers),
    followUp: withSession(followUp),
    nextHunk: withSession((current) => {
      goToHunk(current, 1);
    }),
    previousHunk: withSession((current) => {
      goToHunk(current, -1);
    }),
    acceptHunk: withSession((current) => decideHunk(current, 'accept')),
    rejectHunk: withSession((current) => decideHunk(current, 'reject')),
    previousVariation: withSession((current) => showVariation(current, -1)),
    removed: () => before.peek(),
    compare: () => before.compare(),
    menu: withSession(showMenu),
    'prompt.larger': withSession(({ prompt }) => {
      prompt.changeScope(1);
    }),
    'prompt.smaller': withSession(({ prompt }) => {
      prompt.changeScope(-1);
    }),
    'prompt.earlier': withSession(({ prompt }) => {
      prompt.recall(1);
    }),
    'prompt.later': withSession(({ prompt }) => {
      prompt.recall(-1);
    }),
    restart: () => server.start(),
    log: () => {
      server.log.show();
    },
    doctor: () => runDoctor(server.log),
  };
  return Object.entries(own).map(([name, run]) => commands.registerCommand(`twospeed.${name}`, run));
}

/** Runs a command of the server. Without arguments, it applies to the edit at the caret. */
export async function runServerCommand(
  session: Session,
  command: string,
  given: unknown[],
): Promise<unknown> {
  if (given.length === 0 && command === 'twospeed.steer') return steerHere(session);
  if (given.length === 0 && command === 'twospeed.nextVariation') return showVariation(session, 1);
  const { answers, client } = session;
  // A button in the title bar of an editor passes the file's URI, which no command of the server accepts.
  const hasArguments = given.length > 0 && !(given[0] instanceof Uri);
  const args = hasArguments ? given : (argumentsHere(session)[command]?.() ?? []);
  try {
    if (command === 'twospeed.applyAnyway' && typeof args[0] === 'string') await answers.leave(args[0]);
    const result: unknown = await client.sendRequest(ExecuteCommandRequest.type, {
      command,
      arguments: args,
    });
    if (command === 'twospeed.showAnswer') await answers.show(result as ShownAnswer);
    return result;
  } catch (error) {
    report(error);
    return undefined;
  }
}

/** The edit at the caret, else the newest one of the file. Without arguments, the server uses the newest one of all files. */
function argumentsHere({ answers, edits }: Session): Record<string, () => unknown[]> {
  const live = () => edits.here(isLive);
  const review = () => edits.here(isInReview);
  const named = (edit = review()) => (edit ? [{ editId: edit.id }] : []);
  const refused = () => [answers.editHere ?? edits.refusedHere].filter((id) => id !== undefined);
  return {
    'twospeed.accept': named,
    'twospeed.reject': named,
    'twospeed.retry': () => named(review() ?? live()),
    'twospeed.showAnswer': refused,
    'twospeed.applyAnyway': refused,
    'twospeed.review': () => (review() ? [review()?.id] : []),
    'twospeed.cancel': () => (live() ? [live()?.id] : []),
    'twospeed.repeat': () => (window.activeTextEditor ? [place(window.activeTextEditor)] : []),
  };
}

const place = ({ document, selection }: TextEditor) => ({
  uri: document.uri.toString(),
  range: lspRange(selection),
});

async function steerHere(session: Session): Promise<void> {
  const edit = session.edits.here(isLive);
  if (edit) await askForSteering(session, edit);
  else void window.showInformationMessage('twospeed: no edit is running in this file');
}

async function followUp(session: Session): Promise<void> {
  const edit = session.edits.here(isInReview);
  if (edit) await askForFollowUp(session, edit);
  else showNoReview();
}

async function showNoServer(): Promise<void> {
  const [restart, log] = ['Restart Server', 'Show Log'];
  const chosen = await window.showWarningMessage('twospeed: the server is not running', restart, log);
  if (chosen !== undefined)
    await commands.executeCommand(chosen === log ? 'twospeed.log' : 'twospeed.restart');
}
