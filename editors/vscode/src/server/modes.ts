/** The current mode, and the model of each mode, as the server last reported them. */

import { EventEmitter, type Disposable } from 'vscode';

import type { ModeState, StatusResult } from '../protocol';

export class Modes implements Disposable {
  readonly #changed = new EventEmitter<ModeState>();
  #state: ModeState | undefined;

  readonly onDidChange = this.#changed.event;

  /** `undefined` until the server has reported it. */
  get state(): ModeState | undefined {
    return this.#state;
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
