/** The edits that run or are in review, as the server reported them, at their current positions. */

import {
  EventEmitter,
  window,
  type Disposable,
  type Position,
  type Range,
  type TextDocument,
  type TextDocumentContentChangeEvent,
} from 'vscode';

import { asRange, documentAt, isOnLines } from '../positions';
import {
  allHunks,
  groupOf,
  type DeepAnswer,
  type EditChanged,
  type Hunk,
  type OfferedHunk,
  type State,
  type Mode,
  type Outcome,
  type Range as LspRange,
  type Stats,
} from '../protocol';
import { mapRange, type DocumentChanges } from './documentChanges';

/** A part of a message at its current position. */
type Placed<Part> = Omit<Part, 'range'> & { range: Range };

/** `range` is empty if the hunk only removes lines. */
export type PlacedHunk = Placed<Hunk>;

/** A place that the deep answer would change. `range` is empty if the answer only inserts lines. */
export type PlacedOffer = Placed<OfferedHunk>;

export interface Edit {
  readonly id: string;
  /** Names all places of the edit; of an edit of one place its own id. */
  readonly group: string;
  readonly document: TextDocument;
  state: State;
  outcome: Outcome | null;
  mode: Mode;
  model: string | null;
  stats: Stats;
  /** The scope, once it is known. */
  range: Range | null;
  /** The new lines, while the edit runs. */
  newLines: Range[];
  hunks: PlacedHunk[];
  /** The answer of the deep model in the mode both. */
  deep: DeepAnswer | null;
  /** What the deep answer would change. It may be left when the hunks are decided. */
  offered: PlacedOffer[];
}

/** What this client knows about an edit that it requested. */
export interface EditRequestState {
  instruction: string;
  variations: number;
  /** The last progress message of the server. */
  progress?: string;
  /** What the model wrote outside its code block. */
  message?: string;
}

export const isLive = ({ state }: Edit) => state === 'queued' || state === 'running';
export const isInReview = ({ state }: Pick<Edit, 'state'>) => state === 'review';
export const hasHunks = ({ hunks }: Edit) => hunks.length > 0;
export const hasOffer = ({ offered }: Edit) => offered.length > 0;
/** Whether an edit in review awaits its deep answer. */
export const awaitsDeep = (edit: Edit) => isInReview(edit) && edit.deep?.state === 'requested';

const byStart = (one: { range: Range }, other: { range: Range }) =>
  one.range.start.compareTo(other.range.start);

/** Its owner passes it the notifications of the server and every change of a document. */
export class Edits implements Disposable {
  readonly #edits = new Map<string, Edit>();
  readonly #requests = new Map<string, EditRequestState>();
  readonly #changed = new EventEmitter<TextDocument | undefined>();
  /** The newest refused edit of a document, until the document changes. */
  readonly #refused = new WeakMap<TextDocument, string>();
  /** The newest accepted edit of a document: saving accepts an edit, and the commands of a verification read the file. */
  readonly #accepted = new WeakMap<TextDocument, string>();
  #last: Edit | undefined;

  /** Fires when the edits of a document have changed; without a document, those of all. */
  readonly onDidChange = this.#changed.event;

  constructor(readonly documentChanges: DocumentChanges) {}

  dispose(): void {
    this.#changed.dispose();
  }

  /** Oldest first. */
  get all(): Edit[] {
    return [...this.#edits.values()];
  }

  /** The newest edit that has an outcome. */
  get last(): Edit | undefined {
    return this.#last;
  }

  of(document: TextDocument): Edit[] {
    return this.all.filter((edit) => edit.document === document);
  }

  /** The undecided hunks of a document, from top to bottom. */
  hunksOf(document: TextDocument): PlacedHunk[] {
    return this.of(document)
      .filter(isInReview)
      .flatMap(({ hunks }) => hunks)
      .sort(byStart);
  }

  /** The positions of the undecided hunks and of the places of offers, from top to bottom. */
  startsOf(document: TextDocument): Position[] {
    return this.of(document)
      .flatMap(({ hunks, offered }) => [...hunks, ...offered])
      .sort(byStart)
      .map(({ range }) => range.start);
  }

  requestOf(edit: Edit): EditRequestState | undefined {
    return this.#requests.get(edit.group);
  }

  /** The edits of all places of an edit. */
  placesOf({ group }: Pick<Edit, 'group'>): Edit[] {
    return this.all.filter((edit) => edit.group === group);
  }

  /**
   * The matching edit at the caret of the active editor, else the newest matching one of its document.
   *
   * A change in the import block, or a place of an offer there, is outside of the scope of its edit.
   */
  atCaret(isWanted: (edit: Edit) => boolean): Edit | undefined {
    const editor = window.activeTextEditor;
    if (editor === undefined) return undefined;
    const changed = [this.hunkAtCaret()?.edit, this.offeredAtCaret()?.edit];
    const here = changed.find((edit) => edit !== undefined && isWanted(edit));
    if (here) return here;
    const edits = this.of(editor.document).filter(isWanted);
    return (
      edits.findLast(({ range }) => range !== null && isOnLines(range, editor.selection.active)) ??
      edits.at(-1)
    );
  }

  /** The hunk at the caret of the active editor. */
  hunkAtCaret(): { edit: Edit; hunk: PlacedHunk } | undefined {
    return this.#findAtCaret(({ hunks }) => hunks);
  }

  /** The place of an offer at the caret of the active editor. */
  offeredAtCaret(): { edit: Edit; hunk: PlacedOffer } | undefined {
    return this.#findAtCaret(({ offered }) => offered);
  }

  #findAtCaret<Part extends { range: Range }>(
    partsOf: (edit: Edit) => readonly Part[],
  ): { edit: Edit; hunk: Part } | undefined {
    const editor = window.activeTextEditor;
    if (editor === undefined) return undefined;
    for (const edit of this.of(editor.document)) {
      const hunk = partsOf(edit).find(({ range }) => isOnLines(range, editor.selection.active));
      if (hunk) return { edit, hunk };
    }
    return undefined;
  }

  /** The id of the newest refused edit of the active document, until the document changes. */
  get refusedEditId(): string | undefined {
    const document = window.activeTextEditor?.document;
    return document && this.#refused.get(document);
  }

  /** The id of the edit of the active document that can be verified: the one in review, else the newest accepted one. */
  get verifiableEditId(): string | undefined {
    const document = window.activeTextEditor?.document;
    return this.atCaret(isInReview)?.id ?? (document && this.#accepted.get(document));
  }

  addRequest(editId: string, request: EditRequestState): void {
    this.#requests.set(editId, request);
  }

  /** Removes a request after its response, unless its edit is in review. */
  removeRequest(editId: string): void {
    if (this.placesOf({ group: editId }).length === 0) this.#requests.delete(editId);
  }

  updateRequest(editId: string, update: Pick<EditRequestState, 'progress' | 'message'>): void {
    const request = this.#requests.get(editId);
    if (request === undefined) return;
    Object.assign(request, update);
    this.#changed.fire(this.placesOf({ group: editId })[0]?.document);
  }

  /** Handles `twospeed/editChanged`. */
  update(changed: EditChanged): void {
    const known = this.#edits.get(changed.editId);
    const document = known?.document ?? documentAt(changed.uri);
    if (document === undefined) return;
    const edit: Edit = {
      ...{
        id: changed.editId,
        group: groupOf(changed.editId),
        document,
        state: changed.state,
        mode: changed.mode,
        model: changed.model,
        deep: changed.deep,
      },
      outcome: changed.outcome,
      stats: changed.stats,
      range:
        changed.range && this.documentChanges.mapToCurrent(document, asRange(changed.range), changed.version),
      newLines: known && changed.state === 'running' ? known.newLines : [],
      hunks: isInReview(changed) ? this.#placed(document, changed, allHunks(changed)) : [],
      offered: isInReview(changed) ? this.#placed(document, changed, changed.offer?.hunks ?? []) : [],
    };
    if (changed.outcome !== null) this.#last = edit;
    if (changed.state === 'ended') {
      if (changed.outcome === 'refused') this.#refused.set(document, edit.id);
      if (changed.verdict === 'accepted') this.#accepted.set(document, edit.id);
      this.#edits.delete(edit.id);
      // Another place may not have been reported yet: then its request is still running.
      if (edit.group === edit.id) this.#requests.delete(edit.id);
    } else this.#edits.set(edit.id, edit);
    this.#changed.fire(document);
  }

  #placed<Part extends { range: LspRange }>(
    document: TextDocument,
    { version }: EditChanged,
    parts: readonly Part[],
  ): Placed<Part>[] {
    return parts
      .map((part) => ({
        ...part,
        range: this.documentChanges.mapToCurrent(document, asRange(part.range), version),
      }))
      .sort(byStart);
  }

  /** Adds ranges of new text of a running edit, each to the place around it. */
  addNewLines(editId: string, ranges: readonly Range[]): void {
    const live = this.placesOf({ group: editId }).filter(isLive);
    for (const range of ranges) {
      const isHere = (edit: Edit) => edit.id === editId || edit.range?.intersection(range) !== undefined;
      live.find(isHere)?.newLines.push(range);
    }
    this.#changed.fire(live[0]?.document);
  }

  /** Maps all positions through changes of a document. */
  applyChanges(document: TextDocument, changes: readonly TextDocumentContentChangeEvent[]): void {
    if (changes.length > 0) this.#refused.delete(document);
    for (const edit of this.of(document)) {
      edit.range = edit.range && mapRange(edit.range, changes);
      edit.newLines = edit.newLines
        .map((range) => mapRange(range, changes))
        .filter((range) => !range.isEmpty);
      for (const part of [...edit.hunks, ...edit.offered]) part.range = mapRange(part.range, changes);
    }
  }

  /** Removes all edits: the server has ended. */
  clear(): void {
    this.#edits.clear();
    this.#requests.clear();
    this.#changed.fire(undefined);
  }
}
