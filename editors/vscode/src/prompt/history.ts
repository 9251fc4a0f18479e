/** Earlier instructions, which VS Code stores on this machine. */

import type { Memento } from 'vscode';

import type { Step } from '../protocol';

const KEY = 'twospeed.instructions';
const KEPT = 100;

/** The position in the history while one prompt is open. */
export class HistoryCursor {
  readonly #all: readonly string[];
  #back = 0;
  #typed = '';

  constructor(history: Memento) {
    this.#all = instructions(history);
  }

  /**
   * Goes to the previous instruction (1) or the next one (-1); `undefined` at either end.
   *
   * The step after the newest instruction returns to what the user had typed.
   */
  step(step: Step, typed: string): string | undefined {
    const back = this.#back + step;
    const found = back === 0 ? this.#typed : this.#all.at(-back);
    if (back < 0 || found === undefined) return undefined;
    if (this.#back === 0) this.#typed = typed;
    this.#back = back;
    return back === 0 ? this.#typed : found;
  }
}

const instructions = (history: Memento) => history.get<string[]>(KEY, []);

/** Stores an instruction as the newest one. */
export function remember(history: Memento, instruction: string): void {
  const others = instructions(history).filter((each) => each !== instruction);
  void history.update(KEY, [...others, instruction].slice(-KEPT));
}
