/** Edits that stream in, while somebody types and while nobody does. */

import assert from 'node:assert/strict';

import { commands, EndOfLine, window, workspace } from 'vscode';

import { answer, press, see, seeNoEditRun, type } from './hands';
import { Shop, until } from './shop';

export const streaming: Record<string, () => Promise<void>> = {
  async 'the key switches the mode, and the status bar says so'() {
    await Shop.open();
    await press('Control+Shift+L');
    await see('🧠 Deep · slow');
    await press('Control+Shift+L');
    await see('⚡ Lightning · fast');
  },

  async 'where something is selected the key keeps its old meaning'() {
    const shop = await Shop.open();
    await shop.click('before', 'customer');
    await press('Control+Shift+ArrowRight');
    await press('Control+Shift+L');
    await until('each place that reads the same is selected', () => shop.editor.selections.length === 3);
    await see('⚡ Lightning · fast');
    await shop.click('before', 'RATE'); // else VS Code holds `editorHasSelection` true, even in the next file
  },

  async 'an edit streams in, is exact, and is one undo step of its own'() {
    const shop = await Shop.open();
    const typed = (text: string) => text.replace('RATE = 0.2', 'RATE = 0.2  # mine');
    await shop.append('RATE = 0.2', '  # mine');
    const texts = new Set<string>();
    const watch = workspace.onDidChangeTextDocument(() => texts.add(shop.text));
    await shop.command('total = 0');
    await until('the answer is in', () => shop.text === typed(shop.after));
    await seeNoEditRun();
    watch.dispose();
    assert(texts.size >= 5, `the document changed only ${texts.size.toString()} times`);

    await shop.append('# mine', '!');
    await press('Control+Z');
    await until('that is gone, and nothing else', () => shop.text === typed(shop.after));
    await shop.isSavedAs(typed(shop.after));
    await press('Control+Z');
    await until('the edit is gone, and nothing else', () => shop.text === typed(shop.before));
    await shop.isSavedAs(typed(shop.before));
  },

  async 'what is typed above and inside while it streams stays, and the rest is exact'() {
    await Shop.open();
    await press('Control+Shift+L');
    await see('🧠 Deep · slow');
    for (const lineEnd of ['\n', '\r\n'] as const) {
      const shop = await Shop.open(lineEnd);
      await shop.click('behind', 'if customer:');
      const { end } = await shop.ask();
      await shop.streams();
      await type('  # or nobody');
      for (const key of ['Control+Home', 'ArrowDown', 'ArrowDown', 'End']) await press(key);
      await type('  # of 2026 é 😀');
      await press('Enter');
      await type('SHOP = "ours"');
      shop.isStillStreaming();
      await end;
      const expected = shop.after
        .replace('if customer:', 'if customer:  # or nobody')
        .replace('RATE = 0.2', `RATE = 0.2  # of 2026 é 😀${lineEnd}SHOP = "ours"`);
      await shop.isSavedAs(expected);
    }
    await press('Control+Shift+L');
    await see('⚡ Lightning · fast');
  },

  async 'an edit after the end of line sequence was changed comes once, is exact, and is one undo step'() {
    const changes = [
      ['\n', '\r\n', 'CRLF', EndOfLine.CRLF],
      ['\r\n', '\n', 'LF', EndOfLine.LF],
    ] as const;
    for (const [was, becomes, name, wanted] of changes) {
      const shop = await Shop.open(was);
      const [before, after] = [shop.before, shop.after].map((text) => text.replaceAll(was, becomes));
      assert(before !== undefined && after !== undefined);
      const chosen = commands.executeCommand('workbench.action.editor.changeEOL');
      await answer(name);
      await chosen;
      await until('lines end otherwise', () => shop.editor.document.eol === wanted);
      await shop.click('behind', 'total = 0');
      const { end } = await shop.ask();
      await end;
      await seeNoEditRun();
      await shop.reads(after);
      await shop.isSavedAs(after);
      await press('Control+Z');
      await shop.reads(before);
      await shop.isSavedAs(before);
    }
  },

  async 'line ends that change while an answer streams in are those of all of it'() {
    const shop = await Shop.open();
    await shop.click('behind', 'total = 0');
    const { end } = await shop.ask();
    await shop.streams();
    const isChanged = await shop.editor.edit((edit) => {
      edit.setEndOfLine(EndOfLine.CRLF);
    });
    assert(isChanged);
    shop.isStillStreaming();
    await end;
    await seeNoEditRun();
    await shop.reads(shop.after.replaceAll('\n', '\r\n'));
    await commands.executeCommand('twospeed.reject');
    const before = shop.before.replaceAll('\n', '\r\n');
    await shop.reads(before);
    await shop.isSavedAs(before);
  },

  async 'a caret where the answer is inserted stays where it is'() {
    const shop = await Shop.open();
    const at = await shop.click('before', '    lines = []');
    const { end } = await shop.ask();
    await end;
    assert.equal(shop.text, shop.after);
    assert.deepEqual(shop.caret, at);
    await type('#');
    await shop.isSavedAs(shop.after.replace('    """Lay out', '#    """Lay out'));
  },

  async 'an edit goes on in a file that is not on the screen any more'() {
    const shop = await Shop.open();
    await shop.click('behind', 'total = 0');
    const { end } = await shop.ask();
    await shop.streams();
    await commands.executeCommand('workbench.action.files.newUntitledFile');
    assert(!window.visibleTextEditors.includes(shop.editor));
    shop.isStillStreaming();
    await end;
    await window.showTextDocument(shop.editor.document);
    await shop.isSavedAs(shop.after);
  },

  async 'Escape stops it and puts the old text back'() {
    const shop = await Shop.open();
    await shop.click('behind', 'total = 0');
    const { end } = await shop.ask();
    await shop.streams();
    await press('Escape');
    await end;
    await shop.isSavedAs(shop.before);
  },

  async 'a rejected edit puts the old text back'() {
    const shop = await Shop.open();
    await shop.click('behind', 'total = 0');
    const { end } = await shop.ask();
    await end;
    await commands.executeCommand('twospeed.reject');
    await until('the old text is back', () => shop.text === shop.before);
    await shop.isSavedAs(shop.before);
  },

  async 'a read-only file stays as it is, and the person is told'() {
    const shop = await Shop.open();
    await shop.click('behind', 'total = 0');
    await commands.executeCommand('workbench.action.files.setActiveEditorReadonlyInSession');
    const { end } = await shop.ask();
    await end;
    assert.equal(shop.text, shop.before);
    await commands.executeCommand('notifications.showList');
    await see('the document is read-only');
    await see('⚡ failed · fast');
  },
};
