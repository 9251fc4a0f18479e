/** The decorations of a document: scopes of running edits, new text, hunks with buttons, the scope of the prompt. */

import { StateEffect, StateField, type ChangeDesc, type EditorState, type Range } from '@codemirror/state';
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view';

import type { Action } from '../protocol';
import { button } from '../ui/dom';
import { historyOnly } from './undoStep';

/** Offsets in the text of the editor. */
export interface Span {
  from: number;
  to: number;
}

export interface PlacedHunk extends Span {
  editId: string;
  id: string;
  removed: string;
}

interface DecorationState {
  /** The scopes of running edits, by edit id. */
  running: ReadonlyMap<string, Span>;
  /** Text that running edits have inserted, by edit id. */
  inserted: ReadonlyMap<string, readonly Span[]>;
  hunks: readonly PlacedHunk[];
  /** The scope that the prompt shows. */
  promptScope: Span | null;
  showsRemoved: boolean;
}

export interface ReviewHandler {
  decide(hunk: PlacedHunk, action: Action): void;
}

export const setScope = StateEffect.define<{ editId: string; span: Span | null }>();
export const addInserted = StateEffect.define<{ editId: string; spans: readonly Span[] }>();
export const setHunks = StateEffect.define<{ editId: string; hunks: readonly PlacedHunk[] }>();
export const setPromptScope = StateEffect.define<Span | null>();
export const setShowsRemoved = StateEffect.define<boolean>();

const EMPTY: DecorationState = {
  running: new Map(),
  inserted: new Map(),
  hunks: [],
  promptScope: null,
  showsRemoved: true,
};

/** Returns the state field and its decorations; the buttons of a hunk call `handler`. */
export function editDecorations(handler: ReviewHandler) {
  return [
    field,
    EditorView.decorations.compute([field], (state) => paint(state, state.field(field))),
    EditorView.decorations.compute([field], (state) => widgets(state, state.field(field), handler)),
  ];
}

export const hunksIn = (state: EditorState): readonly PlacedHunk[] => state.field(field).hunks;
export const showsRemovedIn = (state: EditorState): boolean => state.field(field).showsRemoved;
export const scopesIn = (state: EditorState): ReadonlyMap<string, Span> => state.field(field).running;

const field = StateField.define<DecorationState>({
  create: () => EMPTY,
  update(value, transaction) {
    let next = value;
    if (transaction.docChanged && transaction.annotation(historyOnly) !== true) {
      next = mapped(next, transaction.changes);
    }
    for (const effect of transaction.effects) {
      if (effect.is(setScope)) next = { ...next, ...running(next, effect.value.editId, effect.value.span) };
      else if (effect.is(addInserted)) {
        const spans = [...(next.inserted.get(effect.value.editId) ?? []), ...effect.value.spans];
        next = { ...next, inserted: new Map(next.inserted).set(effect.value.editId, spans) };
      } else if (effect.is(setHunks)) {
        const { editId, hunks } = effect.value;
        const others = next.hunks.filter((hunk) => hunk.editId !== editId);
        next = { ...next, hunks: [...others, ...hunks].sort((a, b) => a.from - b.from) };
      } else if (effect.is(setPromptScope)) next = { ...next, promptScope: effect.value };
      else if (effect.is(setShowsRemoved)) next = { ...next, showsRemoved: effect.value };
    }
    return next;
  },
});

/** When an edit stops running, its inserted text is removed too: its hunks replace it. */
function running(
  value: DecorationState,
  editId: string,
  span: Span | null,
): Pick<DecorationState, 'running' | 'inserted'> {
  const next = new Map(value.running);
  if (span) return { running: next.set(editId, span), inserted: value.inserted };
  next.delete(editId);
  const inserted = new Map(value.inserted);
  inserted.delete(editId);
  return { running: next, inserted };
}

/** Maps a span through changes; text inserted at its edges stays outside. */
export function spanAfter<T extends Span>(changes: ChangeDesc, span: T): T {
  const from = changes.mapPos(span.from, 1);
  return { ...span, from, to: Math.max(from, changes.mapPos(span.to, -1)) };
}

function mapped(value: DecorationState, changes: ChangeDesc): DecorationState {
  // Text inserted at the edges of a scope belongs to the scope; text inserted at other edges does not.
  const around = (span: Span) => ({ from: changes.mapPos(span.from, -1), to: changes.mapPos(span.to, 1) });
  const within = <T extends Span>(span: T) => spanAfter(changes, span);
  return {
    ...value,
    running: new Map([...value.running].map(([id, span]) => [id, around(span)])),
    inserted: new Map(
      [...value.inserted].map(([id, spans]) => [id, spans.map(within).filter(({ from, to }) => from < to)]),
    ),
    hunks: value.hunks.map(within),
    promptScope: value.promptScope && within(value.promptScope),
  };
}

const LINES = Object.fromEntries(
  ['scope', 'fresh', 'added', 'candidate'].map((name) => [name, Decoration.line({ class: `ts-${name}` })]),
) as Record<'scope' | 'fresh' | 'added' | 'candidate', Decoration>;

function paint(
  state: EditorState,
  { running, inserted, hunks, promptScope }: DecorationState,
): DecorationSet {
  const found: Range<Decoration>[] = [];
  const paintLines = (span: Span, decoration: Decoration) => {
    for (const from of linesOf(state, span)) found.push(decoration.range(from));
  };
  if (promptScope) paintLines(promptScope, LINES.candidate);
  for (const span of running.values()) paintLines(span, LINES.scope);
  for (const span of [...inserted.values()].flat()) paintLines(span, LINES.fresh);
  for (const hunk of hunks) if (hunk.from < hunk.to) paintLines(hunk, LINES.added);
  return Decoration.set(found, true);
}

/** The starts of the lines that a span touches. A line that begins where the span ends is not one of them. */
function linesOf(state: EditorState, { from, to }: Span): number[] {
  const starts: number[] = [];
  const last = Math.min(Math.max(from, to - 1), state.doc.length);
  for (let at = state.doc.lineAt(Math.min(from, last)); ; at = state.doc.line(at.number + 1)) {
    starts.push(at.from);
    if (at.to >= last || at.number === state.doc.lines) return starts;
  }
}

function widgets(
  state: EditorState,
  { hunks, showsRemoved }: DecorationState,
  handler: ReviewHandler,
): DecorationSet {
  return Decoration.set(
    hunks.map((hunk) => {
      const at = state.doc.lineAt(Math.min(hunk.from, state.doc.length)).from;
      const widget = new HunkWidget(hunk, showsRemoved, handler);
      return Decoration.widget({ widget, block: true, side: -1 }).range(at);
    }),
    true,
  );
}

/** The buttons of a hunk, and the lines that it removed. */
class HunkWidget extends WidgetType {
  constructor(
    readonly hunk: PlacedHunk,
    readonly showsRemoved: boolean,
    readonly handler: ReviewHandler,
  ) {
    super();
  }

  override eq(widget: HunkWidget): boolean {
    const { editId, id, removed } = widget.hunk;
    const isSame = editId === this.hunk.editId && id === this.hunk.id && removed === this.hunk.removed;
    return isSame && widget.showsRemoved === this.showsRemoved;
  }

  toDOM(): HTMLElement {
    const box = document.createElement('div');
    box.className = 'ts-hunk';
    const buttons = box.appendChild(document.createElement('div'));
    buttons.className = 'ts-hunk-buttons';
    for (const [action, label, title] of [
      ['accept', '✓ Accept', 'Keep this change (Alt+Enter)'],
      ['reject', '✕ Reject', 'Restore the old lines (Alt+Delete)'],
    ] as const) {
      const onclick = () => {
        this.handler.decide(this.hunk, action);
      };
      buttons.append(button(label, title, onclick, `ts-${action}`));
    }
    if (this.showsRemoved && this.hunk.removed !== '') {
      const removed = box.appendChild(document.createElement('div'));
      removed.className = 'ts-removed';
      removed.textContent = this.hunk.removed.replace(/(\r\n|\r|\n)$/, '');
    }
    return box;
  }

  override get estimatedHeight(): number {
    return this.showsRemoved && this.hunk.removed ? 20 * this.hunk.removed.split('\n').length : 0;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}
