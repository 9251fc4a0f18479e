/** Keys and screen checks of the workbench for tests in the extension host; `workbench.mjs` performs them. */

import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';

async function call(method: string, argument: unknown): Promise<unknown> {
  const socketPath = process.env.TWOSPEED_WORKBENCH_SOCKET;
  if (socketPath === undefined)
    throw new Error('TWOSPEED_WORKBENCH_SOCKET is not set: test_workbench.py sets it');
  const outgoing = request({ socketPath, method: 'POST' });
  outgoing.end(JSON.stringify({ method, argument }));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const body = await readText(response);
  if (response.statusCode !== 200) throw new Error(`${method}: ${body}`);
  return JSON.parse(body);
}

/** Presses keys together, such as `Control+Shift+L`. */
export const press = (keys: string) => call('press', keys);

/** Types a text, one key every `delay` milliseconds. */
export const type = (text: string, delay = 40) => call('type', { text, delay });

/** Waits for an input box, types into it and presses Enter. */
export const answer = (text: string) => call('answer', text);

/** Waits until the status bar, a message or the prompt shows a text. */
export const see = (text: string) => call('see', text);

/** Waits until none of them shows a text any more. */
export const seeNo = (text: string) => call('seeNo', text);

/** Waits until an element that matches the selector contains a text. */
export const seeAt = (selector: string, text: string) => call('seeAt', { selector, text });

/** Clicks an element that matches the selector and contains a text. */
export const click = (selector: string, text: string) => call('click', { selector, text });

/** The numbers of decorated lines in the editor. */
export interface Marks {
  /** With a background: streamed lines, hunks, or the scope of the prompt. */
  painted: number;
  /** With a bar at the side: the scope of a running edit. */
  bars: number;
  /** With an edge above: where lines were removed without replacement. */
  edges: number;
  /** With a dotted bar: what the deep model would change. */
  offered: number;
}

/** Waits until exactly these numbers of lines are decorated. */
export const seeMarks = (expected: Partial<Marks>) => call('seeMarks', { expected });

/** Waits until at least these numbers of lines are decorated. */
export const seeMarksGrow = (expected: Partial<Marks>) => call('seeMarks', { expected, isMinimum: true });

/** Waits until an editor has the focus. */
export const seeFocus = () => call('seeFocus', null);

/** Waits until the status bar shows no running edit. */
export const seeNoEditRun = () => call('seeNoEditRun', null);

/** Prints a line to the output of the test. */
export const print = (text: string) => call('print', text);

/** Writes a screenshot to `screen.png`, next to the project folder. */
export const takeScreenshot = () => call('takeScreenshot', null);
