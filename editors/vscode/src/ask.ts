/** The command `twospeed.ask`: one instruction for the selection, or for what the cursor is in. */

import { window } from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

import { editRequest, prepareRequest, type EditResult, type PrepareParams } from './protocol';

/**
 * Asks the person, then the server; says how it ended where the text does not show it. While the person types, the
 * model reads the file.
 */
export async function ask(client: LanguageClient): Promise<void> {
  const editor = window.activeTextEditor;
  if (editor === undefined) return;
  const convert = client.code2ProtocolConverter;
  const lines = (): PrepareParams => ({
    textDocument: convert.asVersionedTextDocumentIdentifier(editor.document),
    range: convert.asRange(editor.selection),
  });
  client.sendRequest(prepareRequest, lines()).catch(() => undefined); // the edit says what is wrong
  const instruction = await window.showInputBox({
    title: 'twospeed',
    placeHolder: 'What to change, such as: add error handling',
    ignoreFocusOut: true,
  });
  if (!instruction?.trim()) return;
  const result = await client.sendRequest(editRequest, { ...lines(), instruction });
  const message = remark(result);
  if (message !== undefined) void window.showWarningMessage(`twospeed: ${message}`);
}

function remark({ outcome, reason, conflicts }: EditResult): string | undefined {
  if (outcome === 'cancelled') return undefined;
  if (outcome === 'unchanged') return 'nothing had to be changed';
  if (conflicts.length > 0) return 'lines you have typed in stayed as you typed them';
  return reason?.message;
}
