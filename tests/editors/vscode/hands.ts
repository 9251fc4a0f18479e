/** Hands on the real keyboard and eyes on the real screen, from inside of the extension host: `workbench.mjs` does it. */

async function use(skill: string, what: unknown): Promise<void> {
  const url = process.env.TWOSPEED_HANDS;
  if (url === undefined) throw new Error('TWOSPEED_HANDS is not set: workbench.mjs sets it');
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ skill, what }) });
  if (!answer.ok) throw new Error(`${skill}: ${await answer.text()}`);
}

/** Presses keys together, such as `Control+Shift+L`. */
export const press = (keys: string) => use('press', keys);

/** Types a text, a key every `delay` milliseconds. */
export const type = (text: string, delay = 40) => use('type', { text, delay });

/** Waits for an input box, types into it and presses Enter. */
export const answer = (text: string) => use('answer', text);

/** Waits until the status bar or a message shows a text. */
export const see = (text: string) => use('see', text);

/** Waits until keys go to an editor. */
export const seeFocus = () => use('seeFocus', null);

/** Waits until the status bar shows no running edit. */
export const seeNoEditRun = () => use('seeNoEditRun', null);

/** Prints a line where the test was started. */
export const say = (text: string) => use('say', text);

/** Keeps a picture of the screen, `screen.png` beside the project. */
export const photograph = () => use('photograph', null);
