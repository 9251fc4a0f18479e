/**
 * The real VS Code workbench in Chromium, with real key events.
 *
 * `node workbench.mjs` opens the code-server at TWOSPEED_ADDRESS with the project in TWOSPEED_SCRATCH, runs
 * `workbench_tests.ts` in the extension host, and exits with the status of the tests. The tests read documents in the
 * extension host, and request keys by HTTP on the Unix socket TWOSPEED_WORKBENCH_SOCKET (`workbench_client.ts`).
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const LIMIT_MS = 30_000;
const {
  TWOSPEED_WORKBENCH,
  TWOSPEED_SCRATCH,
  TWOSPEED_CHROMIUM,
  TWOSPEED_ADDRESS,
  TWOSPEED_WORKBENCH_SOCKET,
} = process.env;
const EXTENSION = resolve(import.meta.dirname, '../../../editors/vscode');
const { chromium } = createRequire(join(TWOSPEED_WORKBENCH, 'package.json'))('playwright-core');

/** The elements that show texts of the extension: status bar, messages and prompt. */
const TEXT_ELEMENTS = '.statusbar-item, .notification-list-item, .quick-input-widget:visible';

/** The methods of `workbench_client.ts`. */
const methods = {
  async press(page, keys) {
    await page.keyboard.press(keys);
  },
  async type(page, { text, delay }) {
    await page.keyboard.type(text, { delay });
  },
  async answer(page, text) {
    const box = page.locator('.quick-input-widget input[type=text]:visible');
    await box.pressSequentially(text);
    await box.press('Enter');
  },
  print(_page, text) {
    console.log(text);
  },
  async takeScreenshot(page) {
    await page.screenshot({ path: join(TWOSPEED_SCRATCH, 'screen.png') });
  },
  async see(page, text) {
    await page.locator(TEXT_ELEMENTS, { hasText: text }).first().waitFor();
  },
  async seeNo(page, text) {
    await page.locator(TEXT_ELEMENTS, { hasText: text }).first().waitFor({ state: 'hidden' });
  },
  async seeAt(page, { selector, text }) {
    await page.locator(selector, { hasText: text }).first().waitFor();
  },
  async click(page, { selector, text }) {
    await page.locator(selector, { hasText: text }).first().click();
  },
  async seeMarks(page, { expected, isMinimum }) {
    try {
      await page.waitForFunction(marksOf, { expected, isMinimum });
    } catch {
      const marks = await page.evaluate(marksOf, { expected: {} });
      throw new Error(`decorated lines: ${JSON.stringify(marks)}, expected: ${JSON.stringify(expected)}`);
    }
  },
  async seeFocus(page) {
    await page.locator('.editor-instance .monaco-editor.focused').waitFor();
  },
  async seeNoEditRun(page) {
    await page.waitForFunction(() => !document.querySelector('.statusbar-item .codicon-loading'));
  },
};

/** Runs in the page: returns the numbers of decorated lines if they are as expected, else false. */
function marksOf({ expected, isMinimum }) {
  const lines = { painted: new Set(), bars: new Set(), edges: new Set(), offered: new Set() };
  for (const mark of document.querySelectorAll('.editor-instance .view-overlays [class*="ced-"]')) {
    const { borderLeftStyle, borderLeftWidth, borderTopWidth, backgroundColor } = getComputedStyle(mark);
    const { top } = mark.getBoundingClientRect();
    if (borderLeftStyle === 'dotted') lines.offered.add(top);
    else if (borderLeftWidth === '2px') lines.bars.add(top);
    else if (borderTopWidth === '2px') lines.edges.add(top);
    else if (backgroundColor !== 'rgba(0, 0, 0, 0)') lines.painted.add(top);
  }
  const counts = Object.fromEntries(Object.entries(lines).map(([kind, found]) => [kind, found.size]));
  const isExpected = ([kind, count]) => (isMinimum ? counts[kind] >= count : counts[kind] === count);
  return Object.entries(expected).every(isExpected) && counts;
}

async function listen(page) {
  const server = createServer(async (request, response) => {
    try {
      const { method, argument } = JSON.parse(await text(request));
      response.end(JSON.stringify((await methods[method](page, argument)) ?? null));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(TWOSPEED_WORKBENCH_SOCKET);
  await once(server, 'listening');
  return server;
}

/** Opens the project in the browser; returns the status of the tests. */
async function run(page) {
  const remote = (path) => `vscode-remote://${new URL(TWOSPEED_ADDRESS).host}${path}`;
  const exited = new Promise((resolve) => page.exposeFunction('codeAutomationExit', resolve));
  await page.exposeFunction('codeAutomationLog', () => {}); // discards the log of the workbench
  const project = join(TWOSPEED_SCRATCH, 'project');
  const payload = [
    ['extensionDevelopmentPath', remote(EXTENSION)],
    ['extensionTestsPath', remote(join(TWOSPEED_WORKBENCH, 'workbench_tests.js'))],
    ['skipWelcome', 'true'],
  ];
  const query = new URLSearchParams({ folder: project, payload: JSON.stringify(payload) });
  await page.goto(`${TWOSPEED_ADDRESS}/?${query}`);
  return await exited;
}

const browser = await chromium.launch({
  executablePath: TWOSPEED_CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(LIMIT_MS);
  const server = await listen(page);
  process.exitCode = await run(page);
  server.close();
} finally {
  await browser.close();
}
