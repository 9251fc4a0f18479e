/** Tests of one instruction at several selections. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Browser } from 'playwright-core';

import { environment, PageSession } from './page_session';

const PLACES = [0, 1, 2].map((n) => `def f${String(n)}(a):\n    return a + ${String(n)}\n`).join('\n\n');

export function testPlaces(browser: Browser, address: string): void {
  test('several selections are the places of one edit', async () => {
    await writeFile(join(environment('TWOSPEED_FOLDER'), 'places.py'), PLACES);
    const session = await PageSession.open(browser, address, 'places.py');
    const shown = (selector: string) => session.page.locator(`.pane:not([hidden]) ${selector}`);
    const line = (n: number) => shown('.cm-line').nth(n);
    await line(1).click();
    for (const n of [5, 9]) await line(n).click({ modifiers: ['Control'] });
    await session.press('Control+k');
    await session.see('#prompt .scope', '3 places');
    assert(await session.page.locator('#prompt .answers').isHidden());
    await session.type('double it');
    await session.press('Enter');
    await session.untilText(PLACES.replaceAll('return a', 'return 2 * a'));
    await session.untilInReview();
    await session.see('#review strong', '3 changes at 3 places');
    await session.see('#review .instruction', 'double it');
    await shown('.ts-hunk .ts-accept').nth(1).click();
    await session.see('#review strong', '2 changes at 2 places');
    await session.press('Control+Shift+Backspace');
    await session.untilText(PLACES.replace('return a + 1', 'return 2 * a + 1'));
    await session.untilEnded();
    await session.close();
  });
}
