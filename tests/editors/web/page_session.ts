/** The page in a real browser: keys, clicks, shown elements, and all its network requests. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const LIMIT_MS = 20_000;

export function environment(name: string): string {
  const value = process.env[name];
  assert(value, `${name} is not set: test_web_page.py sets it`);
  return value;
}

const FOLDER = environment('TWOSPEED_FOLDER');
export const before = await readFile(environment('TWOSPEED_BEFORE'), 'utf8');
export const after = await readFile(environment('TWOSPEED_AFTER'), 'utf8');

/** Starts Chromium with `evil.example` resolved to this machine, which simulates DNS rebinding. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: environment('TWOSPEED_CHROMIUM'),
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      '--host-resolver-rules=MAP evil.example 127.0.0.1',
    ],
  });

export class PageSession {
  /** The URLs of all requests and WebSockets. */
  readonly requested: string[] = [];
  /** Errors and warnings of the browser, such as violations of the content security policy. */
  readonly consoleErrors: string[] = [];

  private constructor(
    readonly page: Page,
    readonly address: string,
  ) {}

  /** Opens the page at `address`, and optionally one of its files. By default the window is high enough for all lines. */
  static async open(
    browser: Browser,
    address: string,
    file?: string,
    options: BrowserContextOptions = {},
  ): Promise<PageSession> {
    const context = await browser.newContext({ viewport: { width: 1200, height: 1400 }, ...options });
    const session = new PageSession(await context.newPage(), address);
    session.page.setDefaultTimeout(LIMIT_MS);
    session.page.on('request', (request) => session.requested.push(request.url()));
    session.page.on('websocket', (socket) => session.requested.push(socket.url()));
    session.page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        session.consoleErrors.push(message.text());
    });
    session.page.on('pageerror', (error) => session.consoleErrors.push(String(error)));
    await session.page.goto(address);
    await session.untilReady();
    if (file !== undefined) await session.page.locator('#tabs button', { hasText: file }).click();
    return session;
  }

  async untilReady(): Promise<void> {
    await this.page.locator('html[data-ready=true]').waitFor();
  }

  /** Checks that the page requested only its own host and caused no browser error, and closes it. */
  async close(): Promise<void> {
    const { host } = new URL(this.address);
    for (const url of this.requested) assert.equal(new URL(url).host, host, url);
    assert.deepEqual(this.consoleErrors, []);
    await this.page.context().close();
  }

  press = (keys: string) => this.page.keyboard.press(keys);
  type = (text: string) => this.page.keyboard.type(text, { delay: 15 });

  get text(): Promise<string> {
    return this.page.evaluate(readText);
  }

  async untilText(text: string): Promise<void> {
    await this.page
      .waitForFunction(
        (expected) =>
          Array.from(
            document
              .querySelector('#editors')
              ?.shadowRoot?.querySelectorAll('.pane:not([hidden]) .cm-line') ?? [],
            (line) => line.textContent,
          ).join('\n') === expected,
        text,
      )
      .catch(() => undefined); // the comparison below shows the difference
    assert.equal(await this.text, text);
  }

  /** Waits until a line of the document contains a text. */
  async untilHas(text: string): Promise<void> {
    await this.page.locator('.pane:not([hidden]) .cm-line', { hasText: text }).first().waitFor();
  }

  async untilHasNot(text: string): Promise<void> {
    await this.page
      .locator('.pane:not([hidden]) .cm-line', { hasText: text })
      .first()
      .waitFor({ state: 'detached' });
  }

  /** Puts the caret at the end of the first line that contains a text. */
  async click(text: string): Promise<void> {
    await this.page.locator('.pane:not([hidden]) .cm-line', { hasText: text }).first().click();
    await this.press('End');
  }

  /** Requests an edit with the prompt. */
  async requestEdit(instruction: string): Promise<void> {
    await this.press('Control+k');
    await this.page.locator('#prompt .scope', { hasText: /line|running/ }).waitFor();
    await this.type(instruction);
    await this.press('Enter');
  }

  /** Waits for the first line of the answer, and checks that its last line has not arrived. */
  async untilStreaming(): Promise<void> {
    await this.untilHas('Lay out what was bought');
    await this.checkStreaming();
  }

  async checkStreaming(): Promise<void> {
    assert(!(await this.text).includes('"total {total'), 'the answer arrived too early for this test');
  }

  /** Waits until no edit runs and one is in review. */
  async untilInReview(): Promise<void> {
    await this.see('#review', /change/);
    await this.page.locator('#status .running').waitFor({ state: 'detached' });
  }

  async untilEnded(): Promise<void> {
    await this.page.locator('#status .running').waitFor({ state: 'detached' });
    await this.page.locator('#review').waitFor({ state: 'hidden' });
  }

  see = (selector: string, text: string | RegExp) =>
    this.page.locator(selector, { hasText: text }).first().waitFor();
}

export const fileNamed = (name: string): Promise<string> => readFile(join(FOLDER, name), 'utf8');

/** The text of the shown document; the window is high enough for all lines. */
function readText(): string {
  const content = document
    .querySelector('#editors')
    ?.shadowRoot?.querySelector('.pane:not([hidden]) .cm-content');
  return Array.from(content?.querySelectorAll('.cm-line') ?? [], (line) => line.textContent).join('\n');
}
