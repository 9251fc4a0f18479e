/** The input box for an instruction: for a scope, or for a running edit. */

import { commands, ThemeIcon, window, type Disposable, type InputBox, type Memento } from 'vscode';

import { ICONS, LABELS, type ModeChoice, type Step } from '../protocol';
import type { Modes } from '../server/modes';
import { setContext } from '../ui/contextKeys';
import { HistoryCursor, remember } from './history';

/** What a prompt is for. The prompt reads it again at each redraw. */
export interface PromptSubject {
  /** For example `Edit · function total, 12 lines`. */
  title(): string;
  placeholder: string;
  /** The mode of the running edit; by default the current mode. */
  mode?: ModeChoice;
  /** Chooses more lines (1) or fewer (-1). Without it, the scope is fixed. */
  changeScope?(step: Step): void;
}

const MODE_ICONS: Record<ModeChoice, string> = { lightning: 'zap', deep: 'lightbulb', both: 'layers' };
const LARGER = { iconPath: new ThemeIcon('expand-all'), tooltip: 'More lines (Alt+↑)' };
const SMALLER = { iconPath: new ThemeIcon('collapse-all'), tooltip: 'Fewer lines (Alt+↓)' };

/** The open prompt, if any. Its keys are commands; package.json binds them. */
export class Prompt implements Disposable {
  #open: { box: InputBox; subject: PromptSubject; cursor: HistoryCursor } | undefined;
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

  /** Opens the box; returns the instruction, or `undefined` if the user closed it. */
  async ask(subject: PromptSubject): Promise<string | undefined> {
    this.#open?.box.hide();
    const box = window.createInputBox();
    const open = { box, subject, cursor: new HistoryCursor(this.history) };
    this.#open = open;
    box.placeholder = subject.placeholder;
    box.prompt = subject.changeScope
      ? '↑↓ earlier instructions, Alt+↑↓ more or fewer lines'
      : '↑↓ earlier instructions';
    box.ignoreFocusOut = true; // the user may scroll and select code meanwhile
    this.redraw();
    setContext('prompting', true);
    const accepted = new Promise<string | undefined>((resolve) => {
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
    const instruction = await accepted;
    if (this.#open === open) {
      this.#open = undefined;
      setContext('prompting', false);
    }
    box.dispose();
    if (instruction !== undefined) remember(this.history, instruction);
    return instruction;
  }

  /** Goes to the previous instruction (1) or the next one (-1). */
  recall(step: Step): void {
    if (!this.#open) return;
    const { box, cursor } = this.#open;
    const found = cursor.step(step, box.value);
    if (found === undefined) return;
    box.value = found;
    box.valueSelection = [found.length, found.length];
  }

  changeScope(step: Step): void {
    this.#open?.subject.changeScope?.(step);
  }

  /** Shows the current mode and subject. */
  redraw(): void {
    if (!this.#open) return;
    const { box, subject } = this.#open;
    const mode = subject.mode ?? this.modes.state?.mode ?? 'lightning';
    const models = this.modes.modelsOf(mode).map(({ model }) => model);
    box.title = [`${ICONS[mode]} ${subject.title()}`, ...models].join(' · ');
    const toggle = {
      iconPath: new ThemeIcon(MODE_ICONS[mode]),
      tooltip: `${LABELS[mode]}: switch the mode (Ctrl+Shift+L)`,
    };
    box.buttons = subject.changeScope ? [toggle, SMALLER, LARGER] : [toggle];
  }
}
