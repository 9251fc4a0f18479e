/** Tests of `--open`, and of files that another program changes. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Browser } from 'playwright-core';

import { before, environment, fileNamed, PageSession } from './page_session';

export function testFiles(browser: Browser, address: string, openedUrl: string): void {
  const onDisk = (text: string) => writeFile(join(environment('TWOSPEED_FOLDER'), 'stale.py'), text);

  test('--open gives the browser a file that leads to the page', async () => {
    assert.match(openedUrl, /^file:/);
    const page = await browser.newPage();
    await page.goto(openedUrl);
    await page.locator('html[data-ready=true]').waitFor();
    assert.match(page.url(), /^http:\/\/127\.0\.0\.1:\d+\/$/);
    await page.close();
  });

  test('a file changed by another program is compared, and overwritten only on request', async () => {
    const session = await PageSession.open(browser, address, 'stale.py');
    await session.click('RATE');
    await session.type('5');
    const mine = before.replace('RATE = 0.2', 'RATE = 0.25');
    const conflict = session.page.locator('.notice.error', { hasText: 'another program changed the file' });
    await onDisk('theirs\n');
    await session.press('Control+s');
    await conflict.getByRole('button', { name: 'Compare' }).click();
    await session.see('dialog h2', 'stale.py: on disk and here');
    const sides = session.page.locator('.compare .cm-editor .cm-content');
    const [left, right] = await sides.allInnerTexts();
    assert(left?.includes('theirs') && !left.includes('RATE'));
    assert(right?.includes('RATE = 0.25') && !right.includes('theirs'));

    await onDisk('theirs, later\n');
    await session.page.locator('dialog').getByRole('button', { name: 'Overwrite' }).click();
    await conflict.getByRole('button', { name: 'Compare' }).click();
    await session.see('.compare .cm-line', 'theirs, later');
    assert.equal(await fileNamed('stale.py'), 'theirs, later\n');
    await session.press('Escape');
    await conflict.getByRole('button', { name: 'Overwrite' }).click();
    await conflict.waitFor({ state: 'detached' });
    await session.see('#tabs button[aria-pressed=true]', /^stale\.py$/);
    assert.equal(await fileNamed('stale.py'), mine);
    await session.close();
  });
}
