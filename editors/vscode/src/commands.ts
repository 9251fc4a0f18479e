/**
 * The commands: those of this extension, and what those of the server are called with.
 *
 * The library registers what the server names, so the server's ids (`twospeed.accept` and the like) are contributed in
 * package.json and not registered here. Called from a key or the palette they have no arguments; here they get them.
 */

import { commands, Uri, window, type Disposable, type TextEditor } from 'vscode';
import { ExecuteCommandRequest } from 'vscode-languageclient/node';

import { report } from './ask';
import type { Before } from './before';
import { runDoctor } from './doctor';
import { isInReview, isLive } from './edits';
import { askForAnswers, askForFollowUp, askForSteering, askHere } from './instruct';
import { showMenu } from './menu';
import { wireRange } from './places';
import type { ShownAnswer } from './protocol';
import { decideHunk, goToHunk, sayNothingHere, showVariation } from './review';
import type { Server } from './server';
import type { Session } from './session';

/** Registers the commands that are not the server's; `session` gives what they work with while a server runs. */
export function registerCommands(
  server: Server,
  before: Before,
  session: () => Session | undefined,
): Disposable[] {
  const withSession = (run: (session: Session) => unknown) => async () => {
    const given = session();
    if (given) await run(given);
    else void sayNoServer();
  };
  const own: Record<string, () => unknown> = {
    ask: withSession(askHere),
    askForAnswers: withSession(askForAnswers),
    followUp: withSession(followUp),
    nextHunk: withSession((given) => {
      goToHunk(given, 1);
    }),
    previousHunk: withSession((given) => {
      goToHunk(given, -1);
    }),
    acceptHunk: withSession((given) => decideHunk(given, 'accept')),
    rejectHunk: withSession((given) => decideHunk(given, 'reject')),
    previousVariation: withSession((given) => showVariation(given, -1)),
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

/** Runs a command of the server's: what it acts on is here, where it is not said. */
export async function runServerCommand(
  session: Session,
  command: string,
  given: unknown[],
): Promise<unknown> {
  if (given.length === 0 && command === 'twospeed.steer') return steerHere(session);
  if (given.length === 0 && command === 'twospeed.nextVariation') return showVariation(session, 1);
  const { answers, client } = session;
  // The title bar of an editor gives its file's address, which no command of the server takes.
  const isSaid = given.length > 0 && !(given[0] instanceof Uri);
  const args = isSaid ? given : (argumentsHere(session)[command]?.() ?? []);
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

/** What a command is about: the edit at the caret, else the newest of the file; none is the newest of all files. */
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
  range: wireRange(selection),
});

async function steerHere(session: Session): Promise<void> {
  const edit = session.edits.here(isLive);
  if (edit) await askForSteering(session, edit);
  else void window.showInformationMessage('twospeed: no edit runs in this file');
}

async function followUp(session: Session): Promise<void> {
  const edit = session.edits.here(isInReview);
  if (edit) await askForFollowUp(session, edit);
  else sayNothingHere();
}

async function sayNoServer(): Promise<void> {
  const [restart, log] = ['Restart Server', 'Show Log'];
  const chosen = await window.showWarningMessage('twospeed: the server does not run', restart, log);
  if (chosen !== undefined)
    await commands.executeCommand(chosen === log ? 'twospeed.log' : 'twospeed.restart');
}
