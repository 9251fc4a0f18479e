/** Hands on the real keyboard and eyes on the real screen, from inside of the extension host: `workbench.mjs` does it. */

async function use(skill: string, what: unknown): Promise<unknown> {
  const url = process.env.TWOSPEED_HANDS;
  if (url === undefined) throw new Error('TWOSPEED_HANDS is not set: workbench.mjs sets it');
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ skill, what }) });
  if (!answer.ok) throw new Error(`${skill}: ${await answer.text()}`);
  return await answer.json();
}

/** Presses keys together, such as `Control+Shift+L`. */
export const press = (keys: string) => use('press', keys);

/** Types a text, a key every `delay` milliseconds. */
export const type = (text: string, delay = 40) => use('type', { text, delay });

/** Waits for an input box, types into it and presses Enter. */
export const answer = (text: string) => use('answer', text);

/** Waits until the status bar, a message or the prompt shows a text. */
export const see = (text: string) => use('see', text);

/** Waits until none of them shows a text any more. */
export const seeNo = (text: string) => use('seeNo', text);

/** Waits until something on the screen that is found by a selector has a text. */
export const seeAt = (selector: string, text: string) => use('seeAt', { selector, text });

/** Clicks on something that is found by a selector and has a text. */
export const click = (selector: string, text: string) => use('click', { selector, text });

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
export const say = (text: string) => use('say', text);

/** Keeps a picture of the screen, `screen.png` beside the project. */
export const photograph = () => use('photograph', null);
