/** The current mode, and the models of each mode, as the server last reported them. */

import { EventEmitter, type Disposable } from 'vscode';

import type { ModeChoice, ModeState, ServedBy, StatusResult } from '../protocol';

export class Modes implements Disposable {
  readonly #changed = new EventEmitter<ModeState>();
  #state: ModeState | undefined;

  readonly onDidChange = this.#changed.event;

  /** `undefined` until the server has reported it. */
  get state(): ModeState | undefined {
    return this.#state;
  }

  /** The models of a mode, by default of the current one. */
  modelsOf(mode = this.#state?.mode): ServedBy[] {
    return this.#state && mode ? servedBy(this.#state, mode) : [];
  }

  dispose(): void {
    this.#changed.dispose();
  }

  /** Handles `twospeed/modeChanged`. */
  update(state: ModeState): void {
    this.#state = state;
    this.#changed.fire(state);
  }

  /** Handles the result of `twospeed/status`: each mode uses the first entry of its lane that is ready. */
  updateFromStatus({ mode, lanes }: StatusResult): void {
    const [lightning, deep] = [lanes.lightning, lanes.deep].map((lane) => lane.find((entry) => entry.ready));
    if (lightning && deep) this.update({ mode, lightning, deep });
  }
}

const servedBy = ({ lightning, deep }: ModeState, mode: ModeChoice): ServedBy[] =>
  ({ lightning: [lightning], deep: [deep], both: [lightning, deep] })[mode];
