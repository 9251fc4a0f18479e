/** Tests of the prompt: its text, keys and scope. */

import assert from 'node:assert/strict';

import { commands } from 'vscode';

import { press, see, seeMarks, seeMarksGrow, seeNo, seeNoEditRun, type } from './workbench_client';
import { INSTRUCTION, Shop, until } from './shop';

export const prompting: Record<string, () => Promise<void>> = {
  async 'the prompt shows mode, model and scope, and keys change them'() {
    const shop = await Shop.open();
    await shop.click('after', 'total = 0');
    await press('Alt+K');
    await see('⚡ Edit · function receipt, 10 lines · fast');
    await seeMarks({ painted: 10 });
    await press('Alt+ArrowUp');
    await see('⚡ Edit · file, 19 lines · fast');
    await seeMarks({ painted: 19 });
    await press('Alt+ArrowDown');
    await press('Control+Shift+L');
    await see('🧠 Edit · function receipt, 10 lines · slow');
    await press('Control+Shift+L');
    await see('⚡🧠 Edit · function receipt, 10 lines · fast · slow');
    await press('Control+Shift+L');
    await see('⚡ Edit · function receipt, 10 lines · fast');
    await press('Escape');
    await seeNo('⚡ Edit');
    await seeMarks({ painted: 0 });
    await shop.saveAndCompare(shop.before);
  },

  async 'an edit uses the scope chosen in the prompt'() {
    const shop = await Shop.open();
    await shop.click('after', 'total = 0');
    await press('Alt+K');
    await see('function receipt');
    await press('Alt+ArrowUp');
    await see('file, 19 lines');
    await type('whole file');
    await press('Enter');
    await shop.untilText(shop.before.replace('0.2', '0.25'));
    await seeNoEditRun();
    await shop.saveAndCompare(shop.before.replace('0.2', '0.25'));
  },

  async 'an edit of a selection changes only the selection'() {
    const shop = await Shop.open();
    await shop.click('before', 'RATE');
    await press('Shift+End');
    await press('Alt+K');
    await see('⚡ Edit · selection, 1 line · fast');
    await seeMarks({ painted: 1 });
    await type('only the rate');
    await press('Enter');
    await shop.untilText(shop.before.replace('0.2', '0.25'));
    await seeNoEditRun();
    await shop.click('before', 'def'); // else VS Code keeps `editorHasSelection` true, even in the next file
    await shop.saveAndCompare(shop.before.replace('0.2', '0.25'));
  },

  async 'arrow keys return earlier instructions and the typed text'() {
    const shop = await Shop.open();
    await shop.edit('vary it', 'owed(items):');
    await shop.saveAndCompare(shop.text);
    await press('Alt+K');
    await see('⚡ Edit');
    await type('and then');
    await press('ArrowUp');
    await press('ArrowUp');
    await press('ArrowDown');
    await press('ArrowDown');
    await type(' go on');
    await press('ArrowUp');
    const before = shop.text;
    await press('Enter');
    await until('the earlier edit is made again', () => shop.text !== before);
    await seeNoEditRun();
    assert.match(shop.text, /# answer \d/);
    await press('Alt+K');
    await see('⚡ Edit');
    await press('ArrowUp');
    await press('Escape');
    await shop.saveAndCompare(shop.text);
  },

  async 'streamed lines and the scope of a running edit are marked'() {
    const shop = await Shop.open();
    await shop.click('after', 'total = 0');
    const { end } = await shop.requestEdit();
    await shop.untilStreaming();
    await seeMarksGrow({ painted: 8, bars: 12 });
    shop.checkStreaming();
    await end;
    await seeNoEditRun();
    await seeMarks({ bars: 0 });
    await shop.saveAndCompare(shop.after);
    await seeMarks({ painted: 0 });
  },

  async 'the status bar shows the running edit, then its model and speed'() {
    const shop = await Shop.open();
    await shop.click('after', 'total = 0');
    const { end } = await shop.requestEdit();
    await see('⚡ 1 s');
    await end;
    await see('changes · fast · ');
    await see(' tokens/s');
    await shop.saveAndCompare(shop.after);
    await see('⚡ +');
  },

  async 'another instruction steers a running edit'() {
    const shop = await Shop.open();
    await shop.click('after', 'total = 0');
    const { end } = await shop.requestEdit(INSTRUCTION);
    await shop.untilStreaming();
    await press('Alt+K');
    await see('⚡ Steer the running edit');
    await type('rather shout');
    shop.checkStreaming();
    await press('Enter');
    await end;
    await shop.saveAndCompare(shop.before.replace('"total "', '"TOTAL "'));
  },

  async 'a command of the palette cancels an edit'() {
    const shop = await Shop.open();
    await shop.click('after', 'total = 0');
    const { end } = await shop.requestEdit();
    await shop.untilStreaming();
    await commands.executeCommand('twospeed.cancel');
    await end;
    await shop.saveAndCompare(shop.before);
  },
};
