/**
 * Builds the page: `node build.mjs [FOLDER]`, by default into the server's package.
 *
 * The same sources give the same bytes. `sources.sha256` is the hash of the sources, so that a test without Node can
 * detect that they have changed since the build.
 */

import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const MAX_GZIPPED = 250_000;
const HERE = import.meta.dirname;
const EXAMPLES = resolve(HERE, '../../examples');
const SAMPLES = ['checkout.ts', 'inventory.py'];
const out = resolve(process.argv[2] ?? join(HERE, '../../server/twospeed/cli/web_assets'));

/** Resolves `import text from 'sample:inventory.py'` to a file of the examples. */
const samples = {
  name: 'samples',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^sample:/ }, ({ path }) => ({
      path: path.slice('sample:'.length),
      namespace: 'sample',
    }));
    onLoad({ filter: /.*/, namespace: 'sample' }, async ({ path }) => ({
      contents: await readFile(join(EXAMPLES, path), 'utf8'),
      loader: 'text',
    }));
  },
};

await mkdir(out, { recursive: true });
await build({
  absWorkingDir: HERE,
  entryPoints: [
    { in: 'src/main.ts', out: 'page' },
    { in: 'src/styles/index.css', out: 'page' },
  ],
  outdir: out,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2023',
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [samples],
});
await copyFile(join(HERE, 'src', 'index.html'), join(out, 'index.html'));

const sources = [
  ...(await readdir(join(HERE, 'src'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name)),
  ...['build.mjs', 'package-lock.json'].map((name) => join(HERE, name)),
  ...SAMPLES.map((name) => join(EXAMPLES, name)),
].sort();
const hash = createHash('sha256');
for (const path of sources) hash.update(await readFile(path));
await writeFile(join(out, 'sources.sha256'), `${hash.digest('hex')}\n`);

let gzipped = 0;
for (const name of ['index.html', 'page.css', 'page.js']) {
  gzipped += gzipSync(await readFile(join(out, name)), { level: 9 }).length;
}
if (gzipped > MAX_GZIPPED)
  throw new Error(`the page is ${gzipped} bytes gzipped; ${MAX_GZIPPED} are allowed`);
console.log(`the page: ${gzipped} bytes gzipped`);
