/** The mode that is on, and who serves each, as the server said last. */

import { EventEmitter, type Disposable } from 'vscode';

import type { ModeState, StatusResult } from './protocol';

export class Modes implements Disposable {
  readonly #changed = new EventEmitter<ModeState>();
  #state: ModeState | undefined;

  readonly onDidChange = this.#changed.event;

  /** Nothing before the server has told. */
  get state(): ModeState | undefined {
    return this.#state;
  }

  dispose(): void {
    this.#changed.dispose();
  }

  /** Takes `twospeed/modeChanged`. */
  take(state: ModeState): void {
    this.#state = state;
    this.#changed.fire(state);
  }

  /** Takes `twospeed/status`: of each lane the first that is ready serves. */
  takeStatus({ mode, lanes }: StatusResult): void {
    const [lightning, deep] = [lanes.lightning, lanes.deep].map((lane) => lane.find((entry) => entry.ready));
    if (lightning && deep) this.take({ mode, lightning, deep });
  }
}
