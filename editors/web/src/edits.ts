/** The edits of this page: asked for here, followed as the server tells, decided here. */

import { StateEffect } from '@codemirror/state';

import type { OpenDocument } from './documents';
import { hunksIn, runningIn, setHunks, setRunning, type PaintedHunk } from './marks';
import type { Choice } from './messages';
import {
  ICONS,
  other,
  type EditChanged,
  type EditResult,
  type EditState,
  type Hunk,
  type Mode,
  type Partial,
  type Range,
  type ScopeChoice,
  type ShownAnswer,
  type Stats,
} from './protocol';
import { RpcError, type Peer } from './rpc';

const CANCELLED = -32800;
/** Reasons with which an answer is not offered. */
const FINAL = new Set(['never-send', 'not-agreed']);

export interface Edit {
  readonly id: string;
  readonly document: OpenDocument;
  instruction: string;
  state: EditState;
  mode: Mode;
  model: string | null;
  /** The last whole thought of a model that tells. */
  thought: string;
  stats: Stats | null;
  variations: number;
  shown: number;
}

export interface Wish {
  range: Range;
  scope: ScopeChoice;
  instruction: string;
  variations: number;
  follows?: string | undefined;
}

export interface EditsView {
  /** Something about an edit has changed. */
  changed(): void;
  /** Says something, with what may be done about it; returns what takes it back. */
  say(text: string, kind: 'error' | 'warning' | 'info', choices?: readonly Choice[]): () => void;
  /** Shows a refused answer beside the text that it would have replaced. */
  showAnswer(edit: Edit, answer: ShownAnswer): void;
}

export class Edits {
  readonly #edits = new Map<string, Edit>();
  #n = 0;
  /** What is said about refused answers, by their documents: the version they are for, and what takes it back. */
  readonly #refusals = new Map<OpenDocument, { version: number; close: () => void }>();

  constructor(
    readonly peer: () => Peer,
    readonly documentAt: (uri: string) => OpenDocument | undefined,
    readonly view: EditsView,
  ) {}

  /** Those of a document, newest last. */
  in(document: OpenDocument): Edit[] {
    return [...this.#edits.values()].filter((edit) => edit.document === document);
  }

  live(document: OpenDocument): Edit | undefined {
    return this.in(document).findLast(isLive);
  }

  /** One that runs where the caret is; it may be there as long as its lines are not known. */
  liveHere(document: OpenDocument): Edit | undefined {
    const { state } = document.view;
    const { from, to } = state.selection.main;
    const spans = runningIn(state);
    return this.in(document).findLast((edit) => {
      const span = spans.get(edit.id);
      const isHere = span === undefined || (span.from <= to && from <= Math.max(span.from, span.to - 1));
      return isLive(edit) && isHere;
    });
  }

  inReview(document: OpenDocument): Edit | undefined {
    return this.in(document).findLast(({ state }) => state === 'review');
  }

  get all(): Edit[] {
    return [...this.#edits.values()];
  }

  /** Without the server that made them, nothing is known of edits but their text, which can be undone. */
  forgetAll(): void {
    for (const edit of this.#edits.values()) {
      this.#paint(edit, null, []);
      edit.document.closeStep(edit.id);
    }
    this.#edits.clear();
    for (const { close } of this.#refusals.values()) close();
    this.#refusals.clear();
    this.view.changed();
  }

  /** `twospeed/edit`; ends when the last of it is in. */
  async begin(document: OpenDocument, wish: Wish, mode: Mode): Promise<void> {
    const id = `web-${String((this.#n += 1))}-${crypto.randomUUID().slice(0, 8)}`;
    const { follows, ...rest } = wish;
    const edit = this.#edit(id, document, mode, wish.instruction);
    edit.variations = wish.variations;
    this.view.changed();
    await this.#guarded(async () => {
      const result = await this.peer().request<EditResult>('twospeed/edit', {
        editId: id,
        textDocument: document.id,
        ...rest,
        ...(follows === undefined ? {} : { follows }),
        partialResultToken: id,
      });
      this.#take(edit, result);
    }, edit);
  }

  async steer(edit: Edit, instruction: string): Promise<void> {
    await this.#guarded(async () => {
      await this.peer().request('twospeed/steer', { editId: edit.id, instruction });
      edit.instruction = instruction;
    });
  }

  async cancel(edit: Edit): Promise<void> {
    await this.#guarded(() => this.peer().request('twospeed/cancel', { editId: edit.id }));
  }

  async decide(edit: Edit, action: 'accept' | 'reject', hunk?: string): Promise<void> {
    await this.#guarded(async () => {
      const { hunks, version } = await this.peer().request<{ hunks: Hunk[]; version: number }>(
        'twospeed/decide',
        {
          editId: edit.id,
          action,
          ...(hunk === undefined ? {} : { hunk }),
        },
      );
      this.#paintHunks(edit, hunks, version);
      if (action === 'reject' && hunk === undefined && hunks.length > 0) {
        this.view.say('lines that you have changed since stay as they are', 'warning');
      }
    });
  }

  async variation(edit: Edit, step: 1 | -1): Promise<void> {
    await this.#guarded(async () => {
      const result = await this.peer().request<EditResult>('twospeed/variation', { editId: edit.id, step });
      edit.shown += step;
      this.#take(edit, result);
    });
  }

  /** The deep lane looks over a fast edit; what it finds comes as diagnostics. */
  async review(edit: Edit): Promise<void> {
    await this.#command('twospeed.review', [edit.id]);
  }

  async retry(edit: Edit): Promise<void> {
    await this.#command('twospeed.retry', [{ editId: edit.id, mode: other(edit.mode) }]);
  }

  async repeat(document: OpenDocument): Promise<void> {
    await this.#command('twospeed.repeat', [{ uri: document.uri, range: document.selection }]);
  }

  async showAnswer(edit: Edit): Promise<void> {
    await this.#guarded(async () => {
      this.view.showAnswer(edit, await this.#execute<ShownAnswer>('twospeed.showAnswer', [edit.id]));
    });
  }

  async applyAnyway(edit: Edit): Promise<void> {
    await this.#command('twospeed.applyAnyway', [edit.id]);
  }

  /** A refused answer is for one version of a document: takes back what is said of it once that has changed. */
  textChanged(document: OpenDocument): void {
    const refusal = this.#refusals.get(document);
    if (refusal === undefined || refusal.version === document.version) return;
    this.#refusals.delete(document);
    refusal.close();
  }

  /** `twospeed/editChanged`. */
  follow(told: EditChanged): void {
    const document = this.documentAt(told.uri);
    if (document === undefined) return;
    const edit = this.#edits.get(told.editId) ?? this.#edit(told.editId, document, told.mode, '');
    Object.assign(edit, { state: told.state, mode: told.mode, model: told.model, stats: told.stats });
    const span = isLive(edit) && told.range ? document.spanOf(told.range, told.version) : null;
    this.#paint(edit, span, told.state === 'review' ? told.hunks : [], told.version);
    if (!isLive(edit)) document.closeStep(edit.id);
    this.view.changed();
  }

  /** `$/progress` of an edit's partial results. */
  progress(token: string, value: Partial): void {
    const edit = this.#edits.get(token);
    if (edit === undefined) return;
    if (value.type === 'started') edit.model = value.model;
    else if (value.type === 'reasoning') {
      edit.thought = (edit.thought + value.text).slice(-2_000);
    } else return;
    this.view.changed();
  }

  #edit(id: string, document: OpenDocument, mode: Mode, instruction: string): Edit {
    const edit: Edit = {
      ...{ id, document, instruction, mode, state: 'queued', model: null, thought: '', stats: null },
      ...{ variations: 1, shown: 0 },
    };
    this.#edits.set(id, edit);
    return edit;
  }

  #take(edit: Edit, result: EditResult): void {
    edit.stats = result.stats;
    edit.model = result.model;
    if (edit.state === 'review') this.#paintHunks(edit, result.hunks, result.version);
    this.view.changed();
    const words = remark(result);
    if (words === null) return;
    const choices = this.#choicesOf(edit, result);
    const kind = result.outcome === 'failed' ? 'error' : 'warning';
    const close = this.view.say(`${ICONS[result.mode]} ${words}`, kind, choices);
    if (choices.length === 0) return;
    const { document } = edit;
    this.#refusals.get(document)?.close();
    this.#refusals.set(document, { version: document.version, close });
  }

  #choicesOf(edit: Edit, { answer, reason }: EditResult): Choice[] {
    if (answer === null || reason === null || FINAL.has(reason.code)) return [];
    return [
      { title: 'Show the answer', run: () => this.showAnswer(edit) },
      { title: 'Apply anyway', run: () => this.applyAnyway(edit) },
    ];
  }

  #paint(
    edit: Edit,
    span: { from: number; to: number } | null,
    hunks: readonly Hunk[],
    version?: number,
  ): void {
    edit.document.view.dispatch({
      effects: [setRunning.of({ editId: edit.id, span }), this.#hunksEffect(edit, hunks, version)],
    });
  }

  #paintHunks(edit: Edit, hunks: readonly Hunk[], version: number): void {
    edit.document.view.dispatch({ effects: this.#hunksEffect(edit, hunks, version) });
    this.view.changed();
  }

  #hunksEffect(
    { id: editId, document }: Edit,
    hunks: readonly Hunk[],
    version?: number,
  ): StateEffect<unknown> {
    const painted = hunks.flatMap(({ id, range, removed }): PaintedHunk[] => {
      const span = document.spanOf(range, version);
      return span ? [{ editId, id, removed, ...span }] : [];
    });
    return setHunks.of({ editId, hunks: painted });
  }

  async #command(command: string, args: unknown[]): Promise<void> {
    await this.#guarded(() => this.#execute(command, args));
  }

  #execute<T>(command: string, args: unknown[]): Promise<T> {
    return this.peer().request<T>('workspace/executeCommand', { command, arguments: args });
  }

  async #guarded(work: () => Promise<unknown>, edit?: Edit): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (edit?.state === 'queued') this.#edits.delete(edit.id);
      this.view.changed();
      if (error instanceof RpcError && error.code === CANCELLED) return;
      this.view.say(error instanceof Error ? error.message : String(error), 'error');
    }
  }
}

const isLive = ({ state }: Edit): boolean => state === 'queued' || state === 'running';

/** The changes of an edit that are not decided yet, where they are now. */
export const hunksOf = ({ id, document }: Edit): PaintedHunk[] =>
  hunksIn(document.view.state).filter(({ editId }) => editId === id);

/** What the text does not show of how an edit ended. */
function remark({ outcome, reason, conflicts, message }: EditResult): string | null {
  const says = message === null ? '' : `; the model says: ${message}`;
  if (outcome === 'cancelled') return null;
  if (outcome === 'unchanged') return `nothing had to be changed${says}`;
  if (conflicts.length > 0) return 'lines you have typed in stayed as you typed them';
  return reason && `${outcome}: ${reason.message}${says}`;
}
