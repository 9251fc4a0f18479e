/** The status bar: the mode with its model, and beside it the edit that runs, waits to be looked over, or was the last. */

import { MarkdownString, StatusBarAlignment, window, type Disposable } from 'vscode';

import { isInReview, isLive, type Edit, type Edits } from './edits';
import type { Modes } from './modes';
import { ICONS, LABELS, type ModeState, type Stats } from './protocol';

/** Shows what is known; `dispose` takes it off the screen. */
export class Status implements Disposable {
  readonly #mode = window.createStatusBarItem('twospeed.mode', StatusBarAlignment.Right, 111);
  readonly #edit = window.createStatusBarItem('twospeed.edit', StatusBarAlignment.Right, 110);
  readonly #listeners: Disposable[];

  constructor(
    readonly edits: Edits,
    readonly modes: Modes,
  ) {
    this.#mode.name = 'twospeed: mode';
    this.#edit.name = 'twospeed: edit';
    this.#edit.command = 'twospeed.menu';
    const show = () => {
      this.#showEdit();
    };
    this.#listeners = [
      edits.onDidChange(show),
      window.onDidChangeActiveTextEditor(show),
      modes.onDidChange((state) => {
        this.#showMode(state);
      }),
    ];
  }

  dispose(): void {
    for (const each of [...this.#listeners, this.#mode, this.#edit]) each.dispose();
  }

  /** Shows that no server serves, but one is on its way. */
  showStart(): void {
    this.#mode.text = '$(loading~spin) twospeed';
    this.#mode.tooltip = 'twospeed: the server starts. Click to start it again.';
    this.#mode.command = 'twospeed.restart';
    this.#mode.show();
  }

  /** Shows that no server runs, and why. */
  showTrouble(why: string): void {
    this.#mode.text = '$(warning) twospeed';
    this.#mode.tooltip = `twospeed: ${why}. Click to start it again.`;
    this.#mode.command = 'twospeed.restart';
    this.#mode.show();
  }

  #showMode({ mode, ...served }: ModeState): void {
    const { provider, model } = served[mode];
    this.#mode.text = `${ICONS[mode]} ${LABELS[mode]} · ${model}`;
    this.#mode.tooltip = `twospeed: ${provider}/${model} serves. Click to switch between Lightning and Deep.`;
    this.#mode.command = 'twospeed.toggleMode';
    this.#mode.show();
  }

  #showEdit(): void {
    const all = this.edits.all;
    const live = all.filter(isLive);
    const shown = this.edits.here(isLive) ?? live.at(-1) ?? this.edits.here(isInReview) ?? this.edits.last;
    if (shown === undefined) {
      this.#edit.hide();
      return;
    }
    this.#edit.text = isLive(shown) ? this.#running(shown, live.length) : figures(shown);
    this.#edit.tooltip = this.#describe(shown);
    this.#edit.show();
  }

  #running(edit: Edit, count: number): string {
    const doing = this.edits.asked(edit)?.progress ?? (edit.state === 'queued' ? 'waiting' : 'editing');
    const others = count > 1 ? `, and ${(count - 1).toString()} more` : '';
    return `$(loading~spin) ${ICONS[edit.mode]} ${shortened(doing)}${others}`;
  }

  #describe(edit: Edit): MarkdownString {
    const text = new MarkdownString();
    const asked = this.edits.asked(edit);
    if (asked) text.appendText(`“${asked.instruction}”`).appendMarkdown('\n\n');
    const { model, stats, mode } = edit;
    text.appendText(`${ICONS[mode]} ${[model ?? 'no model yet', ...speed(stats)].join(' · ')}`);
    if (asked?.message) text.appendMarkdown('\n\n').appendText(`The model says: ${asked.message}`);
    return text.appendMarkdown('\n\n').appendText('Click to see what can be done.');
  }
}

/** What an edit has come to, its model and its speed. */
function figures(edit: Edit): string {
  const { mode, model, stats } = edit;
  return [`${ICONS[mode]} ${result(edit)}`, ...(model === null ? [] : [model]), ...speed(stats)].join(' · ');
}

/** The changes to look over, or the lines that came and went; else the word for how it ended. */
function result(edit: Edit): string {
  if (isInReview(edit)) return changes(edit.hunks.length);
  if (edit.outcome !== null && edit.outcome !== 'applied') return edit.outcome;
  const { linesAdded, linesRemoved } = edit.stats;
  return `+${linesAdded.toString()} −${linesRemoved.toString()}`;
}

export const changes = (count: number) => (count === 1 ? '1 change' : `${count.toString()} changes`);

/** How fast an edit was, as far as it is known. */
function speed({ durationMs, tokensPerSecond }: Stats): string[] {
  return [
    `${(durationMs / 1000).toFixed(2)} s`,
    ...(tokensPerSecond === null ? [] : [`${tokensPerSecond.toFixed(0)} tokens/s`]),
  ];
}

const shortened = (text: string) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);
