/** `twospeed/openDocument` and `twospeed/references`: with them the server updates the callers of a definition. */

import { commands, Uri, workspace, type Location } from 'vscode';

import { asPosition, documentAt, lspRange } from '../positions';
import type { Location as LspLocation, OpenDocumentParams, ReferencesParams } from '../protocol';

/** Opens a file without an editor. VS Code shows it in a tab once an edit has changed it. */
export async function openDocument({ textDocument }: OpenDocumentParams): Promise<object> {
  await workspace.openTextDocument(Uri.parse(textDocument.uri, true));
  return {};
}

/** The references that other extensions report for a name; `null` if the document has another version. */
export async function references(params: ReferencesParams): Promise<LspLocation[] | null> {
  const { uri, version } = params.textDocument;
  const document = documentAt(uri);
  if (document?.version !== version) return null;
  const found = await commands.executeCommand<Location[]>(
    'vscode.executeReferenceProvider',
    document.uri,
    asPosition(params.position),
  );
  return found.map(({ uri, range }) => ({ uri: uri.toString(), range: lspRange(range) }));
}
