/** The page in a real browser: keys, clicks, and what is on the screen; everything that is asked for over the network. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { chromium, type Browser, type Page } from 'playwright-core';

const LIMIT_MS = 20_000;

export function given(name: string): string {
  const value = process.env[name];
  assert(value, `${name} is not set: test_web_page.py sets it`);
  return value;
}

const FOLDER = given('TWOSPEED_FOLDER');
export const before = await readFile(given('TWOSPEED_BEFORE'), 'utf8');
export const after = await readFile(given('TWOSPEED_AFTER'), 'utf8');

/** Starts Chromium, for which `evil.example` is this machine: to a page that is DNS rebinding. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: given('TWOSPEED_CHROMIUM'),
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      '--host-resolver-rules=MAP evil.example 127.0.0.1',
    ],
  });

export class Scene {
  /** All addresses that were asked for. */
  readonly asked: string[] = [];
  /** What the browser complained of, such as a breach of the page's own rules. */
  readonly complaints: string[] = [];

  private constructor(
    readonly page: Page,
    readonly address: string,
  ) {}

  /** Opens the page that `address` leads to, and one of its files. */
  static async open(browser: Browser, address: string, file?: string): Promise<Scene> {
    const context = await browser.newContext({
      viewport: { width: 1200, height: 1400 },
    });
    const scene = new Scene(await context.newPage(), address);
    scene.page.setDefaultTimeout(LIMIT_MS);
    scene.page.on('request', (request) => scene.asked.push(request.url()));
    scene.page.on('websocket', (line) => scene.asked.push(line.url()));
    scene.page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') scene.complaints.push(message.text());
    });
    scene.page.on('pageerror', (error) => scene.complaints.push(String(error)));
    await scene.page.goto(address);
    await scene.isReady();
    if (file !== undefined) await scene.page.locator('#tabs button', { hasText: file }).click();
    return scene;
  }

  async isReady(): Promise<void> {
    await this.page.locator('html[data-ready=true]').waitFor();
  }

  /** Nothing but this page's own port was asked for, and the browser had nothing to complain of. */
  async close(): Promise<void> {
    const { host } = new URL(this.address);
    for (const url of this.asked) assert.equal(new URL(url).host, host, url);
    assert.deepEqual(this.complaints, []);
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
        (wanted) =>
          Array.from(
            document
              .querySelector('#editors')
              ?.shadowRoot?.querySelectorAll('.pane:not([hidden]) .cm-line') ?? [],
            (line) => line.textContent,
          ).join('\n') === wanted,
        text,
      )
      .catch(() => undefined); // the comparison says what is different
    assert.equal(await this.text, text);
  }

  /** Waits until the document holds a piece. */
  async untilHas(piece: string): Promise<void> {
    await this.page.locator('.pane:not([hidden]) .cm-line', { hasText: piece }).first().waitFor();
  }

  async untilHasNot(piece: string): Promise<void> {
    await this.page
      .locator('.pane:not([hidden]) .cm-line', { hasText: piece })
      .first()
      .waitFor({ state: 'detached' });
  }

  /** Puts the caret at the end of the first line that holds a piece. */
  async click(piece: string): Promise<void> {
    await this.page.locator('.pane:not([hidden]) .cm-line', { hasText: piece }).first().click();
    await this.press('End');
  }

  /** Asks for an edit the way a person does. */
  async ask(instruction: string): Promise<void> {
    await this.press('Control+k');
    await this.page.locator('#prompt .scope', { hasText: /line|running/ }).waitFor();
    await this.type(instruction);
    await this.press('Enter');
  }

  /** Waits for the answer's first line; its last one is still to come. */
  async streams(): Promise<void> {
    await this.untilHas('Lay out what was bought');
    await this.isStillStreaming();
  }

  async isStillStreaming(): Promise<void> {
    assert(!(await this.text).includes('"total {total'), 'the answer was in too early for this test');
  }

  /** Waits until nothing runs, and something is to be decided. */
  async isInReview(): Promise<void> {
    await this.see('#review', /change/);
    await this.page.locator('#status .running').waitFor({ state: 'detached' });
  }

  async isOver(): Promise<void> {
    await this.page.locator('#status .running').waitFor({ state: 'detached' });
    await this.page.locator('#review').waitFor({ state: 'hidden' });
  }

  see = (where: string, what: string | RegExp) =>
    this.page.locator(where, { hasText: what }).first().waitFor();
}

export const fileNamed = (name: string): Promise<string> => readFile(join(FOLDER, name), 'utf8');

/** The text of the document on the screen; the window is high enough for all of it. */
function readText(): string {
  const content = document
    .querySelector('#editors')
    ?.shadowRoot?.querySelector('.pane:not([hidden]) .cm-content');
  return Array.from(content?.querySelectorAll('.cm-line') ?? [], (line) => line.textContent).join('\n');
}
