/** The entry point: VS Code calls `activate`. */

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

/** Connects the parts, and starts the server. */
export async function activate(context: ExtensionContext): Promise<void> {
  const moves = new Moves();
  const edits = new Edits(moves);
  const contexts = followEdits(edits); // first, so that keys work as soon as the status bar shows the edit
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
    shouldSendSave: (document) => saves.shouldSend(document),
    created: (client) => [
      client.onRequest(applyEditRequest, (params) => applyEdit(edits, params)),
      client.onNotification(modeChanged, (state) => {
        modes.update(state);
      }),
      client.onNotification(editChanged, (changed) => {
        edits.update(changed);
      }),
    ],
    async ready(client) {
      setContext('ready', true);
      modes.updateFromStatus(await client.sendRequest(statusRequest, {}));
    },
    stopped() {
      setContext('ready', false);
      edits.clear();
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
      else if (change.affectsConfiguration('twospeed')) void server.sendSettings();
    }),
  );
  await server.start();
}

/** Passes changes of documents on to `moves` first: `edits` relies on it. */
function followDocuments(moves: Moves, edits: Edits): Disposable[] {
  return [
    workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      moves.record(document, contentChanges);
      edits.follow(document, contentChanges);
    }),
    workspace.onDidCloseTextDocument((document) => {
      moves.forget(document);
    }),
  ];
}
