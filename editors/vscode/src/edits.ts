/** The edits that run or wait to be looked over, as the server tells of them, where they are now. */

import {
  EventEmitter,
  window,
  type Disposable,
  type Range,
  type TextDocument,
  type TextDocumentContentChangeEvent,
} from 'vscode';

import { moved, type Moves } from './moves';
import { asRange, documentAt, isOnLines } from './places';
import type { EditChanged, State, Hunk, Mode, Outcome, Stats } from './protocol';

/** A hunk, and where it is now: whole lines, or an empty range where lines are gone and none came. */
export interface PlacedHunk {
  id: string;
  range: Range;
  removed: string;
}

export interface Edit {
  readonly id: string;
  readonly document: TextDocument;
  state: State;
  outcome: Outcome | null;
  mode: Mode;
  model: string | null;
  stats: Stats;
  /** Its scope, as far as it is known. */
  range: Range | null;
  /** What has come in, as long as it runs. */
  fresh: Range[];
  hunks: PlacedHunk[];
}

/** What only the one who asked knows of an edit. */
export interface Asked {
  instruction: string;
  variations: number;
  /** How far it is, in the server's words. */
  progress?: string;
  /** What the model wrote beside its code. */
  message?: string;
}

export const isLive = ({ state }: Edit) => state === 'queued' || state === 'running';
export const isInReview = ({ state }: Edit) => state === 'review';

/** To be told what the server tells, and of every change of a document. */
export class Edits implements Disposable {
  readonly #edits = new Map<string, Edit>();
  readonly #asked = new Map<string, Asked>();
  readonly #changed = new EventEmitter<TextDocument | undefined>();
  /** The newest edit of a document that was refused, while the text is as that left it. */
  readonly #refused = new WeakMap<TextDocument, string>();
  #last: Edit | undefined;

  /** Tells that the edits of a document have changed, or those of all. */
  readonly onDidChange = this.#changed.event;

  constructor(readonly moves: Moves) {}

  dispose(): void {
    this.#changed.dispose();
  }

  /** All, oldest first. */
  get all(): Edit[] {
    return [...this.#edits.values()];
  }

  /** The newest that has its outcome: how fast it was is worth showing. */
  get last(): Edit | undefined {
    return this.#last;
  }

  of(document: TextDocument): Edit[] {
    return this.all.filter((edit) => edit.document === document);
  }

  asked(edit: Edit): Asked | undefined {
    return this.#asked.get(edit.id);
  }

  /** The wanted edit at the caret of the active editor, else the newest in its document. */
  here(isWanted: (edit: Edit) => boolean): Edit | undefined {
    const editor = window.activeTextEditor;
    if (editor === undefined) return undefined;
    const edits = this.of(editor.document).filter(isWanted);
    return (
      edits.findLast(({ range }) => range !== null && isOnLines(range, editor.selection.active)) ??
      edits.at(-1)
    );
  }

  /** The hunk at the caret of the active editor. */
  hunkHere(): { edit: Edit; hunk: PlacedHunk } | undefined {
    const editor = window.activeTextEditor;
    if (editor === undefined) return undefined;
    for (const edit of this.of(editor.document).filter(isInReview)) {
      const hunk = edit.hunks.find(({ range }) => isOnLines(range, editor.selection.active));
      if (hunk) return { edit, hunk };
    }
    return undefined;
  }

  /** The id of the newest refused edit of the active document, while the text is as that left it. */
  get refusedHere(): string | undefined {
    const document = window.activeTextEditor?.document;
    return document && this.#refused.get(document);
  }

  /** Takes note of what is asked for. */
  ask(editId: string, asked: Asked): void {
    this.#asked.set(editId, asked);
  }

  /** Forgets what was asked for, once it has come to nothing or has ended. */
  unask(editId: string): void {
    if (!this.#edits.has(editId)) this.#asked.delete(editId);
  }

  /** Adds what is known of an edit that was asked for here: how far it is, or what the model says. */
  inform(editId: string, news: Pick<Asked, 'progress' | 'message'>): void {
    const asked = this.#asked.get(editId);
    if (asked === undefined) return;
    Object.assign(asked, news);
    this.#changed.fire(this.#edits.get(editId)?.document);
  }

  /** Takes `twospeed/editChanged`. */
  take(told: EditChanged): void {
    const before = this.#edits.get(told.editId);
    const document = before?.document ?? documentAt(told.uri);
    if (document === undefined) return;
    const edit: Edit = {
      ...{ id: told.editId, document, state: told.state, mode: told.mode, model: told.model },
      outcome: told.outcome,
      stats: told.stats,
      range: told.range && this.moves.now(document, asRange(told.range), told.version),
      fresh: before && told.state === 'running' ? before.fresh : [],
      hunks: told.state === 'review' ? this.#placed(document, told.hunks, told.version) : [],
    };
    if (told.outcome !== null) this.#last = edit;
    if (told.state === 'ended') {
      if (told.outcome === 'refused') this.#refused.set(document, edit.id);
      this.#edits.delete(edit.id);
      this.#asked.delete(edit.id);
    } else this.#edits.set(edit.id, edit);
    this.#changed.fire(document);
  }

  #placed(document: TextDocument, hunks: readonly Hunk[], version: number): PlacedHunk[] {
    return hunks
      .map(({ id, range, removed }) => ({
        id,
        removed,
        range: this.moves.now(document, asRange(range), version),
      }))
      .sort((one, other) => one.range.start.compareTo(other.range.start));
  }

  /** Marks lines of an edit that have just come in. */
  arrived(editId: string, ranges: readonly Range[]): void {
    const edit = this.#edits.get(editId);
    if (edit === undefined || !isLive(edit)) return;
    edit.fresh.push(...ranges);
    this.#changed.fire(edit.document);
  }

  /** Moves what is known along with a document that changes. */
  follow(document: TextDocument, changes: readonly TextDocumentContentChangeEvent[]): void {
    if (changes.length > 0) this.#refused.delete(document);
    for (const edit of this.of(document)) {
      edit.range = edit.range && moved(edit.range, changes);
      edit.fresh = edit.fresh.map((range) => moved(range, changes)).filter((range) => !range.isEmpty);
      for (const hunk of edit.hunks) hunk.range = moved(hunk.range, changes);
    }
  }

  /** After the server's end nothing is known of what it had under way. */
  forgetAll(): void {
    this.#edits.clear();
    this.#asked.clear();
    this.#changed.fire(undefined);
  }
}
