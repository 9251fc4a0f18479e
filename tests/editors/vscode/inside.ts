/** What `workbench.mjs` runs inside of the real workbench: documents are watched here, keys come from a keyboard. */

import { photograph, say, see } from './hands';
import { prompting } from './prompting';
import { reviewing } from './reviewing';
import { serving } from './serving';
import { streaming } from './streaming';

const tests = { ...streaming, ...prompting, ...reviewing, ...serving };

/** Runs those whose names match TWOSPEED_ONLY, or all. */
export async function run(): Promise<void> {
  const only = new RegExp(process.env.TWOSPEED_ONLY ?? '');
  await see('⚡ Lightning · fast'); // the server is there
  for (const [name, test] of Object.entries(tests).filter(([name]) => only.test(name))) {
    try {
      await test();
    } catch (error) {
      await photograph();
      await say(`FAILED: ${name}\n${error instanceof Error ? (error.stack ?? '') : String(error)}`);
      throw error;
    }
    await say(`ok: ${name}`);
  }
}
