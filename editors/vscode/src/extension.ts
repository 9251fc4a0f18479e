/** Where VS Code comes in. */

import { commands, type ExtensionContext } from 'vscode';

import { applyEdit } from './applyEdit';
import { ask } from './ask';
import { createClient } from './client';
import { applyEditRequest, editChanged, modeChanged, statusRequest } from './protocol';
import { modeOf, Status } from './status';

/**
 * Starts the server.
 *
 * Its own commands (`twospeed.toggleMode`, `cancel`, `accept`, `reject`) need no code here: the library registers what
 * the server names, and package.json gives them titles and keys.
 */
export async function activate(context: ExtensionContext): Promise<void> {
  const client = createClient();
  const status = new Status();
  context.subscriptions.push(
    client,
    status,
    client.onRequest(applyEditRequest, (shipment) => applyEdit(client, shipment)),
    client.onNotification(modeChanged, (state) => {
      status.showMode(state);
    }),
    client.onNotification(editChanged, (edit) => {
      status.showEdit(edit);
    }),
    commands.registerCommand('twospeed.ask', () => ask(client)),
  );
  await client.start();
  await commands.executeCommand('setContext', 'twospeed.ready', true);
  const mode = modeOf(await client.sendRequest(statusRequest, {}));
  if (mode) status.showMode(mode);
}
