/** Read-only documents that this extension provides, for comparisons with the text of a file. */

import {
  commands,
  Uri,
  workspace,
  type Disposable,
  type TextDocument,
  type TextDocumentContentProvider,
} from 'vscode';

import { fileName } from '../positions';

/** Provides the documents of one URI scheme. A URI has the path `/FOLDER/FILE NAME` and the query `key`. */
export abstract class ProvidedDocuments implements TextDocumentContentProvider, Disposable {
  /** Disposed with this object. */
  protected readonly parts: { dispose(): unknown }[];

  constructor(readonly scheme: string) {
    this.parts = [workspace.registerTextDocumentContentProvider(scheme, this)];
  }

  dispose(): void {
    for (const each of this.parts) each.dispose();
  }

  abstract provideTextDocumentContent(uri: Uri): string;

  /** The URI ends with the name of `document`, so that VS Code uses the same language. A peek shows the folder too. */
  protected uriOf(document: TextDocument, folder: string, key: string): Uri {
    return Uri.from({ scheme: this.scheme, path: `/${folder}/${fileName(document.uri)}`, query: key });
  }
}

/** Opens the diff editor. */
export async function openDiff(left: Uri, right: Uri, title: string): Promise<void> {
  await commands.executeCommand('vscode.diff', left, right, title);
}
