/** Tests of errors that another extension reports only after an edit. */

import assert from 'node:assert/strict';

import {
  commands,
  Diagnostic,
  DiagnosticSeverity,
  Disposable,
  languages,
  workspace,
  type TextDocument,
} from 'vscode';

import { Shop } from './shop';
import { click, see, seeNoEditRun } from './workbench_client';

const PAUSE_MS = 200;
const LIMIT_MS = 20_000;
const SUM = '    return sum';

/** Reports the lines with "missing" or "return sum" as errors, after a pause. */
function startChecker(document: TextDocument): Disposable {
  const collection = languages.createDiagnosticCollection('checker');
  const check = () => {
    const lines = Array.from({ length: document.lineCount }, (_, line) => document.lineAt(line));
    const found = lines
      .filter(({ text }) => /missing|return sum/.test(text))
      .map(({ range, text }) => {
        const diagnostic = new Diagnostic(range, `wrong: ${text.trim()}`, DiagnosticSeverity.Error);
        diagnostic.source = 'checker';
        return diagnostic;
      });
    collection.set(document.uri, found);
  };
  check();
  const listener = workspace.onDidChangeTextDocument((event) => {
    if (event.document === document) setTimeout(check, PAUSE_MS);
  });
  return Disposable.from(listener, collection);
}

const noted = (shop: Shop, note: string) => shop.before.replace(SUM, `    # ${note}\n${SUM}`);

/** Waits until our diagnostics of the file are these. */
async function untilFindings(shop: Shop, expected: readonly string[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const check = () => {
    if (findings(shop).join('\n') === expected.join('\n')) resolve(undefined);
  };
  const listener = languages.onDidChangeDiagnostics(check);
  const timer = setTimeout(() => {
    resolve(undefined);
  }, LIMIT_MS);
  check();
  await promise;
  clearTimeout(timer);
  listener.dispose();
  assert.deepEqual(findings(shop), expected);
}

/** The messages of our diagnostics. */
const findings = ({ editor }: Shop) =>
  languages
    .getDiagnostics(editor.document.uri)
    .filter(({ source }) => source === 'twospeed')
    .map(({ message }) => message);

export const checking: Record<string, () => Promise<void>> = {
  async 'a new error of another extension is a finding, and a button mends it'() {
    const shop = await Shop.open();
    const checker = startChecker(shop.editor.document);
    try {
      await shop.edit('miss a name', 'owed(items):');
      await shop.untilText(noted(shop, 'missing'));
      await untilFindings(shop, ['checker: wrong: # missing']);
      await commands.executeCommand('notifications.showList');
      await see('has 1 new error since the edit');
      await click('.notification-list-item .monaco-button', 'Mend in ⚡ Lightning');
      await shop.untilText(noted(shop, 'mended'));
      await seeNoEditRun();
      await shop.saveAndCompare(noted(shop, 'mended'));
    } finally {
      checker.dispose();
    }
  },
};
