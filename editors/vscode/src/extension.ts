/** The entry point: VS Code calls `activate`. */

import { commands, window, workspace, type Disposable, type ExtensionContext } from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

import { registerCommands, runServerCommand } from './commands';
import { applyEdit } from './edits/applyEdit';
import { openDocument, references } from './edits/callers';
import { DocumentChanges } from './edits/documentChanges';
import { Edits } from './edits/edits';
import { Prompt } from './prompt/prompt';
import {
  applyEditRequest,
  editChanged,
  modeChanged,
  openDocumentRequest,
  referencesRequest,
  statusRequest,
} from './protocol';
import { AcceptOnSave } from './review/acceptOnSave';
import { NewProblems } from './review/newProblems';
import { OfferMessages } from './review/offerMessages';
import { OriginalText } from './review/originalText';
import { RefusedAnswers } from './review/refusedAnswers';
import { Modes } from './server/modes';
import { Server, type ServerListener } from './server/server';
import type { Session } from './session';
import { trackEditContexts, setContext } from './ui/contextKeys';
import { Decorations } from './ui/decorations';
import { Status } from './ui/statusBar';

/** Connects the parts, and starts the server. */
export async function activate(context: ExtensionContext): Promise<void> {
  const documentChanges = new DocumentChanges();
  const edits = new Edits(documentChanges);
  const contexts = trackEditContexts(edits); // first, so that keys work as soon as the status bar shows the edit
  const modes = new Modes();
  const decorations = new Decorations(edits);
  const prompt = new Prompt(context.globalState, modes);
  const status = new Status(edits, modes);
  const originalText = new OriginalText(edits);
  const refusedAnswers = new RefusedAnswers();
  const acceptOnSave = new AcceptOnSave(edits);
  const offerMessages = new OfferMessages(edits);
  const sessionOf = (client: LanguageClient): Session => ({
    ...{ client, refusedAnswers, edits, modes, decorations, prompt },
  });

  const listener: ServerListener = {
    runCommand: (client, command, args) => runServerCommand(sessionOf(client), command, args),
    shouldSendSave: (saved) => acceptOnSave.shouldSend(saved),
    created: (client) => [
      client.onRequest(applyEditRequest, (params) => applyEdit(edits, params)),
      client.onRequest(openDocumentRequest, openDocument),
      client.onRequest(referencesRequest, references),
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
      status.showFailure(why);
    },
  };
  const log = window.createOutputChannel('twospeed', { log: true });
  const server = new Server(log, listener);
  const newProblems = new NewProblems(edits, () => server.client);
  const session = () => server.client && sessionOf(server.client);

  context.subscriptions.push(
    ...[
      log,
      documentChanges,
      edits,
      modes,
      decorations,
      prompt,
      status,
      originalText,
      refusedAnswers,
      acceptOnSave,
      offerMessages,
      newProblems,
      server,
    ],
    ...trackDocuments(documentChanges, edits),
    ...contexts,
    ...registerCommands(server, originalText, session),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('twospeed.command')) void commands.executeCommand('twospeed.restart');
      else if (change.affectsConfiguration('twospeed')) void server.sendSettings();
    }),
  );
  await server.start();
}

/** Passes changes of documents to `documentChanges` first: `edits` relies on it. */
function trackDocuments(documentChanges: DocumentChanges, edits: Edits): Disposable[] {
  return [
    workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      documentChanges.record(document, contentChanges);
      edits.applyChanges(document, contentChanges);
    }),
    workspace.onDidCloseTextDocument((document) => {
      documentChanges.forget(document);
    }),
  ];
}
