/** Tests of the mode both: lightning's answer is applied, and what the deep model would change is offered. */

import { commands } from 'vscode';

import { Shop, until } from './shop';
import { answer, click, press, see, seeAt, seeMarks, seeNo, type } from './workbench_client';

const FIRST = ['    lines = []', '    lines: list[str] = []'] as const;
const SECOND = ['    return lines', '    return tuple(lines)'] as const;

/** The text with lightning's answer, and these of the deep model's changes. */
const drafted = (shop: Shop, ...changes: (readonly [string, string])[]) =>
  changes.reduce(
    (text, [old, replacement]) => text.replace(old, replacement),
    shop.before.replace('"total "', '"TOTAL "'),
  );

async function setMode(mode: string, shown: string): Promise<void> {
  await commands.executeCommand('twospeed.setMode', mode);
  await see(shown);
}

/** Runs a test in the mode both, with an edit of a new file that has lightning's answer. */
function inBoth(instruction: string, test: (shop: Shop) => Promise<void>): () => Promise<void> {
  return async () => {
    const shop = await Shop.open();
    await setMode('both', '⚡🧠 Both · fast · slow');
    try {
      await shop.click('after', 'total = 0');
      const { end } = await shop.requestEdit(instruction);
      await end;
      await shop.untilText(drafted(shop));
      await test(shop);
    } finally {
      await setMode('lightning', '⚡ Lightning · fast');
    }
  };
}

/** The same, with an offer of two places. */
const offered = (test: (shop: Shop) => Promise<void>) =>
  inBoth('think twice', async (shop) => {
    await see('🧠 2 places');
    await seeMarks({ offered: 2 });
    await test(shop);
  });

export const deepening: Record<string, () => Promise<void>> = {
  async 'a mode is chosen by name in the menu of the status bar'() {
    await Shop.open();
    const menu = commands.executeCommand('twospeed.menu');
    await answer('Choose Mode');
    await see('the mode of the next edits');
    await answer('Both');
    await menu;
    await see('⚡🧠 Both · fast · slow');
    await setMode('lightning', '⚡ Lightning · fast');
  },

  'the status bar shows that the deep model works, until a command cancels its answer': inBoth(
    'think for ever',
    async (shop) => {
      await see('⚡ 1 change · fast');
      await see('🧠 working');
      await commands.executeCommand('twospeed.cancel');
      await seeNo('🧠 working');
      await shop.saveAndCompare(drafted(shop));
    },
  ),

  'the places that the deep model would change are marked apart from the changes, counted and announced':
    offered(async (shop) => {
      await seeMarks({ offered: 2, painted: 1 });
      await see('⚡ 1 change · fast');
      await commands.executeCommand('notifications.showList');
      await see('🧠 would change 2 places');
      await commands.executeCommand('notifications.clearAll');
      await shop.saveAndCompare(drafted(shop));
    }),

  'a button of the message takes all': offered(async (shop) => {
    await commands.executeCommand('notifications.showList');
    await click('.notification-list-item .monaco-button', 'Take All');
    await shop.untilText(drafted(shop, FIRST, SECOND));
    await seeMarks({ offered: 0 });
    await shop.saveAndCompare(drafted(shop, FIRST, SECOND));
  }),

  'the hover of a place shows the lines that would replace it, and takes it': offered(async (shop) => {
    await shop.click('before', SECOND[0]);
    await commands.executeCommand('editor.action.showHover');
    await seeAt('.monaco-hover', '🧠 Deep would replace this with');
    await seeAt('.monaco-hover', 'return tuple(lines)');
    await click('.monaco-hover a', 'Take');
    await shop.untilText(drafted(shop, SECOND));
    await see('🧠 1 place');
    await press('Escape');
    await shop.saveAndCompare(drafted(shop, SECOND));
  }),

  'a key takes the place at the caret, and another one dismisses the place that is left': offered(
    async (shop) => {
      await shop.click('after', SECOND[0]);
      await press('Alt+J');
      await shop.untilText(drafted(shop, SECOND));
      await seeMarks({ offered: 1 });
      await commands.executeCommand('twospeed.takePlace');
      await commands.executeCommand('notifications.showList');
      await see('the caret is not on a place that 🧠 would change');
      await commands.executeCommand('notifications.clearAll');
      await commands.executeCommand('workbench.action.focusActiveEditorGroup');
      await shop.click('after', FIRST[0]);
      await press('Alt+U');
      await seeMarks({ offered: 0 });
      await seeNo('🧠 1 place');
      await shop.saveAndCompare(drafted(shop, SECOND));
    },
  ),

  'a key takes all as one undo step, and undo restores the draft': offered(async (shop) => {
    await press('Shift+Alt+J');
    await shop.untilText(drafted(shop, FIRST, SECOND));
    await seeMarks({ offered: 0 });
    await press('Control+Z');
    await shop.untilText(drafted(shop));
    await shop.saveAndCompare(drafted(shop));
  }),

  'a reject after the deep answer was taken restores the old text': offered(async (shop) => {
    await press('Shift+Alt+J');
    await shop.untilText(drafted(shop, FIRST, SECOND));
    await see('⚡ 2 changes · fast');
    await press('Shift+Alt+Delete');
    await shop.untilText(shop.before);
    await shop.saveAndCompare(shop.before);
  }),

  'a key dismisses all, and the draft stays in review': offered(async (shop) => {
    await press('Shift+Alt+U');
    await seeMarks({ offered: 0, painted: 1 });
    await seeNo('🧠 2 places');
    await see('⚡ 1 change · fast');
    await shop.saveAndCompare(drafted(shop));
  }),

  'the marks move with typed lines, which stay when all is taken': offered(async (shop) => {
    await press('Control+Home');
    await type('# mine');
    await press('Enter');
    await seeMarks({ offered: 2 });
    for (const [line] of [FIRST, ['"TOTAL "'], SECOND] as const) {
      await press('F7');
      const number = shop.text.split('\n').findIndex((each) => each.includes(line));
      await until(`the caret is on ${line}`, () => shop.caret.line === number);
    }
    await press('Shift+Alt+J');
    await shop.untilText(`# mine\n${drafted(shop, FIRST, SECOND)}`);
    await shop.saveAndCompare(`# mine\n${drafted(shop, FIRST, SECOND)}`);
  }),

  'the offer of an accepted draft stays, and is visited and taken': offered(async (shop) => {
    await shop.saveAndCompare(drafted(shop));
    await seeMarks({ offered: 2, painted: 0 });
    await see('⚡ +1 −1');
    await see('🧠 2 places');
    await press('Control+Home');
    await press('F7');
    await until('the caret is on the first place', () => shop.caret.line === 6);
    await press('Alt+J');
    await shop.untilText(drafted(shop, FIRST));
    await press('Shift+Alt+J');
    await shop.untilText(drafted(shop, FIRST, SECOND));
    await seeMarks({ offered: 0 });
    await shop.saveAndCompare(drafted(shop, FIRST, SECOND));
  }),
};
