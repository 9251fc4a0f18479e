/** Tests of the review: hunks, removed lines, further answers and findings. */

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

import { answer, click, press, see, seeAt, seeFocus, seeMarks, seeNoEditRun } from './workbench_client';
import { INSTRUCTION, Shop, until } from './shop';

const OWED = 'owed(items):';
const SUM = '    return sum';

/** The text with a note above the sum. */
const noted = (shop: Shop, note: string) => shop.before.replace(SUM, `    # ${note}\n${SUM}`);

const IMPORT = 'from decimal import Decimal\n';

/** The text with an edit of `owed` that needs an import, without the import. */
const exact = (shop: Shop) =>
  shop.before.replace('sum(item.price for item in items)', 'Decimal(sum(item.price for item in items))');

/** The text with the import of that edit. */
const imported = (text: string) => text.replace('RATE', `${IMPORT}\nRATE`);

/** The text with the refused answer. */
const withElided = (shop: Shop) =>
  shop.before
    .replace('    lines = []\n    total = 0\n', '    # ... as before\n')
    .replace('item.name', 'entry.name')
    .replace('item.price', 'entry.price');

/** The titles of open diff editors. */
const diffTitles = () =>
  window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => input instanceof TabInputTextDiff)
    .map(({ label }) => label);

/** Waits until a diff shows the file next to the text with the refused answer. */
async function seeDiff(shop: Shop): Promise<void> {
  const name = shop.editor.document.uri.path.split('/').at(-1) ?? '';
  await seeAt('.tab.active', `${name} (refused answer)`);
  await seeAt('.editor.modified .view-line', '# ... as before');
  await seeAt('.editor.original .view-line', 'total = 0');
  const texts = window.visibleTextEditors.map(({ document }) => document.getText());
  assert.deepEqual(texts, [shop.before, withElided(shop)]);
  assert.deepEqual(diffTitles(), [`${name} (refused answer)`]);
}

export const reviewing: Record<string, () => Promise<void>> = {
  async 'keys visit the changes and decide the one at the caret'() {
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
    await until('the change is rejected', () => shop.text.includes('"total " + str(total)'));
    await press('Shift+F7');
    await press('Alt+Enter');
    await see('⚡ 1 change · fast');
    assert.equal((await shop.hunks()).length, 1);
    await press('Shift+Alt+Delete');
    await until('the other changes are rejected', () => !shop.text.includes('Lay out what was bought'));
    const body = / {8}price = .*?total \+= price\n/s.exec(shop.after)?.[0] ?? '';
    const oldBody = '        lines.append(item.name)\n        total += item.price\n';
    await shop.saveAndCompare(shop.before.replace(oldBody, body));
  },

  async 'a click above a change decides it, and a click in the title bar decides all'() {
    const shop = await Shop.open();
    await shop.edit(INSTRUCTION);
    await click('.codelens-decoration a', '⚡ Reject 1/3');
    await until('the change is rejected', () => !shop.text.includes('Lay out what was bought'));
    await click('.codelens-decoration a', '⚡ Accept 1/2');
    await see('⚡ 1 change · fast');
    await click('.editor-actions a[aria-label^="Accept Edit"]', '');
    await see('⚡ +');
    assert.deepEqual(await shop.hunks(), []);
    await shop.saveAndCompare(shop.text);
  },

  async 'a key accepts the whole edit'() {
    const shop = await Shop.open();
    await shop.edit(INSTRUCTION);
    await press('Shift+Alt+Enter');
    await see('⚡ +');
    await seeMarks({ painted: 0 });
    assert.deepEqual(await shop.hunks(), []);
    await shop.saveAndCompare(shop.after);
  },

  async 'an import that lands with an edit is marked, counted, visited and decided like its other changes'() {
    const shop = await Shop.open();
    await shop.edit('bring an import', OWED);
    await shop.untilText(imported(exact(shop)));
    await see('⚡ 2 changes · fast');
    await seeMarks({ painted: 3 });
    assert.deepEqual(
      (await shop.hunks()).map(({ line }) => line),
      [2, 20],
    );
    await shop.click('before', '"""What');
    await press('F7');
    await until('the caret is on the import', () => shop.caret.line === 2);
    await press('Alt+Delete');
    await shop.untilText(exact(shop));
    await see('⚡ 1 change · fast');
    await press('Shift+Alt+Delete');
    await shop.untilText(shop.before);
    await shop.saveAndCompare(shop.before);
  },

  async 'an edit with an import is one undo step and one redo step'() {
    const shop = await Shop.open();
    await shop.edit('bring an import', OWED);
    await press('Control+Z');
    await shop.untilText(shop.before);
    await press('Control+Shift+Z');
    await shop.untilText(imported(exact(shop)));
    await shop.saveAndCompare(imported(exact(shop)));
  },

  async 'reject at an import rejects its edit and no newer one'() {
    const shop = await Shop.open();
    await shop.edit('bring an import', OWED);
    await shop.edit('drop the name');
    await shop.click('before', IMPORT);
    await press('Shift+Alt+Delete');
    const name = '    if customer:\n        lines.append("für " + customer)\n';
    await shop.untilText(shop.before.replace(name, ''));
    await shop.saveAndCompare(shop.before.replace(name, ''));
  },

  async 'an edit is verified after it was saved, and mended by Deep'() {
    const shop = await Shop.open();
    const name = shop.editor.document.uri.path.split('/').at(-1) ?? '';
    const verify = async (message: string, output?: string) => {
      await commands.executeCommand('twospeed.verify');
      await commands.executeCommand('notifications.showList');
      await see(message);
      if (output !== undefined) await seeAt('.tab.active', output); // else it would cover the file later
      await commands.executeCommand('notifications.clearAll');
      await window.showTextDocument(shop.editor.document);
      await seeFocus();
    };
    await shop.edit('bring an import', OWED);
    await verify(`save ${name} first`);
    await shop.saveAndCompare(imported(exact(shop)));
    await verify(`${name} failed check (exit status 1)`, 'output-1.txt');
    await commands.executeCommand('twospeed.mend');
    await until('the edit is mended', () => shop.text.includes('# mended'));
    await seeNoEditRun();
    await see('🧠 1 change · slow');
    await shop.saveAndCompare(shop.text);
    await verify(`Verified ${name}: check passed`);
  },

  async 'removed lines are marked at their position and shown on demand'() {
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
    await shop.untilText(shop.before);
    await seeMarks({ edges: 0 });
    await shop.saveAndCompare(shop.before);
  },

  async 'the hover of a change shows its removed lines and actions'() {
    const shop = await Shop.open();
    await shop.edit(INSTRUCTION);
    await press('Shift+F7');
    await press('Shift+F7');
    await until('the caret is on the change', () => shop.caret.line === 25);
    await commands.executeCommand('editor.action.showHover');
    await seeAt('.monaco-hover', 'lines.append("total " + str(total))');
    await click('.monaco-hover a', 'Reject');
    await until('the change is rejected', () => shop.text.includes('"total " + str(total)'));
    await see('⚡ 2 changes · fast');
    await press('Escape');
    await shop.saveAndCompare(shop.text);
  },

  async 'an automatic save accepts nothing, and a save by the user accepts'() {
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
    await shop.saveAndCompare(shop.after);
    await see('⚡ +18 −3');
  },

  async 'an edit is retried in the other mode'() {
    const shop = await Shop.open();
    await shop.edit('say the mode', OWED);
    await shop.untilText(noted(shop, 'fast'));
    await commands.executeCommand('twospeed.retry');
    await shop.untilText(noted(shop, 'slow'));
    await seeNoEditRun();
    await shop.saveAndCompare(noted(shop, 'slow'));
  },

  async 'the last instruction is repeated at another position'() {
    const shop = await Shop.open();
    await shop.edit('say the mode', OWED);
    await shop.saveAndCompare(noted(shop, 'fast'));
    const other = await Shop.open();
    await other.click('after', OWED);
    await commands.executeCommand('twospeed.repeat');
    await other.untilText(noted(other, 'fast'));
    await seeNoEditRun();
    await other.saveAndCompare(noted(other, 'fast'));
  },

  async 'a follow-up names the earlier edit'() {
    const shop = await Shop.open();
    await shop.edit('say the mode', OWED);
    const end = commands.executeCommand('twospeed.followUp');
    await see('⚡ Follow up · function owed');
    await answer('go on');
    await end;
    await shop.untilText(noted(shop, 'after it'));
    await seeNoEditRun();
    await shop.saveAndCompare(noted(shop, 'after it'));
  },

  async 'several answers are requested at once, and keys switch between them'() {
    const shop = await Shop.open();
    await shop.click('after', OWED);
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
    await until('another answer is applied', () => shop.text !== first && /# answer \d+/.test(shop.text));
    const second = shop.text;
    await press('Alt+[');
    await shop.untilText(first);
    assert.notEqual(second, first);
    await shop.saveAndCompare(first);
  },

  async 'a refused answer is reported, with a button to retry in Deep'() {
    const shop = await Shop.open();
    await shop.edit('break it', OWED);
    assert.equal(shop.text, shop.before);
    await commands.executeCommand('notifications.showList');
    await click('.notification-list-item .monaco-button', 'Retry in 🧠 Deep');
    await shop.untilText(noted(shop, 'mended'));
    await seeNoEditRun();
    await shop.saveAndCompare(noted(shop, 'mended'));
  },

  async 'a refused answer is shown next to the text, applied anyway, and rejected'() {
    const shop = await Shop.open();
    await shop.edit('leave it out');
    assert.equal(shop.text, shop.before);
    await commands.executeCommand('notifications.showList');
    await see('the model says: The beginning stays.');
    await click('.notification-list-item .monaco-button', 'Show the Answer');
    await seeDiff(shop);
    await click('.editor-actions a[aria-label^="Apply Refused Answer Anyway"]', '');
    await shop.untilText(withElided(shop));
    await see('changes · fast');
    assert.deepEqual(diffTitles(), []);
    assert.equal(window.activeTextEditor?.document, shop.editor.document);
    await press('Shift+Alt+Delete');
    await shop.untilText(shop.before);
    await seeMarks({ painted: 0 });
    await shop.saveAndCompare(shop.before);
  },

  async 'an applied refused answer is one undo step'() {
    const shop = await Shop.open();
    await shop.edit('leave it out');
    await commands.executeCommand('notifications.showList');
    await click('.notification-list-item .monaco-button', 'Apply Anyway');
    await shop.untilText(withElided(shop));
    await see('changes · fast');
    await press('Control+Z');
    await shop.untilText(shop.before);
    await shop.saveAndCompare(shop.before);
  },

  async 'a code action shows a refused answer, and a command applies it'() {
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
    await seeDiff(shop);
    await commands.executeCommand('twospeed.applyAnyway');
    await shop.untilText(withElided(shop));
    await see('changes · fast');
    await shop.saveAndCompare(withElided(shop));
  },

  async 'findings of checks and of a review by Deep are diagnostics'() {
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
    await shop.saveAndCompare(noted(shop, 'note'));
  },

  async 'the menu of the status bar has the actions of an edit'() {
    const shop = await Shop.open();
    await shop.edit(INSTRUCTION);
    await click('.statusbar-item', '3 changes');
    await see('Accept');
    await see('Follow Up…');
    await answer('Reject');
    await shop.untilText(shop.before);
    await shop.saveAndCompare(shop.before);
  },
};
