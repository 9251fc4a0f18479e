/** An open document: its editor, its version, its synchronization with the server, and `twospeed/applyEdit`. */

import {
  ChangeSet,
  EditorState,
  Transaction,
  type StateEffect,
  type ChangeDesc,
  type Extension,
  type Text,
} from '@codemirror/state';
import { EditorView, type ViewUpdate } from '@codemirror/view';

import { groupOf, type ApplyEditParams, type ApplyEditResult, type Range } from '../protocol';
import type { Peer } from '../server/rpc';
import { addInserted, scopesIn, type Span } from './decorations';
import { LspPositions } from './lspPositions';
import { editOrigin, UndoStep, historyOnly } from './undoStep';

/** A message of the server may name a range of a version that is at most this much older. */
const REMEMBERED_VERSIONS = 500;

export interface FileText {
  uri: string;
  name: string;
  languageId: string;
  text: string;
}

export class OpenDocument {
  readonly uri: string;
  readonly name: string;
  readonly view: EditorView;
  version = 0;
  readonly languageId: string;
  readonly #positions: LspPositions;
  /** The last changes, one per version, oldest first. */
  #changes: ChangeDesc[] = [];
  readonly #undoSteps = new Map<string, UndoStep>();
  /** Edits that are arriving, and during which the user typed. */
  readonly #editsWithTyping = new Set<string>();
  #peer: Peer | null = null;
  /** The text on disk. */
  #saved: Text;

  /** Creates the editor in `parent`, which is in `root`. The server does not know the document yet. */
  constructor(
    file: FileText,
    root: ShadowRoot,
    parent: HTMLElement,
    extensions: Extension,
    onUpdate: (update: ViewUpdate) => void,
  ) {
    this.uri = file.uri;
    this.name = file.name;
    this.languageId = file.languageId;
    this.#positions = LspPositions.of(file.text);
    this.view = new EditorView({
      doc: EditorState.create({ extensions: EditorState.lineSeparator.of(this.#positions.lineBreak) }).toText(
        file.text,
      ),
      extensions: [
        EditorState.lineSeparator.of(this.#positions.lineBreak),
        this.#positions.adapting,
        extensions,
        EditorView.updateListener.of((update) => {
          this.#synchronize(update.transactions);
          onUpdate(update);
        }),
      ],
      root,
      parent,
    });
    this.#saved = this.view.state.doc;
  }

  get text(): string {
    return this.#positions.textOf(this.view.state.doc);
  }

  /** Fast for long texts too: `eq` skips the parts that both texts share. */
  get isDirty(): boolean {
    return !this.#saved.eq(this.view.state.doc);
  }

  get id(): { uri: string; version: number } {
    return { uri: this.uri, version: this.version };
  }

  /** The selection; an empty range at the caret if nothing is selected. */
  get selection(): Range {
    const { from, to } = this.view.state.selection.main;
    return this.#positions.rangeOf(this.view.state.doc, from, to);
  }

  rangeOf({ from, to }: Span): Range {
    return this.#positions.rangeOf(this.view.state.doc, from, to);
  }

  /** Maps a range of an earlier version to the current text; `null` if that version is too old. */
  spanOf(range: Range, version = this.version): Span | null {
    const doc = this.view.state.doc;
    if (version === this.version) {
      return {
        from: this.#positions.offsetAt(doc, range.start),
        to: this.#positions.offsetAt(doc, range.end),
      };
    }
    const since = this.#changes.slice(this.#changes.length - (this.version - version));
    if (version > this.version || since.length < this.version - version || this.#positions.isMixed)
      return null;
    const then = this.#docs.get(version);
    if (then === undefined) return null;
    const map = (offset: number, side: number) =>
      since.reduce((at, change) => change.mapPos(at, side), offset);
    const from = map(this.#positions.offsetAt(then, range.start), 1);
    return { from, to: Math.max(from, map(this.#positions.offsetAt(then, range.end), -1)) };
  }

  /** The texts of the last versions. They share equal parts, so keeping them costs little memory. */
  readonly #docs = new Map<number, EditorState['doc']>();

  /** Sends `textDocument/didOpen`; from then on each change is sent too. */
  open(peer: Peer): void {
    this.#peer = peer;
    this.version += 1;
    this.#recordVersion(ChangeSet.empty(this.view.state.doc.length).desc);
    this.#undoSteps.clear();
    const { uri, version, text } = this;
    peer.notify('textDocument/didOpen', {
      textDocument: { uri, languageId: this.languageId, version, text },
    });
  }

  /** Sends `textDocument/didSave`; `doc` is the text that was written. */
  saved(doc: Text): void {
    this.#saved = doc;
    this.#peer?.notify('textDocument/didSave', { textDocument: { uri: this.uri } });
  }

  /** `twospeed/applyEdit`: applies all edits if the document has their version, else none. */
  applyEdit({
    editId,
    textDocument,
    edits,
    undoStopAfter,
  }: Omit<ApplyEditParams, 'seq' | 'undoStopBefore'>): ApplyEditResult {
    if (textDocument.version !== this.version) {
      return { applied: false, version: this.version, reason: 'stale' };
    }
    const { state } = this.view;
    if (!edits.every(({ newText }) => this.#positions.fits(newText))) {
      throw new Error('the line breaks of the edit differ from those of the document');
    }
    if (edits.length > 0) {
      const step = this.#undoStepOf(editId);
      const changes = state.changes(
        this.#positions
          .changesOf(state.doc, edits)
          .map((each) => ({ ...each, insert: state.toText(each.insert) })),
      );
      step.recordEdit(changes, state.doc);
      const effects: StateEffect<unknown>[] = [];
      changes.iterChanges((start, _end, from, to) => {
        const place = runningAt(state, editId, start);
        if (place !== undefined) effects.push(addInserted.of({ editId: place, spans: [{ from, to }] }));
      });
      this.view.dispatch({
        changes,
        effects,
        annotations: [editOrigin.of(editId), Transaction.addToHistory.of(false), Transaction.remote.of(true)],
        filter: false,
      });
    }
    if (undoStopAfter) this.closeUndoStep(editId);
    return { applied: true, version: this.version };
  }

  /** Turns all changes of an edit into one undo step, unless that is done already. */
  closeUndoStep(editId: string): void {
    const step = this.#undoSteps.get(editId);
    this.#undoSteps.delete(editId);
    this.#editsWithTyping.delete(editId);
    const transactions = step?.close(this.view.state) ?? [];
    if (transactions.length > 0) this.view.dispatch(transactions);
  }

  /** The id of an edit that is arriving, if the user has typed nothing since its first change. */
  get streamingEditId(): string | undefined {
    return [...this.#undoSteps.keys()].filter((editId) => !this.#editsWithTyping.has(editId)).at(-1);
  }

  #undoStepOf(editId: string): UndoStep {
    const step = this.#undoSteps.get(editId) ?? new UndoStep(this.view.state.doc);
    this.#undoSteps.set(editId, step);
    return step;
  }

  /** Records each change and sends `textDocument/didChange`. */
  #synchronize(transactions: readonly Transaction[]): void {
    for (const transaction of transactions) {
      if (!transaction.docChanged || transaction.annotation(historyOnly) === true) continue;
      const { changes, startState } = transaction;
      const author = transaction.annotation(editOrigin);
      for (const [editId, step] of this.#undoSteps) {
        if (editId === author) continue;
        step.recordOther(changes);
        if (author === undefined) this.#editsWithTyping.add(editId);
      }
      this.version += 1;
      this.#recordVersion(changes.desc, transaction.newDoc);
      this.#peer?.notify('textDocument/didChange', {
        textDocument: this.id,
        contentChanges: this.#positions.contentChanges(startState.doc, changes),
      });
    }
  }

  #recordVersion(change: ChangeDesc, doc = this.view.state.doc): void {
    this.#changes.push(change);
    this.#docs.set(this.version, doc);
    if (this.#changes.length > REMEMBERED_VERSIONS) {
      this.#changes.shift();
      this.#docs.delete(this.version - REMEMBERED_VERSIONS);
    }
  }
}

/** The id of the running edit, or of the one of its places, whose scope contains an offset. */
function runningAt(state: EditorState, editId: string, offset: number): string | undefined {
  const scopes = scopesIn(state);
  if (scopes.has(editId)) return editId;
  const places = [...scopes].filter(([id]) => groupOf(id) === editId);
  return places.find(([, { from, to }]) => from <= offset && offset <= to)?.[0];
}
