/** Tests of imports that land with an edit, and of the buttons that verify and mend one. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Browser } from 'playwright-core';

import { before, environment, PageSession } from './page_session';

const IMPORT = 'from decimal import Decimal';
const OWED = 'return sum(item.price for item in items)';
const content = before.replace('RATE', 'import json\n\nRATE');
const edited = content.replace(OWED, 'return Decimal(sum(item.price for item in items))');
const imported = edited.replace('import json\n', `import json\n${IMPORT}\n`);

export function testImports(browser: Browser, address: string): void {
  /** Opens a file of this name, and requests an edit that adds an import. */
  const editInReview = async (name: string) => {
    await writeFile(join(environment('TWOSPEED_FOLDER'), name), content);
    const session = await PageSession.open(browser, address, name);
    await session.click('return sum');
    await session.requestEdit('bring an import');
    await session.untilText(imported);
    await session.untilInReview();
    return session;
  };

  test('an import is shown, counted, visited and decided like the other changes', async () => {
    const session = await editInReview('imports.py');
    await session.see('#review', '2 changes');
    const shown = (selector: string) => session.page.locator(`.pane:not([hidden]) ${selector}`);
    assert.deepEqual((await shown('.ts-added').allTextContents())[0], IMPORT);
    assert.equal(await shown('.ts-hunk').count(), 2);
    await session.press('Control+Home');
    await session.press('F7');
    await shown('.cm-activeLine').getByText(IMPORT).waitFor();
    await session.press('Alt+Delete');
    await session.untilText(edited);
    await session.see('#review', '1 change');
    await session.press('Control+Shift+Backspace');
    await session.untilText(content);
    await session.untilEnded();
    await session.close();
  });

  test('an edit is verified after it was saved, and mended by the deep model', async () => {
    const session = await editInReview('verified.py');
    const click = (name: string) =>
      session.page.locator('#status').getByRole('button', { name, exact: true }).click();
    await click('Verify');
    await session.see('.notice', 'save verified.py first');
    await session.press('Control+s');
    await session.untilEnded();
    await click('Verify');
    await session.see('.notice', 'verified.py failed check (exit status 1)');
    await click('Mend in 🧠');
    await session.untilHas('# mended');
    await session.untilInReview();
    await session.press('Control+s');
    await session.untilEnded();
    await click('Verify');
    await session.see('.notice', 'Verified verified.py: check passed');
    await session.close();
  });
}
