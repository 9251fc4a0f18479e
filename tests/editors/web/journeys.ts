/** What the page promises, in a real browser, with the real server and a scripted model. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after as atEnd, test } from 'node:test';

import type { WebSocketRoute } from 'playwright-core';

import { after, before, fileNamed, given, Scene, startBrowser } from './scene';

const NAMED = given('TWOSPEED_NAMED');
const SAMPLE = given('TWOSPEED_SAMPLE');
const LIMITED = given('TWOSPEED_LIMITED');

const browser = await startBrowser();
atEnd(() => browser.close());

test('the key switches the mode in the prompt, too, and the browser keeps out of it', async () => {
  const scene = await Scene.open(browser, SAMPLE);
  await scene.press('Control+k');
  await scene.see('#prompt .icon', '⚡');
  await scene.press('Control+Shift+L');
  await scene.see('#prompt .icon', '🧠');
  await scene.see('#status', 'slow');
  await scene.press('Control+Shift+L');
  await scene.see('#prompt .icon', '⚡');
  assert.equal(scene.page.context().pages().length, 1);
  assert(await scene.page.locator('#prompt input').evaluate((input) => input.matches(':focus')));
  await scene.close();
});

test('an edit is undone and done again whole, apart from what was typed before it and meanwhile', async () => {
  const scene = await Scene.open(browser, NAMED, 'undone.py');
  const typedBefore = (text: string) => text.replace('RATE = 0.2', 'RATE = 0.2  # mine');
  const typed = (text: string) => typedBefore(text).replace('if customer:', 'if customer:  # or nobody');
  await scene.click('RATE = 0.2');
  await scene.type('  # mine');
  await scene.click('if customer:');
  await scene.ask('add the tax slowly');
  await scene.streams();
  await scene.type('  # or nobody');
  await scene.isStillStreaming();
  await scene.untilText(typed(after));
  await scene.isInReview();
  await scene.see('#status .figures', 'tokens/s');
  await scene.press('Control+z');
  await scene.untilText(typed(before));
  await scene.isOver();
  await scene.press('Control+y');
  await scene.untilText(typed(after));
  for (const text of [typed(before), typedBefore(before), before]) {
    await scene.press('Control+z');
    await scene.untilText(text);
  }
  for (const text of [typedBefore(before), typed(before), typed(after)]) {
    await scene.press('Control+y');
    await scene.untilText(text);
  }
  await scene.close();
});

test('old lines are shown on demand, and a hunk has buttons', async () => {
  const scene = await Scene.open(browser, NAMED, 'hunks.py');
  await scene.click('total = 0');
  await scene.ask('add the tax');
  await scene.isInReview();
  await scene.see('.pane:not([hidden]) .ts-removed', 'lines.append(item.name)');
  await scene.page.getByRole('button', { name: 'Hide old lines' }).click();
  await scene.page.locator('.pane:not([hidden]) .ts-removed').first().waitFor({ state: 'detached' });
  await scene.press('Control+Home');
  await scene.press('F7');
  await scene.press('Alt+Delete');
  await scene.untilHasNot('Lay out what was bought');
  const rest = await scene.text;
  assert(rest.includes('price = round(item.price'));
  await scene.page.locator('.pane:not([hidden]) .ts-hunk .ts-accept').first().click();
  await scene.press('Control+Shift+Enter');
  await scene.isOver();
  assert.equal(await scene.text, rest);
  await scene.close();
});

test('old and new are seen side by side', async () => {
  const scene = await Scene.open(browser, NAMED, 'sides.py');
  await scene.click('total = 0');
  await scene.ask('add the tax');
  await scene.isInReview();
  await scene.page.getByRole('button', { name: 'Compare' }).click();
  const sides = scene.page.locator('.compare .cm-editor');
  await sides.first().waitFor();
  assert.equal(await sides.count(), 2);
  const [left, right] = await sides.locator('.cm-content').allInnerTexts();
  assert(left?.includes('lines.append(item.name)') && !left.includes('Lay out'));
  assert(right?.includes('Lay out') && !right.includes('lines.append(item.name)'));
  await scene.press('Escape');
  await sides.first().waitFor({ state: 'detached' });
  await scene.close();
});

test('a refused answer is shown beside the text, applied all the same, and taken back', async () => {
  const scene = await Scene.open(browser, NAMED, 'refused.py');
  const applied = before
    .replace('    lines = []\n    total = 0\n', '    # ... as before\n')
    .replace('item.name', 'entry.name')
    .replace('item.price', 'entry.price');
  const notice = scene.page.locator('.notice', { hasText: 'the model says: The beginning stays.' });
  const refuse = async () => {
    await scene.click('def receipt');
    await scene.ask('leave it out');
    await notice.waitFor();
    await scene.isOver();
    assert.equal(await scene.text, before);
  };

  await refuse();
  await notice.getByRole('button', { name: 'Show the answer' }).click();
  await scene.see('dialog h2', 'refused.py (refused answer)');
  await scene.see('dialog .says', 'The beginning stays.');
  const sides = scene.page.locator('.compare .cm-editor .cm-content');
  const [left, right] = await sides.allInnerTexts();
  assert(left?.includes('total = 0') && !left.includes('as before'));
  assert(right?.includes('# ... as before') && !right.includes('total = 0'));
  await scene.page.locator('dialog').getByRole('button', { name: 'Apply anyway' }).click();
  await scene.untilText(applied);
  await scene.isInReview();
  await notice.waitFor({ state: 'detached' });
  await scene.press('Control+Shift+Backspace');
  await scene.untilText(before);
  await scene.isOver();

  await refuse();
  await notice.getByRole('button', { name: 'Apply anyway' }).click();
  await scene.untilText(applied);
  await scene.isInReview();
  await scene.press('Control+z');
  await scene.untilText(before);
  await scene.isOver();

  await refuse();
  await scene.type('  # typed');
  await notice.waitFor({ state: 'detached' });
  await scene.close();
});

test('undoing what has begun to come stops it', async () => {
  const scene = await Scene.open(browser, NAMED, 'stopped.py');
  await scene.click('total = 0');
  await scene.ask('add the tax slowly');
  await scene.streams();
  await scene.press('Control+z');
  await scene.untilText(before);
  await scene.isOver();
  await scene.close();
});

test('more lines are chosen by key, and the edit keeps to them', async () => {
  const scene = await Scene.open(browser, NAMED, 'scope.py');
  await scene.click('total = 0');
  await scene.press('Control+k');
  await scene.see('#prompt .scope', 'function receipt');
  await scene.press('Alt+ArrowUp');
  await scene.see('#prompt .scope', 'file');
  await scene.press('Alt+ArrowDown');
  await scene.see('#prompt .scope', 'function receipt');
  await scene.press('Alt+ArrowUp');
  await scene.type('whole file');
  await scene.press('Enter');
  await scene.untilText(before.replace('RATE = 0.2', 'RATE = 0.25'));
  await scene.close();
});

test('lines that were chosen go along while another edit comes in above them', async () => {
  const nested = ['def outer():', '    def inner():', '        return 1', '    return inner'];
  await writeFile(join(given('TWOSPEED_FOLDER'), 'above.py'), `${before}\n\n${nested.join('\n')}\n`);
  const scene = await Scene.open(browser, NAMED, 'above.py');
  await scene.click('total = 0');
  await scene.ask('add the tax slowly');
  await scene.streams();
  await scene.click('return 1');
  await scene.press('Control+k');
  await scene.see('#prompt .scope', 'function inner');
  await scene.press('Alt+ArrowUp');
  await scene.see('#prompt .scope', 'function outer');
  await scene.isStillStreaming();
  await scene.isInReview();
  await scene.press('Control+Shift+L'); // which paints them anew
  await scene.see('#prompt .icon', '🧠');
  const painted = scene.page.locator('.pane:not([hidden]) .cm-line.ts-candidate');
  assert.deepEqual(await painted.allTextContents(), nested);
  await scene.press('Control+Shift+L');
  await scene.see('#prompt .icon', '⚡');
  await scene.close();
});

test('what a check finds is underlined, and said where it is', async () => {
  const scene = await Scene.open(browser, NAMED, 'found.py');
  await scene.click('return sum');
  await scene.ask('hide something');
  await scene.untilHas('# note');
  await scene.isInReview();
  const mark = scene.page.locator('.pane:not([hidden]) .cm-lintRange').first();
  await mark.hover();
  await scene.see('.cm-diagnostic', 'U+200B');
  await scene.page.getByRole('button', { name: 'Check in' }).click();
  const found = scene.page
    .locator('.pane:not([hidden]) .cm-line', { hasText: '# note' })
    .locator('.cm-lintRange');
  await found.first().hover();
  await scene.see('.cm-diagnostic', 'this note says nothing');
  await scene.close();
});

test('where the connection is lost, the text stays, and goes on with a new one', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const lines: WebSocketRoute[] = [];
  await page.routeWebSocket(/^ws:/, (line) => {
    line.connectToServer();
    if (new URL(line.url()).pathname === '/') lines.push(line);
  });
  await page.goto(NAMED);
  await page.locator('html[data-ready=true]').waitFor();
  await page.locator('.pane:not([hidden]) .cm-line', { hasText: 'RATE' }).first().click();
  await page.keyboard.type('mine');
  await lines[0]?.close();
  await page.getByRole('button', { name: 'connect again' }).click();
  await page.getByRole('button', { name: 'connect again' }).waitFor({ state: 'detached' });
  await page.locator('.pane:not([hidden]) .cm-line', { hasText: 'mine' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.locator('#prompt .scope', { hasText: 'block' }).waitFor();
  await context.close();
});

test('a hostile answer is text: nothing of it runs, and nothing is asked for', async () => {
  const scene = await Scene.open(browser, NAMED, 'hostile.py');
  await scene.click('return sum');
  await scene.ask('be hostile');
  await scene.isInReview();
  await scene.untilHas('<img src="http://evil.example/a.png" onerror="document.title = 1">');
  await scene.untilHas('![picture](http://evil.example/b.png)');
  await scene.press('Control+Shift+Backspace');
  await scene.isOver();
  await scene.click('return sum');
  await scene.ask('fail with a page');
  await scene.see('.notice', '<img src="http://evil.example/c.png">');
  const made = await scene.page.evaluate(() => {
    const roots = [document, document.querySelector('#editors')?.shadowRoot];
    return roots.flatMap((root) =>
      Array.from(root?.querySelectorAll('img, iframe, object, video, a[href], style, base') ?? [], String),
    );
  });
  assert.deepEqual(
    made.filter((name) => !name.includes('Image')),
    [],
  );
  assert.equal(await scene.page.title(), 'twospeed');
  assert(scene.asked.every((url) => !url.includes('evil')));
  await scene.close();
});

test('a file that somebody else has written is not written over', async () => {
  const scene = await Scene.open(browser, NAMED, 'stale.py');
  await scene.click('RATE');
  await scene.type('5');
  await writeFile(join(given('TWOSPEED_FOLDER'), 'stale.py'), 'theirs\n');
  await scene.press('Control+s');
  await scene.see('.notice.error', 'another program changed the file');
  assert.equal(await fileNamed('stale.py'), 'theirs\n');
  await scene.close();
});

test('the sample is in the page alone, works again after a reload, and the token is not to be seen', async () => {
  const scene = await Scene.open(browser, SAMPLE, 'checkout.ts');
  assert.equal(new URL(scene.page.url()).hash, '');
  await scene.untilHas('FREE_SHIPPING_FROM');
  await scene.page.reload();
  await scene.isReady();
  await scene.untilHas('Stock of a small bicycle shop');
  await scene.press('Control+s');
  await scene.see('.notice', 'exists only in this page');
  await scene.close();
});

test('what a start may spend is a hard stop', async () => {
  const scene = await Scene.open(browser, LIMITED);
  await scene.click('def describe');
  await scene.ask('say it again');
  await scene.see('.notice', 'the answer changes nothing');
  await scene.page.reload();
  await scene.isReady();
  await scene.click('def describe');
  await scene.ask('say it again');
  await scene.see('.notice.error', 'the allowance of 1 edits is used up');
  await scene.close();
});

test('without the token there is no editor', async () => {
  const page = await browser.newPage();
  await page.goto(new URL('/', NAMED).href);
  await page.locator('.notice.error', { hasText: 'the token is wrong' }).waitFor();
  await page.goto('about:blank');
  await page.goto(`${new URL('/', NAMED).href}#${'0'.repeat(64)}`);
  await page.locator('.notice.error', { hasText: 'the token is wrong' }).waitFor();
  await page.close();
});

test('a page of another origin gets nothing, not even with the token', async () => {
  const site = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>foreign</title>');
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  const { port } = new URL(NAMED);
  const token = new URL(NAMED).hash.slice(1);
  const page = await browser.newPage();
  try {
    await page.goto(`http://127.0.0.1:${String((site.address() as AddressInfo).port)}/`);
    const outcome = await page.evaluate(
      async ({ port, token }) => {
        const line = (url: string) =>
          new Promise((resolve) => {
            const opened = new WebSocket(url, `twospeed.token.${token}`);
            opened.onopen = () => {
              resolve('open');
            };
            opened.onclose = () => {
              resolve('closed');
            };
          });
        const loaded = (name: 'script' | 'iframe') =>
          new Promise((resolve) => {
            const made = document.createElement(name);
            made.onload = () => {
              const isShown = name === 'iframe' && (made as HTMLIFrameElement).contentDocument !== null;
              resolve(name === 'script' || isShown ? 'loaded' : 'kept out');
            };
            made.onerror = () => {
              resolve('kept out');
            };
            made.src = `http://127.0.0.1:${port}${name === 'script' ? '/page.js' : '/'}`;
            document.body.append(made);
          });
        return {
          lsp: await line(`ws://127.0.0.1:${port}/`),
          files: await line(`ws://127.0.0.1:${port}/files`),
          localhost: await line(`ws://localhost:${port}/files`),
          fetched: await fetch(`http://127.0.0.1:${port}/`).then(
            () => 'read',
            () => 'kept out',
          ),
          script: await loaded('script'),
          frame: await loaded('iframe'),
        };
      },
      { port, token },
    );
    const closed = 'closed';
    const out = 'kept out';
    assert.deepEqual(outcome, {
      lsp: closed,
      files: closed,
      localhost: closed,
      fetched: out,
      script: out,
      frame: out,
    });

    const answered = page.waitForEvent('response');
    await assert.rejects(page.goto(`http://evil.example:${port}/`));
    assert.equal((await answered).status(), 403);
  } finally {
    await page.close();
    site.close();
  }
});
