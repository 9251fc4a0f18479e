/** Tests of streamed edits, with and without typing. */

import assert from 'node:assert/strict';

import { commands, EndOfLine, window, workspace } from 'vscode';

import { answer, press, see, seeNoEditRun, type } from './workbench_client';
import { Shop, until } from './shop';

export const streaming: Record<string, () => Promise<void>> = {
  async 'the mode key switches the mode in the status bar'() {
    await Shop.open();
    await press('Control+Shift+L');
    await see('🧠 Deep · slow');
    await press('Control+Shift+L');
    await see('⚡🧠 Both · fast · slow');
    await press('Control+Shift+L');
    await see('⚡ Lightning · fast');
  },

  async 'with a selection the mode key keeps its VS Code meaning'() {
    const shop = await Shop.open();
    await shop.click('before', 'customer');
    await press('Control+Shift+ArrowRight');
    await press('Control+Shift+L');
    await until('all occurrences are selected', () => shop.editor.selections.length === 3);
    await see('⚡ Lightning · fast');
    await shop.click('before', 'RATE'); // else VS Code keeps `editorHasSelection` true, even in the next file
  },

  async 'a streamed edit is exact and a separate undo step'() {
    const shop = await Shop.open();
    const typed = (text: string) => text.replace('RATE = 0.2', 'RATE = 0.2  # mine');
    await shop.append('RATE = 0.2', '  # mine');
    const texts = new Set<string>();
    const watch = workspace.onDidChangeTextDocument(() => texts.add(shop.text));
    await shop.command('total = 0');
    await until('the answer is applied', () => shop.text === typed(shop.after));
    await seeNoEditRun();
    watch.dispose();
    assert(texts.size >= 5, `the document changed only ${texts.size.toString()} times`);

    await shop.append('# mine', '!');
    await press('Control+Z');
    await until('only the typed text is undone', () => shop.text === typed(shop.after));
    await shop.saveAndCompare(typed(shop.after));
    await press('Control+Z');
    await until('only the edit is undone', () => shop.text === typed(shop.before));
    await shop.saveAndCompare(typed(shop.before));
  },

  async 'text typed above and inside a streamed edit stays, and the rest is exact'() {
    await Shop.open();
    await press('Control+Shift+L');
    await see('🧠 Deep · slow');
    for (const lineEnd of ['\n', '\r\n'] as const) {
      const shop = await Shop.open(lineEnd);
      await shop.click('after', 'if customer:');
      const { end } = await shop.requestEdit();
      await shop.untilStreaming();
      await type('  # or nobody');
      for (const key of ['Control+Home', 'ArrowDown', 'ArrowDown', 'End']) await press(key);
      await type('  # of 2026 é 😀');
      await press('Enter');
      await type('SHOP = "ours"');
      shop.checkStreaming();
      await end;
      const expected = shop.after
        .replace('if customer:', 'if customer:  # or nobody')
        .replace('RATE = 0.2', `RATE = 0.2  # of 2026 é 😀${lineEnd}SHOP = "ours"`);
      await shop.saveAndCompare(expected);
    }
    await commands.executeCommand('twospeed.setMode', 'lightning');
    await see('⚡ Lightning · fast');
  },

  async 'an edit after a change of the line ends is applied once, exactly, as one undo step'() {
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
      await shop.click('after', 'total = 0');
      const { end } = await shop.requestEdit();
      await end;
      await seeNoEditRun();
      await shop.untilText(after);
      await shop.saveAndCompare(after);
      await press('Control+Z');
      await shop.untilText(before);
      await shop.saveAndCompare(before);
    }
  },

  async 'line ends changed during an edit apply to the whole answer'() {
    const shop = await Shop.open();
    await shop.click('after', 'total = 0');
    const { end } = await shop.requestEdit();
    await shop.untilStreaming();
    const isChanged = await shop.editor.edit((edit) => {
      edit.setEndOfLine(EndOfLine.CRLF);
    });
    assert(isChanged);
    shop.checkStreaming();
    await end;
    await seeNoEditRun();
    await shop.untilText(shop.after.replaceAll('\n', '\r\n'));
    await commands.executeCommand('twospeed.reject');
    const before = shop.before.replaceAll('\n', '\r\n');
    await shop.untilText(before);
    await shop.saveAndCompare(before);
  },

  async 'a caret at the insertion point of the answer keeps its position'() {
    const shop = await Shop.open();
    const at = await shop.click('before', '    lines = []');
    const { end } = await shop.requestEdit();
    await end;
    assert.equal(shop.text, shop.after);
    assert.deepEqual(shop.caret, at);
    await type('#');
    await shop.saveAndCompare(shop.after.replace('    """Lay out', '#    """Lay out'));
  },

  async 'an edit continues in a hidden file'() {
    const shop = await Shop.open();
    await shop.click('after', 'total = 0');
    const { end } = await shop.requestEdit();
    await shop.untilStreaming();
    await commands.executeCommand('workbench.action.files.newUntitledFile');
    assert(!window.visibleTextEditors.includes(shop.editor));
    shop.checkStreaming();
    await end;
    await window.showTextDocument(shop.editor.document);
    await shop.saveAndCompare(shop.after);
  },

  async 'Escape cancels an edit and restores the old text'() {
    const shop = await Shop.open();
    await shop.click('after', 'total = 0');
    const { end } = await shop.requestEdit();
    await shop.untilStreaming();
    await press('Escape');
    await end;
    await shop.saveAndCompare(shop.before);
  },

  async 'reject restores the old text'() {
    const shop = await Shop.open();
    await shop.click('after', 'total = 0');
    const { end } = await shop.requestEdit();
    await end;
    await commands.executeCommand('twospeed.reject');
    await until('the old text is restored', () => shop.text === shop.before);
    await shop.saveAndCompare(shop.before);
  },

  async 'a read-only file stays unchanged, and a message reports it'() {
    const shop = await Shop.open();
    await shop.click('after', 'total = 0');
    await commands.executeCommand('workbench.action.files.setActiveEditorReadonlyInSession');
    const { end } = await shop.requestEdit();
    await end;
    assert.equal(shop.text, shop.before);
    await commands.executeCommand('notifications.showList');
    await see('the document is read-only');
    await see('⚡ failed · fast');
  },
};
