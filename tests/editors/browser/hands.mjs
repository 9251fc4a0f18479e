/**
 * A page in Chromium, and hands on it: reads lines of JSON, `{"id", "path", "args"}`, and calls that method of
 * Playwright's `Page`, such as `keyboard.press`; answers `{"id", "result"}` or `{"id", "error"}`, in order.
 *
 * With TWOSPEED_FRAMES it also tells of what the page says on WebSockets, and hears there:
 * `{"at": seconds, "url", "from": "page" | "server", "text"}`. It ends with its input, and the browser with it.
 *
 * With TWOSPEED_FILM it films the page into that folder: a picture whenever the page looks different, which is named
 * after its moment, in seconds since 1970.
 */

import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const { TWOSPEED_PLAYWRIGHT, TWOSPEED_CHROMIUM, TWOSPEED_FRAMES, TWOSPEED_FILM } = process.env;
const LIMIT_MS = 20_000;
const { chromium } = createRequire(join(TWOSPEED_PLAYWRIGHT, 'package.json'))('playwright-core');

const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** Tells of the messages of each line that the page opens. */
function listen(page) {
  page.on('websocket', (line) => {
    const hear = (from) => (frame) =>
      tell({
        at: Number(process.hrtime.bigint()) / 1e9,
        url: line.url(),
        from,
        text: String(frame.payload),
      });
    line.on('framesent', hear('page'));
    line.on('framereceived', hear('server'));
  });
}

/** Playwright's own screencast gives JPEG, which blurs letters. */
async function film(page) {
  const camera = await page.context().newCDPSession(page);
  camera.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
    writeFileSync(join(TWOSPEED_FILM, `${metadata.timestamp}.png`), data, 'base64');
    void camera.send('Page.screencastFrameAck', { sessionId });
  });
  await camera.send('Page.startScreencast', { format: 'png' });
}

async function call(page, path, args) {
  const names = path.split('.');
  const method = names.pop();
  const owner = names.reduce((value, name) => value[name], page);
  const result = await owner[method](...args);
  // What Playwright gives back to be called on, such as an element, has no meaning at the other end.
  return result === undefined || typeof result?.dispose === 'function' ? null : result;
}

const browser = await chromium.launch({
  executablePath: TWOSPEED_CHROMIUM,
  args: [
    ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-quic', '--no-first-run'],
    ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  ],
});
try {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 1400 },
  });
  page.setDefaultTimeout(LIMIT_MS);
  if (TWOSPEED_FRAMES) listen(page);
  if (TWOSPEED_FILM) await film(page);
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, path, args } = JSON.parse(line);
    try {
      tell({ id, result: await call(page, path, args) });
    } catch (error) {
      tell({ id, error: String(error) });
    }
  }
} finally {
  await browser.close();
}
