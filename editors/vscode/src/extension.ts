/** Where VS Code comes in. */

import { commands, window, workspace, type Disposable, type ExtensionContext } from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

import { Answers } from './answers';
import { applyEdit } from './applyEdit';
import { Before } from './before';
import { registerCommands, runServerCommand } from './commands';
import { followEdits, setContext } from './contexts';
import { Edits } from './edits';
import { Modes } from './modes';
import { Moves } from './moves';
import { Painter } from './paint';
import { Prompt } from './prompt';
import { applyEditRequest, editChanged, modeChanged, statusRequest } from './protocol';
import { Saves } from './saves';
import { Server, type ServerListener } from './server';
import type { Session } from './session';
import { Status } from './status';

/** Puts the parts together, and starts the server. */
export async function activate(context: ExtensionContext): Promise<void> {
  const moves = new Moves();
  const edits = new Edits(moves);
  const contexts = followEdits(edits); // first, so that a key has its meaning when it is seen that it has
  const modes = new Modes();
  const painter = new Painter(edits);
  const prompt = new Prompt(context.globalState, modes);
  const status = new Status(edits, modes);
  const before = new Before(edits);
  const answers = new Answers();
  const saves = new Saves(edits);
  const sessionOf = (client: LanguageClient): Session => ({
    ...{ client, answers, edits, modes, painter, prompt },
  });

  const listener: ServerListener = {
    runCommand: (client, command, args) => runServerCommand(sessionOf(client), command, args),
    isSaveTold: (document) => saves.isTold(document),
    made: (client) => [
      client.onRequest(applyEditRequest, (shipment) => applyEdit(edits, shipment)),
      client.onNotification(modeChanged, (state) => {
        modes.take(state);
      }),
      client.onNotification(editChanged, (told) => {
        edits.take(told);
      }),
    ],
    async ready(client) {
      setContext('ready', true);
      modes.takeStatus(await client.sendRequest(statusRequest, {}));
    },
    gone() {
      setContext('ready', false);
      edits.forgetAll();
      status.showStart();
    },
    failed(why) {
      status.showTrouble(why);
    },
  };
  const log = window.createOutputChannel('twospeed', { log: true });
  const server = new Server(log, listener);
  const session = () => server.client && sessionOf(server.client);

  context.subscriptions.push(
    ...[log, moves, edits, modes, painter, prompt, status, before, answers, saves, server],
    ...followDocuments(moves, edits),
    ...contexts,
    ...registerCommands(server, before, session),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('twospeed.command')) void commands.executeCommand('twospeed.restart');
      else if (change.affectsConfiguration('twospeed')) void server.tellSettings();
    }),
  );
  await server.start();
}

/** Has what is known move along with what is typed. */
function followDocuments(moves: Moves, edits: Edits): Disposable[] {
  return [
    workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      moves.note(document, contentChanges);
      edits.follow(document, contentChanges);
    }),
    workspace.onDidCloseTextDocument((document) => {
      moves.forget(document);
    }),
  ];
}
