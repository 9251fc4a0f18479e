/** Runs all tests in the extension host of the real workbench; `workbench.mjs` starts it and sends keys. */

import { calling } from './calling';
import { checking } from './checking';
import { deepening } from './deepening';
import { print, see, takeScreenshot } from './workbench_client';
import { inNotebooks } from './notebooks';
import { placing } from './placing';
import { prompting } from './prompting';
import { reviewing } from './reviewing';
import { serving } from './serving';
import { streaming } from './streaming';
import { suggesting } from './suggesting';

const tests = {
  ...streaming,
  ...prompting,
  ...reviewing,
  ...checking,
  ...deepening,
  ...calling,
  ...placing,
  ...suggesting,
  ...inNotebooks,
  ...serving,
};

/** Runs the tests whose names match TWOSPEED_ONLY, or all. */
export async function run(): Promise<void> {
  const only = new RegExp(process.env.TWOSPEED_ONLY ?? '');
  await see('⚡ Lightning · fast'); // the server is ready
  for (const [name, test] of Object.entries(tests).filter(([name]) => only.test(name))) {
    try {
      await test();
    } catch (error) {
      await takeScreenshot();
      await print(`FAILED: ${name}\n${error instanceof Error ? (error.stack ?? '') : String(error)}`);
      throw error;
    }
    await print(`ok: ${name}`);
  }
}
