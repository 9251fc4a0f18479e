/** What is going on: the mode and its model in the status bar, live edits there and in `when` clauses. */

import { commands, StatusBarAlignment, window } from 'vscode';

import type { EditChanged, Mode, ModeState, StatusResult } from './protocol';

const TITLES: Record<Mode, string> = { lightning: '⚡ Lightning', deep: '🧠 Deep' };

/** Shows what the server tells; `dispose` takes it off the screen. */
export class Status {
  readonly #item = window.createStatusBarItem('twospeed.mode', StatusBarAlignment.Right, 100);
  readonly #states = new Map<string, EditChanged['state']>();
  #mode: ModeState | undefined;

  constructor() {
    this.#item.name = 'twospeed';
    this.#item.command = 'twospeed.toggleMode';
  }

  dispose(): void {
    this.#item.dispose();
  }

  /** Takes `twospeed/modeChanged`. */
  showMode(state: ModeState): void {
    this.#mode = state;
    this.#show();
  }

  /** Takes `twospeed/editChanged`. */
  showEdit({ editId, state }: EditChanged): void {
    if (state === 'ended') this.#states.delete(editId);
    else this.#states.set(editId, state);
    this.#show();
  }

  #show(): void {
    const states = [...this.#states.values()];
    const live = states.filter((state) => state !== 'review').length;
    void commands.executeCommand('setContext', 'twospeed.streaming', live > 0);
    void commands.executeCommand('setContext', 'twospeed.reviewing', live < states.length);
    if (this.#mode === undefined) return;
    const { mode } = this.#mode;
    const { provider, model } = this.#mode[mode];
    this.#item.text = `${TITLES[mode]} · ${model}${live > 0 ? ' $(loading~spin)' : ''}`;
    this.#item.tooltip = `twospeed: ${provider}/${model}, ${live.toString()} edits running`;
    this.#item.show();
  }
}

/** The mode as `twospeed/status` tells it: of each lane the first that is ready serves. */
export function modeOf({ mode, lanes }: StatusResult): ModeState | undefined {
  const lightning = lanes.lightning.find((entry) => entry.ready);
  const deep = lanes.deep.find((entry) => entry.ready);
  return lightning && deep && { mode, lightning, deep };
}
