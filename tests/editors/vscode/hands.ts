/** Hands on the real keyboard and eyes on the real screen, from inside of the extension host: `workbench.mjs` does it. */

import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

async function use(skill: string, what: unknown): Promise<unknown> {
  const socketPath = process.env.TWOSPEED_HANDS;
  if (socketPath === undefined) throw new Error('TWOSPEED_HANDS is not set: test_workbench.py sets it');
  const asked = request({ socketPath, method: 'POST' });
  asked.end(JSON.stringify({ skill, what }));
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const words = await text(answer);
  if (answer.statusCode !== 200) throw new Error(`${skill}: ${words}`);
  return JSON.parse(words);
}

/** Presses keys together, such as `Control+Shift+L`. */
export const press = (keys: string) => use('press', keys);

/** Types a text, a key every `delay` milliseconds. */
export const type = (words: string, delay = 40) => use('type', { text: words, delay });

/** Waits for an input box, types into it and presses Enter. */
export const answer = (words: string) => use('answer', words);

/** Waits until the status bar, a message or the prompt shows a text. */
export const see = (words: string) => use('see', words);

/** Waits until none of them shows a text any more. */
export const seeNo = (words: string) => use('seeNo', words);

/** Waits until something on the screen that is found by a selector has a text. */
export const seeAt = (selector: string, words: string) => use('seeAt', { selector, text: words });

/** Clicks on something that is found by a selector and has a text. */
export const click = (selector: string, words: string) => use('click', { selector, text: words });

/** What is painted into the editor on the screen, in lines. */
export interface Marks {
  /** With a background: lines that came in, hunks, or the scope that is asked about. */
  painted: number;
  /** With a bar at their side: where an edit is at work. */
  bars: number;
  /** With an edge above: where lines are gone and none came. */
  edges: number;
}

/** Waits until so much is painted into the editor, and no more. */
export const seeMarks = (wanted: Partial<Marks>) => use('seeMarks', { wanted });

/** Waits until so much is painted into it, or more. */
export const seeMarksGrow = (wanted: Partial<Marks>) => use('seeMarks', { wanted, isLeast: true });

/** Waits until keys go to an editor. */
export const seeFocus = () => use('seeFocus', null);

/** Waits until the status bar shows no running edit. */
export const seeNoEditRun = () => use('seeNoEditRun', null);

/** Prints a line where the test was started. */
export const say = (words: string) => use('say', words);

/** Keeps a picture of the screen, `screen.png` beside the project. */
export const photograph = () => use('photograph', null);
