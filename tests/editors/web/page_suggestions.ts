/** Tests of suggestions at the caret. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Browser } from 'playwright-core';

import { environment, PageSession } from './page_session';

const COMMENT = '# add the prices of all items';
const CODE = 'def total(items):\n    return Decimal(sum(items))';
const around = (code: string) => `import math\n${code}\n\nprint(math.pi)\n`;

export function testSuggestions(browser: Browser, address: string): void {
  const opened = async (name: string, text: string) => {
    await writeFile(join(environment('TWOSPEED_FOLDER'), name), text);
    return PageSession.open(browser, address, name);
  };
  const ghost = (session: PageSession) => session.page.locator('.pane:not([hidden]) .ts-suggestion');

  test('Tab inserts a requested suggestion as one undo step, and indents without one', async () => {
    const gap = 'def add(a, b):\n    return \n';
    const session = await opened('gap.py', gap);
    await session.click('return');
    await session.press('Control+Space');
    await session.see('.ts-suggestion', 'a + b');
    await session.press('Tab');
    const filled = gap.replace('return ', 'return a + b');
    await session.untilText(filled);
    assert.equal(await ghost(session).count(), 0);
    await session.press('Tab');
    await session.untilText(filled.replace('    return', '        return'));
    await session.press('Control+z');
    await session.press('Control+z');
    await session.untilText(gap);
    await session.close();
  });

  test('an accepted suggestion brings its import', async () => {
    const session = await opened('comment.py', around(`\n\n${COMMENT}`));
    await session.click(COMMENT);
    await session.press('Control+Space');
    await session.see('.ts-suggestion', 'def total');
    await session.press('Tab');
    await session.untilText(around(`from decimal import Decimal\n\n\n${COMMENT}\n${CODE}`));
    await session.close();
  });

  test('a suggestion comes after a typed comment, shrinks while it is typed, and Escape hides it', async () => {
    const session = await opened('automatic.py', around(`\n\n${COMMENT.slice(0, -1)}`));
    await session.click(COMMENT.slice(0, -1));
    await session.type('s');
    await session.see('.ts-suggestion', 'def total');
    await session.press('Enter');
    await session.type('def ');
    assert.equal(await ghost(session).textContent(), CODE.replace('def ', ''));
    await session.press('Escape');
    await ghost(session).waitFor({ state: 'detached' });
    assert.equal(await session.text, around(`\n\n${COMMENT}\ndef `));
    await session.close();
  });
}
