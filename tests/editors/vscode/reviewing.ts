/** Looking over an edit: hunks, lines that are gone, other answers, and what the checks say. */

import assert from 'node:assert/strict';

import {
  commands,
  ConfigurationTarget,
  DiagnosticSeverity,
  languages,
  TabInputTextDiff,
  window,
  workspace,
  type CodeAction,
} from 'vscode';

import { answer, click, press, see, seeAt, seeMarks, seeNoEditRun } from './hands';
import { INSTRUCTION, Shop, until } from './shop';

const OWED = 'owed(items):';
const SUM = '    return sum';

/** The file with a note above the sum. */
const noted = (shop: Shop, note: string) => shop.before.replace(SUM, `    # ${note}\n${SUM}`);

/** The file with the answer that was refused. */
const withElided = (shop: Shop) =>
  shop.before
    .replace('    lines = []\n    total = 0\n', '    # ... as before\n')
    .replace('item.name', 'entry.name')
    .replace('item.price', 'entry.price');

/** The differences that are open, by their titles. */
const differences = () =>
  window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => input instanceof TabInputTextDiff)
    .map(({ label }) => label);

/** Waits until the file is shown beside what the refused answer would have made of it. */
async function seeDifference(shop: Shop): Promise<void> {
  const name = shop.editor.document.uri.path.split('/').at(-1) ?? '';
  await seeAt('.tab.active', `${name} (refused answer)`);
  await seeAt('.editor.modified .view-line', '# ... as before');
  await seeAt('.editor.original .view-line', 'total = 0');
  const texts = window.visibleTextEditors.map(({ document }) => document.getText());
  assert.deepEqual(texts, [shop.before, withElided(shop)]);
  assert.deepEqual(differences(), [`${name} (refused answer)`]);
}

export const reviewing: Record<string, () => Promise<void>> = {
  async 'keys go from change to change, and decide on the one at the caret'() {
    const shop = await Shop.open();
    await shop.edit(INSTRUCTION);
    const hunks = await shop.hunks();
    assert.deepEqual(
      hunks.map(({ line }) => line),
      [6, 20, 25],
    );
    await shop.click('before', 'RATE');
    for (const { line } of [...hunks, ...hunks.slice(0, 1)]) {
      await press('F7');
      await until('the caret is on the next change', () => shop.caret.line === line);
    }
    await press('Shift+F7');
    await until('the caret is on the last change', () => shop.caret.line === hunks.at(-1)?.line);
    await press('Alt+Delete');
    await until('it is taken back', () => shop.text.includes('"total " + str(total)'));
    await press('Shift+F7');
    await press('Alt+Enter');
    await see('⚡ 1 change · fast');
    assert.equal((await shop.hunks()).length, 1);
    await press('Shift+Alt+Delete');
    await until('the rest is taken back', () => !shop.text.includes('Lay out what was bought'));
    const body = / {8}price = .*?total \+= price\n/s.exec(shop.after)?.[0] ?? '';
    const oldBody = '        lines.append(item.name)\n        total += item.price\n';
    await shop.isSavedAs(shop.before.replace(oldBody, body));
  },

  async 'a click above a change decides on it, and one in the title bar on all of them'() {
    const shop = await Shop.open();
    await shop.edit(INSTRUCTION);
    await click('.codelens-decoration a', '⚡ Reject 1/3');
    await until('it is taken back', () => !shop.text.includes('Lay out what was bought'));
    await click('.codelens-decoration a', '⚡ Accept 1/2');
    await see('⚡ 1 change · fast');
    await click('.editor-actions a[aria-label^="Accept Edit"]', '');
    await see('⚡ +');
    assert.deepEqual(await shop.hunks(), []);
    await shop.isSavedAs(shop.text);
  },

  async 'a key accepts the whole edit, and nothing is left to decide'() {
    const shop = await Shop.open();
    await shop.edit(INSTRUCTION);
    await press('Shift+Alt+Enter');
    await see('⚡ +');
    await seeMarks({ painted: 0 });
    assert.deepEqual(await shop.hunks(), []);
    await shop.isSavedAs(shop.after);
  },

  async 'lines that are gone are marked where they stood, and shown on demand'() {
    const shop = await Shop.open();
    await shop.edit('drop the name');
    await seeMarks({ edges: 1, painted: 0 });
    await press('F7');
    await commands.executeCommand('twospeed.removed');
    await seeAt('.peekview-widget .view-line', 'lines.append("für " + customer)');
    await press('Escape');
    await commands.executeCommand('twospeed.compare');
    await until('both sides are shown', () => window.visibleTextEditors.length === 2);
    const before = window.visibleTextEditors.find(({ document }) => document !== shop.editor.document);
    assert.equal(before?.document.getText(), shop.before);
    await commands.executeCommand('workbench.action.closeActiveEditor');
    await window.showTextDocument(shop.editor.document);
    await commands.executeCommand('twospeed.reject');
    await shop.reads(shop.before);
    await seeMarks({ edges: 0 });
    await shop.isSavedAs(shop.before);
  },

  async 'a change says what it took away, and what can be done about it'() {
    const shop = await Shop.open();
    await shop.edit(INSTRUCTION);
    await press('Shift+F7');
    await press('Shift+F7');
    await until('the caret is on the change', () => shop.caret.line === 25);
    await commands.executeCommand('editor.action.showHover');
    await seeAt('.monaco-hover', 'lines.append("total " + str(total))');
    await click('.monaco-hover a', 'Reject');
    await until('it is taken back', () => shop.text.includes('"total " + str(total)'));
    await see('⚡ 2 changes · fast');
    await press('Escape');
    await shop.isSavedAs(shop.text);
  },

  async 'a file that saves itself accepts nothing; a person who saves does'() {
    const shop = await Shop.open();
    const files = workspace.getConfiguration('files');
    const isSaved = Promise.withResolvers<undefined>();
    const listener = workspace.onDidSaveTextDocument(() => {
      isSaved.resolve(undefined);
    });
    await files.update('autoSave', 'onFocusChange', ConfigurationTarget.Global);
    await shop.edit(INSTRUCTION);
    await commands.executeCommand('workbench.action.focusSideBar');
    await isSaved.promise;
    listener.dispose();
    await files.update('autoSave', 'off', ConfigurationTarget.Global);
    await window.showTextDocument(shop.editor.document);
    await see('⚡ 3 changes · fast');
    assert.equal((await shop.hunks()).length, 3);
    await shop.isSavedAs(shop.after);
    await see('⚡ +18 −3');
  },

  async 'an edit is made again in the other mode'() {
    const shop = await Shop.open();
    await shop.edit('say the mode', OWED);
    await shop.reads(noted(shop, 'fast'));
    await commands.executeCommand('twospeed.retry');
    await shop.reads(noted(shop, 'slow'));
    await seeNoEditRun();
    await shop.isSavedAs(noted(shop, 'slow'));
  },

  async 'the last words are said again somewhere else'() {
    const shop = await Shop.open();
    await shop.edit('say the mode', OWED);
    await shop.isSavedAs(noted(shop, 'fast'));
    const other = await Shop.open();
    await other.click('behind', OWED);
    await commands.executeCommand('twospeed.repeat');
    await other.reads(noted(other, 'fast'));
    await seeNoEditRun();
    await other.isSavedAs(noted(other, 'fast'));
  },

  async 'words that follow up on an edit know of it'() {
    const shop = await Shop.open();
    await shop.edit('say the mode', OWED);
    const end = commands.executeCommand('twospeed.followUp');
    await see('⚡ Follow up · function owed');
    await answer('go on');
    await end;
    await shop.reads(noted(shop, 'after it'));
    await seeNoEditRun();
    await shop.isSavedAs(noted(shop, 'after it'));
  },

  async 'several answers are asked for at once, and keys go through them'() {
    const shop = await Shop.open();
    await shop.click('behind', OWED);
    const end = commands.executeCommand('twospeed.askForAnswers');
    await see('how many answers?');
    await press('Enter');
    await see('⚡ Edit · function owed, 2 lines · 2 answers');
    await answer('vary it');
    await end;
    const first = shop.text;
    assert.match(first, /# answer \d+/);
    await seeNoEditRun();
    await press('Alt+]');
    await until('another answer is there', () => shop.text !== first && /# answer \d+/.test(shop.text));
    const second = shop.text;
    await press('Alt+[');
    await shop.reads(first);
    assert.notEqual(second, first);
    await shop.isSavedAs(first);
  },

  async 'an answer that cannot be used is said, and Deep is a click away'() {
    const shop = await Shop.open();
    await shop.edit('break it', OWED);
    assert.equal(shop.text, shop.before);
    await commands.executeCommand('notifications.showList');
    await click('.notification-list-item .monaco-button', 'Retry in 🧠 Deep');
    await shop.reads(noted(shop, 'mended'));
    await seeNoEditRun();
    await shop.isSavedAs(noted(shop, 'mended'));
  },

  async 'a refused answer is shown beside the text, applied all the same, and rejected'() {
    const shop = await Shop.open();
    await shop.edit('leave it out');
    assert.equal(shop.text, shop.before);
    await commands.executeCommand('notifications.showList');
    await see('the model says: The beginning stays.');
    await click('.notification-list-item .monaco-button', 'Show the Answer');
    await seeDifference(shop);
    await click('.editor-actions a[aria-label^="Apply Refused Answer Anyway"]', '');
    await shop.reads(withElided(shop));
    await see('changes · fast');
    assert.deepEqual(differences(), []);
    assert.equal(window.activeTextEditor?.document, shop.editor.document);
    await press('Shift+Alt+Delete');
    await shop.reads(shop.before);
    await seeMarks({ painted: 0 });
    await shop.isSavedAs(shop.before);
  },

  async 'a refused answer that is applied is one undo step'() {
    const shop = await Shop.open();
    await shop.edit('leave it out');
    await commands.executeCommand('notifications.showList');
    await click('.notification-list-item .monaco-button', 'Apply Anyway');
    await shop.reads(withElided(shop));
    await see('changes · fast');
    await press('Control+Z');
    await shop.reads(shop.before);
    await shop.isSavedAs(shop.before);
  },

  async 'a refused answer is shown by the light bulb, and applied from the palette'() {
    const shop = await Shop.open();
    await shop.edit('leave it out');
    const { document, selection } = shop.editor;
    const actions = await commands.executeCommand<CodeAction[]>(
      'vscode.executeCodeActionProvider',
      document.uri,
      selection,
    );
    const { command } = actions.find(({ title }) => title === '⚡ Show the refused answer') ?? {};
    assert(command);
    await commands.executeCommand(command.command, ...((command.arguments ?? []) as unknown[]));
    await seeDifference(shop);
    await commands.executeCommand('twospeed.applyAnyway');
    await shop.reads(withElided(shop));
    await see('changes · fast');
    await shop.isSavedAs(withElided(shop));
  },

  async 'what the checks notice is among the problems, and so is what Deep finds'() {
    const shop = await Shop.open();
    await shop.edit('hide something', OWED);
    const problems = () => languages.getDiagnostics(shop.editor.document.uri);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const listener = languages.onDidChangeDiagnostics(() => {
      if (problems().length > 1) resolve(undefined);
    });
    await commands.executeCommand('twospeed.review');
    await promise;
    listener.dispose();
    assert.deepEqual(
      problems().map(({ source, code, severity }) => [source, code, severity]),
      [
        ['twospeed', 'hidden-characters', DiagnosticSeverity.Warning],
        ['twospeed', 'review', DiagnosticSeverity.Warning],
      ],
    );
    await shop.isSavedAs(noted(shop, 'note'));
  },

  async 'the menu behind the status bar has what can be done'() {
    const shop = await Shop.open();
    await shop.edit(INSTRUCTION);
    await click('.statusbar-item', '3 changes');
    await see('Accept');
    await see('Follow Up…');
    await answer('Reject');
    await shop.reads(shop.before);
    await shop.isSavedAs(shop.before);
  },
};
