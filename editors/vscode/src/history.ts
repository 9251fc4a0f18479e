/** Instructions that were given before, kept from session to session on this machine. */

import type { Memento } from 'vscode';

import type { Step } from './protocol';

const KEY = 'twospeed.instructions';
const KEPT = 100;

/** A walk through them: `step` goes to an earlier one or back, and gives what the box is to hold. */
export class Walk {
  readonly #all: readonly string[];
  #back = 0;
  #typed = '';

  constructor(history: Memento) {
    this.#all = instructions(history);
  }

  /** `undefined` where there is none further; what had been typed stands behind the newest. */
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

/** Keeps an instruction as the newest. */
export function remember(history: Memento, instruction: string): void {
  const others = instructions(history).filter((each) => each !== instruction);
  void history.update(KEY, [...others, instruction].slice(-KEPT));
}
