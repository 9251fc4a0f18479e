/** The status bar: the mode with its model, and the running edit, the edit in review or the last edit. */

import { MarkdownString, StatusBarAlignment, window, type Disposable } from 'vscode';

import { awaitsDeep, hasHunks, hasOffer, isInReview, isLive, type Edit, type Edits } from '../edits/edits';
import { ICONS, LABELS, type DeepAnswer, type ModeState, type Stats } from '../protocol';
import type { Modes } from '../server/modes';

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

  /** Shows that the server is starting. */
  showStart(): void {
    this.#mode.text = '$(loading~spin) twospeed';
    this.#mode.tooltip = 'twospeed: the server is starting. Click to restart it.';
    this.#mode.command = 'twospeed.restart';
    this.#mode.show();
  }

  /** Shows why no server is running. */
  showFailure(why: string): void {
    this.#mode.text = '$(warning) twospeed';
    this.#mode.tooltip = `twospeed: ${why}. Click to restart it.`;
    this.#mode.command = 'twospeed.restart';
    this.#mode.show();
  }

  #showMode({ mode }: ModeState): void {
    const models = this.modes.modelsOf(mode);
    const names = models.map(({ provider, model }) => `${provider}/${model}`).join(' and ');
    this.#mode.text = [`${ICONS[mode]} ${LABELS[mode]}`, ...models.map(({ model }) => model)].join(' · ');
    this.#mode.tooltip = `twospeed uses ${names}. Click to switch to the next mode.`;
    this.#mode.command = 'twospeed.toggleMode';
    this.#mode.show();
  }

  #showEdit(): void {
    const all = this.edits.all;
    const live = all.filter(isLive);
    const shown =
      this.edits.atCaret(isLive) ?? live.at(-1) ?? this.edits.atCaret(isInReview) ?? this.edits.last;
    if (shown === undefined) {
      this.#edit.hide();
      return;
    }
    const nRunning = new Set(live.map(({ group }) => group)).size;
    const places = this.edits.placesOf(shown).filter(hasHunks);
    this.#edit.text = isLive(shown) ? this.#running(shown, nRunning) : summary(shown, places);
    this.#edit.tooltip = this.#describe(shown);
    this.#edit.show();
  }

  #running(edit: Edit, count: number): string {
    const doing = this.edits.requestOf(edit)?.progress ?? (edit.state === 'queued' ? 'waiting' : 'editing');
    const others = count > 1 ? `, and ${(count - 1).toString()} more` : '';
    return `$(loading~spin) ${ICONS[edit.mode]} ${shortened(doing)}${others}`;
  }

  #describe(edit: Edit): MarkdownString {
    const text = new MarkdownString();
    const request = this.edits.requestOf(edit);
    if (request) text.appendText(`“${request.instruction}”`).appendMarkdown('\n\n');
    const { model, stats, mode, deep } = edit;
    text.appendText(`${ICONS[mode]} ${[model ?? 'no model yet', ...speed(stats)].join(' · ')}`);
    if (deep) text.appendMarkdown('\n\n').appendText(describeDeep(deep));
    if (request?.message) text.appendMarkdown('\n\n').appendText(`The model says: ${request.message}`);
    return text.appendMarkdown('\n\n').appendText('Click for the available commands.');
  }
}

/** The result of an edit, its model and its speed. */
function summary(edit: Edit, places: readonly Edit[]): string {
  const { mode, model, stats } = edit;
  const models = model === null ? [] : [model];
  return [`${ICONS[mode]} ${result(edit, places)}`, ...models, ...speed(stats), ...deepSummary(edit)].join(
    ' · ',
  );
}

/** That the deep model works, or how many places it would change. */
function deepSummary(edit: Edit): string[] {
  if (awaitsDeep(edit)) return [`$(loading~spin) ${ICONS.deep} working`];
  return hasOffer(edit) ? [`${ICONS.deep} ${counted(edit.offered, 'place')}`] : [];
}

const describeDeep = ({ state, model, reason, stats }: DeepAnswer) =>
  `${ICONS.deep} ${[model ?? 'no model yet', ...speed(stats), reason?.message ?? state].join(' · ')}`;

/** The number of changes in review, or of added and removed lines, or the outcome. */
function result(edit: Edit, places: readonly Edit[]): string {
  if (hasHunks(edit)) return changes(places);
  if (edit.outcome !== null && edit.outcome !== 'applied') return edit.outcome;
  const { linesAdded, linesRemoved } = edit.stats;
  return `+${linesAdded.toString()} −${linesRemoved.toString()}`;
}

/** The number of changes at all places of an edit, and of the places if there are several. */
export function changes(places: readonly Edit[]): string {
  const words = counted(
    places.flatMap(({ hunks }) => hunks),
    'change',
  );
  return places.length > 1 ? `${words} at ${places.length.toString()} places` : words;
}

/** A number and its noun, such as `3 places`. */
export const counted = ({ length }: readonly unknown[], noun: string) =>
  `${length.toString()} ${noun}${length === 1 ? '' : 's'}`;

/** The duration and, if known, the speed of the model. */
function speed({ durationMs, tokensPerSecond }: Stats): string[] {
  return [
    `${(durationMs / 1000).toFixed(2)} s`,
    ...(tokensPerSecond === null ? [] : [`${tokensPerSecond.toFixed(0)} tokens/s`]),
  ];
}

const shortened = (text: string) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);
