/** Tests of suggestions at the caret. */

import { readFile, writeFile } from 'node:fs/promises';

import { commands } from 'vscode';

import { Shop } from './shop';
import { press, see, seeAt, type } from './workbench_client';

const COMMENT = '# add the prices of all items';
const CODE = 'def total(items):\n    return Decimal(sum(item.price for item in items))';
const IMPORT = 'from decimal import Decimal\n';
const GHOST = '.ghost-text-decoration, .suggest-preview-text span';

/** Runs a test with a server whose config enables suggestions. */
function enabled(test: (shop: Shop) => Promise<void>): () => Promise<void> {
  return async () => {
    const path = process.env.TWOSPEED_CONFIG ?? '';
    const config = await readFile(path, 'utf8');
    const restartWith = async (text: string) => {
      await writeFile(path, text);
      await commands.executeCommand('twospeed.restart');
      await see('⚡ Lightning · fast');
    };
    await restartWith(`${config}[completion]\nenabled = true\n`);
    try {
      await test(await Shop.open());
    } finally {
      await restartWith(config);
    }
  };
}

/** Types a comment at the end of the file. */
async function typeComment(shop: Shop): Promise<void> {
  await press('Control+End');
  await press('Enter');
  await press('Enter');
  await type(COMMENT);
  await shop.untilText(`${shop.before}\n\n${COMMENT}`);
}

const withCode = (text: string) => text.replace('RATE', `${IMPORT}\nRATE`) + `\n\n${COMMENT}\n${CODE}`;

export const suggesting: Record<string, () => Promise<void>> = {
  async 'a message names the setting if suggestions are off'() {
    await Shop.open();
    await commands.executeCommand('twospeed.suggest');
    await commands.executeCommand('notifications.showList');
    await see('set enabled = true under [completion]');
    await commands.executeCommand('notifications.clearAll');
  },

  'Tab inserts a suggestion that a typed comment asks for, and its import': enabled(async (shop) => {
    await typeComment(shop);
    await seeAt(GHOST, 'Decimal(sum(');
    await press('Tab');
    await shop.untilText(withCode(shop.before));
    await shop.saveAndCompare(withCode(shop.before));
  }),

  'a key requests a suggestion, which shrinks while it is typed': enabled(async (shop) => {
    await typeComment(shop);
    await seeAt(GHOST, 'Decimal(sum(');
    await press('Escape');
    await press('Alt+\\');
    await seeAt(GHOST, 'Decimal(sum(');
    await press('Enter');
    await type('def ');
    await seeAt(GHOST, 'total');
    await press('Tab');
    await shop.untilText(withCode(shop.before));
    await shop.saveAndCompare(withCode(shop.before));
  }),
};
