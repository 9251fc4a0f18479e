/**
 * The real VS Code workbench in Chromium, and hands on its keyboard.
 *
 * `node workbench.mjs` opens the code-server at TWOSPEED_ADDRESS with the project in TWOSPEED_SCRATCH, has it run
 * `inside.ts` in the extension host, and ends with the status that ends with. What runs there asks for keys by HTTP on
 * the Unix socket TWOSPEED_HANDS (`hands.ts`): so keys come the way a person's come, and documents are watched where
 * they live.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const LIMIT_MS = 30_000;
const { TWOSPEED_WORKBENCH, TWOSPEED_SCRATCH, TWOSPEED_CHROMIUM, TWOSPEED_ADDRESS, TWOSPEED_HANDS } =
  process.env;
const EXTENSION = resolve(import.meta.dirname, '../../../editors/vscode');
const { chromium } = createRequire(join(TWOSPEED_WORKBENCH, 'package.json'))('playwright-core');

/** Where the extension says something: in the status bar, in messages, in the prompt. */
const PLACES = '.statusbar-item, .notification-list-item, .quick-input-widget:visible';

/** What hands and eyes can do. */
const skills = {
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
  say(_page, text) {
    console.log(text);
  },
  /** For when a test has failed. */
  async photograph(page) {
    await page.screenshot({ path: join(TWOSPEED_SCRATCH, 'screen.png') });
  },
  async see(page, text) {
    await page.locator(PLACES, { hasText: text }).first().waitFor();
  },
  async seeNo(page, text) {
    await page.locator(PLACES, { hasText: text }).first().waitFor({ state: 'hidden' });
  },
  async seeAt(page, { selector, text }) {
    await page.locator(selector, { hasText: text }).first().waitFor();
  },
  async click(page, { selector, text }) {
    await page.locator(selector, { hasText: text }).first().click();
  },
  async seeMarks(page, { wanted, isLeast }) {
    try {
      await page.waitForFunction(marksOf, { wanted, isLeast });
    } catch {
      const marks = await page.evaluate(marksOf, { wanted: {} });
      throw new Error(`${JSON.stringify(marks)} is painted, and not ${JSON.stringify(wanted)}`);
    }
  },
  async seeFocus(page) {
    await page.locator('.editor-instance .monaco-editor.focused').waitFor();
  },
  async seeNoEditRun(page) {
    await page.waitForFunction(() => !document.querySelector('.statusbar-item .codicon-loading'));
  },
};

/** Runs in the page: how many lines are painted in which way, if it is as wanted. */
function marksOf({ wanted, isLeast }) {
  const lines = { painted: new Set(), bars: new Set(), edges: new Set() };
  for (const mark of document.querySelectorAll('.editor-instance .view-overlays [class*="ced-"]')) {
    const { borderLeftWidth, borderTopWidth, backgroundColor } = getComputedStyle(mark);
    const { top } = mark.getBoundingClientRect();
    if (borderLeftWidth === '2px') lines.bars.add(top);
    else if (borderTopWidth === '2px') lines.edges.add(top);
    else if (backgroundColor !== 'rgba(0, 0, 0, 0)') lines.painted.add(top);
  }
  const counts = Object.fromEntries(Object.entries(lines).map(([look, found]) => [look, found.size]));
  const isSo = ([look, count]) => (isLeast ? counts[look] >= count : counts[look] === count);
  return Object.entries(wanted).every(isSo) && counts;
}

async function listen(page) {
  const server = createServer(async (request, response) => {
    try {
      const { skill, what } = JSON.parse(await text(request));
      response.end(JSON.stringify((await skills[skill](page, what)) ?? null));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(TWOSPEED_HANDS);
  await once(server, 'listening');
  return server;
}

/** Opens the project in a browser; gives the status of what ran inside. */
async function run(page) {
  const remote = (path) => `vscode-remote://${new URL(TWOSPEED_ADDRESS).host}${path}`;
  const exited = new Promise((resolve) => page.exposeFunction('codeAutomationExit', resolve));
  await page.exposeFunction('codeAutomationLog', () => {}); // the workbench's own log, which nobody needs
  const project = join(TWOSPEED_SCRATCH, 'project');
  const payload = [
    ['extensionDevelopmentPath', remote(EXTENSION)],
    ['extensionTestsPath', remote(join(TWOSPEED_WORKBENCH, 'inside.js'))],
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
  const hands = await listen(page);
  process.exitCode = await run(page);
  hands.close();
} finally {
  await browser.close();
}
