/** The server: how it is started, and what it is told about this editor. */

import { workspace } from 'vscode';
import { LanguageClient, type StaticFeature } from 'vscode-languageclient/node';

import { clientFeatures } from './protocol';

/** Makes the client of a server that is not started yet. */
export function createClient(): LanguageClient {
  const [command = 'twospeed', ...args] = workspace.getConfiguration('twospeed').get<string[]>('command', []);
  const client = new LanguageClient(
    'twospeed',
    'twospeed',
    { command, args: [...args, 'serve', '--stdio'] },
    {
      documentSelector: [{ scheme: 'file' }, { scheme: 'untitled' }],
      // What this editor is set to is its own business: the server has a config of its own.
      middleware: { workspace: { configuration: ({ items }) => items.map(() => null) } },
    },
  );
  client.registerFeature(announcement);
  return client;
}

const announcement: StaticFeature = {
  fillClientCapabilities(capabilities) {
    const others = capabilities.experimental as Record<string, unknown> | undefined;
    capabilities.experimental = { ...others, twospeed: clientFeatures };
  },
  initialize() {
    // Nothing depends on what the server answers.
  },
  getState: () => ({ kind: 'static' }),
  clear() {
    // Nothing is kept.
  },
};
