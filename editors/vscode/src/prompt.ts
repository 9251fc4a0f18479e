/** The box that asks what to change: for the lines it shows, or for an edit that runs. */

import { commands, ThemeIcon, window, type Disposable, type InputBox, type Memento } from 'vscode';

import { setContext } from './contexts';
import { remember, Walk } from './history';
import type { Modes } from './modes';
import { ICONS, LABELS, type Mode, type Step } from './protocol';

/** What a prompt is for; it is asked again whenever something may have changed. */
export interface PromptSubject {
  /** What the box says it is for, such as `Edit · function total, 12 lines`. */
  title(): string;
  placeholder: string;
  /** Of the edit it is for; without it the mode that is on. */
  mode?: Mode;
  /** Chooses more lines (1) or fewer (-1). Without it there is no choice. */
  changeScope?(step: Step): void;
}

const LARGER = { iconPath: new ThemeIcon('expand-all'), tooltip: 'More lines (Alt+↑)' };
const SMALLER = { iconPath: new ThemeIcon('collapse-all'), tooltip: 'Fewer lines (Alt+↓)' };

/** The prompt that is open, if one is; its keys are commands, which `package.json` gives to keys. */
export class Prompt implements Disposable {
  #open: { box: InputBox; subject: PromptSubject; walk: Walk } | undefined;
  readonly #listener: Disposable;

  constructor(
    readonly history: Memento,
    readonly modes: Modes,
  ) {
    this.#listener = modes.onDidChange(() => {
      this.redraw();
    });
  }

  dispose(): void {
    this.#listener.dispose();
    this.#open?.box.dispose();
  }

  /** Opens the box; gives the instruction, or nothing where it was closed. */
  async ask(subject: PromptSubject): Promise<string | undefined> {
    this.#open?.box.hide();
    const box = window.createInputBox();
    const open = { box, subject, walk: new Walk(this.history) };
    this.#open = open;
    box.placeholder = subject.placeholder;
    box.prompt = subject.changeScope
      ? '↑↓ earlier instructions, Alt+↑↓ more or fewer lines'
      : '↑↓ earlier instructions';
    box.ignoreFocusOut = true; // the code may be looked at, and selected, while the words are found
    this.redraw();
    setContext('prompting', true);
    const given = new Promise<string | undefined>((resolve) => {
      box.onDidAccept(() => {
        if (box.value.trim() === '') return;
        resolve(box.value.trim());
        box.hide();
      });
      box.onDidHide(() => {
        resolve(undefined);
      });
      box.onDidTriggerButton((button) => {
        if (button === LARGER) subject.changeScope?.(1);
        else if (button === SMALLER) subject.changeScope?.(-1);
        else void commands.executeCommand('twospeed.toggleMode');
      });
    });
    box.show();
    const instruction = await given;
    if (this.#open === open) {
      this.#open = undefined;
      setContext('prompting', false);
    }
    box.dispose();
    if (instruction !== undefined) remember(this.history, instruction);
    return instruction;
  }

  /** Goes to an earlier instruction (1) or back (-1). */
  recall(step: Step): void {
    if (!this.#open) return;
    const { box, walk } = this.#open;
    const found = walk.step(step, box.value);
    if (found === undefined) return;
    box.value = found;
    box.valueSelection = [found.length, found.length];
  }

  changeScope(step: Step): void {
    this.#open?.subject.changeScope?.(step);
  }

  /** Shows the mode and the subject as they are now. */
  redraw(): void {
    if (!this.#open) return;
    const { box, subject } = this.#open;
    const { state } = this.modes;
    const mode = subject.mode ?? state?.mode ?? 'lightning';
    const model = state ? ` · ${state[mode].model}` : '';
    box.title = `${ICONS[mode]} ${subject.title()}${model}`;
    const toggle = {
      iconPath: new ThemeIcon(mode === 'lightning' ? 'zap' : 'lightbulb'),
      tooltip: `${LABELS[mode]}: switch the mode (Ctrl+Shift+L)`,
    };
    box.buttons = subject.changeScope ? [toggle, SMALLER, LARGER] : [toggle];
  }
}
