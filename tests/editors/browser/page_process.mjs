/**
 * A page in Chromium, controlled by lines of JSON on stdin: `{"id", "path", "args"}` calls a method of Playwright's
 * `Page`, such as `keyboard.press`. It answers `{"id", "result"}` or `{"id", "error"}` on stdout, in order.
 *
 * With TWOSPEED_FRAMES it also reports the messages on WebSockets of the page:
 * `{"at": seconds, "url", "from": "page" | "server", "text"}`. It ends at the end of its input, with the browser.
 *
 * With TWOSPEED_FILM it writes a screenshot into that folder after each visible change of the page, named after its time
 * in seconds since 1970.
 */

import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const { TWOSPEED_PLAYWRIGHT, TWOSPEED_CHROMIUM, TWOSPEED_FRAMES, TWOSPEED_FILM } = process.env;
const LIMIT_MS = 20_000;
const { chromium } = createRequire(join(TWOSPEED_PLAYWRIGHT, 'package.json'))('playwright-core');

const send = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** Reports the messages of each WebSocket that the page opens. */
function listen(page) {
  page.on('websocket', (socket) => {
    const report = (from) => (frame) =>
      send({
        at: Number(process.hrtime.bigint()) / 1e9,
        url: socket.url(),
        from,
        text: String(frame.payload),
      });
    socket.on('framesent', report('page'));
    socket.on('framereceived', report('server'));
  });
}

/** Records PNG; the screencast of Playwright is JPEG, which blurs letters. */
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
  // Handles of Playwright, such as elements, cannot be sent as JSON.
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
      send({ id, result: await call(page, path, args) });
    } catch (error) {
      send({ id, error: String(error) });
    }
  }
} finally {
  await browser.close();
}
