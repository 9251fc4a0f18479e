/** The prompt: what it shows, its keys, and what an edit is then asked of. */

import assert from 'node:assert/strict';

import { commands } from 'vscode';

import { press, see, seeMarks, seeMarksGrow, seeNo, seeNoEditRun, type } from './hands';
import { INSTRUCTION, Shop, until } from './shop';

export const prompting: Record<string, () => Promise<void>> = {
  async 'the prompt shows mode, model and scope, and keys change them'() {
    const shop = await Shop.open();
    await shop.click('behind', 'total = 0');
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
    await see('⚡ Edit · function receipt, 10 lines · fast');
    await press('Escape');
    await seeNo('⚡ Edit');
    await seeMarks({ painted: 0 });
    await shop.isSavedAs(shop.before);
  },

  async 'more lines that are chosen are what the edit is of'() {
    const shop = await Shop.open();
    await shop.click('behind', 'total = 0');
    await press('Alt+K');
    await see('function receipt');
    await press('Alt+ArrowUp');
    await see('file, 19 lines');
    await type('whole file');
    await press('Enter');
    await shop.reads(shop.before.replace('0.2', '0.25'));
    await seeNoEditRun();
    await shop.isSavedAs(shop.before.replace('0.2', '0.25'));
  },

  async 'what is selected is what the edit is of'() {
    const shop = await Shop.open();
    await shop.click('before', 'RATE');
    await press('Shift+End');
    await press('Alt+K');
    await see('⚡ Edit · selection, 1 line · fast');
    await seeMarks({ painted: 1 });
    await type('only the rate');
    await press('Enter');
    await shop.reads(shop.before.replace('0.2', '0.25'));
    await seeNoEditRun();
    await shop.click('before', 'def'); // else VS Code holds `editorHasSelection` true, even in the next file
    await shop.isSavedAs(shop.before.replace('0.2', '0.25'));
  },

  async 'arrows bring earlier instructions back, and what was typed'() {
    const shop = await Shop.open();
    await shop.edit('vary it', 'owed(items):');
    await shop.isSavedAs(shop.text);
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
    await until('the edit before is made again', () => shop.text !== before);
    await seeNoEditRun();
    assert.match(shop.text, /# answer \d/);
    await press('Alt+K');
    await see('⚡ Edit');
    await press('ArrowUp');
    await press('Escape');
    await shop.isSavedAs(shop.text);
  },

  async 'lines that come in are marked while they stream, and so is where the edit is at work'() {
    const shop = await Shop.open();
    await shop.click('behind', 'total = 0');
    const { end } = await shop.ask();
    await shop.streams();
    await seeMarksGrow({ painted: 8, bars: 12 });
    shop.isStillStreaming();
    await end;
    await seeNoEditRun();
    await seeMarks({ bars: 0 });
    await shop.isSavedAs(shop.after);
    await seeMarks({ painted: 0 });
  },

  async 'the status bar says what runs, and then who it was and how fast'() {
    const shop = await Shop.open();
    await shop.click('behind', 'total = 0');
    const { end } = await shop.ask();
    await see('⚡ 1 s');
    await end;
    await see('changes · fast · ');
    await see(' tokens/s');
    await shop.isSavedAs(shop.after);
    await see('⚡ +');
  },

  async 'other words redirect an edit that runs'() {
    const shop = await Shop.open();
    await shop.click('behind', 'total = 0');
    const { end } = await shop.ask(INSTRUCTION);
    await shop.streams();
    await press('Alt+K');
    await see('⚡ Steer the running edit');
    await type('rather shout');
    shop.isStillStreaming();
    await press('Enter');
    await end;
    await shop.isSavedAs(shop.before.replace('"total "', '"TOTAL "'));
  },

  async 'an edit is stopped from the palette, too'() {
    const shop = await Shop.open();
    await shop.click('behind', 'total = 0');
    const { end } = await shop.ask();
    await shop.streams();
    await commands.executeCommand('twospeed.cancel');
    await end;
    await shop.isSavedAs(shop.before);
  },
};
