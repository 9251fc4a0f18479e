/** A document that is open: its editor, its version, and what the server is told of it and may do to it. */

import {
  ChangeSet,
  EditorState,
  Transaction,
  type ChangeDesc,
  type Extension,
  type Text,
} from '@codemirror/state';
import { EditorView, type ViewUpdate } from '@codemirror/view';

import { addFresh, runningIn, type Span } from './marks';
import { Ruler } from './positions';
import type { ApplyEditParams, ApplyEditResult, Range } from './protocol';
import type { Peer } from './rpc';
import { arrival, UndoStep, unseen } from './undoStep';

/** How many versions back a range may be that the server names. */
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
  readonly #ruler: Ruler;
  /** The last changes; each leads to the version behind the one before. */
  #changes: ChangeDesc[] = [];
  readonly #steps = new Map<string, UndoStep>();
  /** Edits while which something was typed. */
  readonly #typedInto = new Set<string>();
  #peer: Peer | null = null;
  /** As it is on the disk. */
  #saved: Text;

  /** Opens it in `parent`, which is in `root`; nobody is told yet. */
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
    this.#ruler = Ruler.of(file.text);
    this.view = new EditorView({
      doc: EditorState.create({ extensions: EditorState.lineSeparator.of(this.#ruler.lineBreak) }).toText(
        file.text,
      ),
      extensions: [
        EditorState.lineSeparator.of(this.#ruler.lineBreak),
        this.#ruler.adapting,
        extensions,
        EditorView.updateListener.of((update) => {
          this.#follow(update.transactions);
          onUpdate(update);
        }),
      ],
      root,
      parent,
    });
    this.#saved = this.view.state.doc;
  }

  get text(): string {
    return this.#ruler.textOf(this.view.state.doc);
  }

  /** Quick also in a long text: what two states share is not looked at. */
  get isDirty(): boolean {
    return !this.#saved.eq(this.view.state.doc);
  }

  get id(): { uri: string; version: number } {
    return { uri: this.uri, version: this.version };
  }

  /** The selection, or where the caret is. */
  get selection(): Range {
    const { from, to } = this.view.state.selection.main;
    return this.#ruler.rangeOf(this.view.state.doc, from, to);
  }

  rangeOf({ from, to }: Span): Range {
    return this.#ruler.rangeOf(this.view.state.doc, from, to);
  }

  /** Where a range of an earlier version is now; `null` if that was too long ago. */
  spanOf(range: Range, version = this.version): Span | null {
    const doc = this.view.state.doc;
    if (version === this.version) {
      return { from: this.#ruler.offsetAt(doc, range.start), to: this.#ruler.offsetAt(doc, range.end) };
    }
    const since = this.#changes.slice(this.#changes.length - (this.version - version));
    if (version > this.version || since.length < this.version - version || this.#ruler.isMixed) return null;
    const then = this.#docs.get(version);
    if (then === undefined) return null;
    const map = (offset: number, side: number) =>
      since.reduce((at, change) => change.mapPos(at, side), offset);
    const from = map(this.#ruler.offsetAt(then, range.start), 1);
    return { from, to: Math.max(from, map(this.#ruler.offsetAt(then, range.end), -1)) };
  }

  /** Texts share all that is equal in them, so that keeping some costs little. */
  readonly #docs = new Map<number, EditorState['doc']>();

  /** Tells a server that this document is open; from here on it hears of each change. */
  open(peer: Peer): void {
    this.#peer = peer;
    this.version += 1;
    this.#remember(ChangeSet.empty(this.view.state.doc.length).desc);
    this.#steps.clear();
    const { uri, version, text } = this;
    peer.notify('textDocument/didOpen', {
      textDocument: { uri, languageId: this.languageId, version, text },
    });
  }

  /** `textDocument/didSave`; `doc` is what was written. */
  saved(doc: Text): void {
    this.#saved = doc;
    this.#peer?.notify('textDocument/didSave', { textDocument: { uri: this.uri } });
  }

  /** `twospeed/applyEdit`: all of a shipment at exactly its version, or nothing and why. */
  applyEdit({ editId, textDocument, edits, undoStopAfter }: ApplyEditParams): ApplyEditResult {
    if (textDocument.version !== this.version) {
      return { applied: false, version: this.version, reason: 'stale' };
    }
    const { state } = this.view;
    if (!edits.every(({ newText }) => this.#ruler.fits(newText))) {
      throw new Error('an edit with other line breaks than the document');
    }
    if (edits.length > 0) {
      const step = this.#stepOf(editId);
      const changes = state.changes(
        this.#ruler
          .changesOf(state.doc, edits)
          .map((each) => ({ ...each, insert: state.toText(each.insert) })),
      );
      step.arrived(changes, state.doc);
      const spans: Span[] = [];
      changes.iterChanges((_fromA, _toA, from, to) => spans.push({ from, to }));
      const isRunning = runningIn(state).has(editId);
      this.view.dispatch({
        changes,
        effects: isRunning ? addFresh.of({ editId, spans }) : [],
        annotations: [arrival.of(editId), Transaction.addToHistory.of(false), Transaction.remote.of(true)],
        filter: false,
      });
    }
    if (undoStopAfter) this.closeStep(editId);
    return { applied: true, version: this.version };
  }

  /** Makes an edit one step of the history, if it is none yet. */
  closeStep(editId: string): void {
    const step = this.#steps.get(editId);
    this.#steps.delete(editId);
    this.#typedInto.delete(editId);
    const transactions = step?.close(this.view.state) ?? [];
    if (transactions.length > 0) this.view.dispatch(transactions);
  }

  /** An edit that has begun to arrive, and while which nothing was typed that an undo could mean. */
  get arriving(): string | undefined {
    return [...this.#steps.keys()].filter((editId) => !this.#typedInto.has(editId)).at(-1);
  }

  #stepOf(editId: string): UndoStep {
    const step = this.#steps.get(editId) ?? new UndoStep(this.view.state.doc);
    this.#steps.set(editId, step);
    return step;
  }

  /** Follows every change, and tells of it. */
  #follow(transactions: readonly Transaction[]): void {
    for (const transaction of transactions) {
      if (!transaction.docChanged || transaction.annotation(unseen) === true) continue;
      const { changes, startState } = transaction;
      const author = transaction.annotation(arrival);
      for (const [editId, step] of this.#steps) {
        if (editId === author) continue;
        step.typed(changes);
        if (author === undefined) this.#typedInto.add(editId);
      }
      this.version += 1;
      this.#remember(changes.desc, transaction.newDoc);
      this.#peer?.notify('textDocument/didChange', {
        textDocument: this.id,
        contentChanges: this.#ruler.contentChanges(startState.doc, changes),
      });
    }
  }

  #remember(change: ChangeDesc, doc = this.view.state.doc): void {
    this.#changes.push(change);
    this.#docs.set(this.version, doc);
    if (this.#changes.length > REMEMBERED_VERSIONS) {
      this.#changes.shift();
      this.#docs.delete(this.version - REMEMBERED_VERSIONS);
    }
  }
}
