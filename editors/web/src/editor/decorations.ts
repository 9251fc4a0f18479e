/** The decorations of a document: scopes of running edits, new text, hunks and offers, the scope of the prompt. */

import { StateEffect, StateField, type ChangeDesc, type EditorState, type Range } from '@codemirror/state';
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view';

import { PlaceWidget, type DecidePlace } from './placeWidget';
import { historyOnly } from './undoStep';

/** Offsets in the text of the editor. */
export interface Span {
  from: number;
  to: number;
}

/** A place of an edit that the user decides. */
export interface Placed extends Span {
  editId: string;
  id: string;
}

export interface PlacedHunk extends Placed {
  removed: string;
}

/** A place that the deep model would change: `newText` would replace its whole lines. */
export interface PlacedOffer extends Placed {
  newText: string;
}

interface DecorationState {
  /** The scopes of running edits, by edit id. */
  running: ReadonlyMap<string, Span>;
  /** Text that running edits have inserted, by edit id. */
  inserted: ReadonlyMap<string, readonly Span[]>;
  hunks: readonly PlacedHunk[];
  offers: readonly PlacedOffer[];
  /** The scope that the prompt shows. */
  promptScope: Span | null;
  showsRemoved: boolean;
}

export const setScope = StateEffect.define<{ editId: string; span: Span | null }>();
export const addInserted = StateEffect.define<{ editId: string; spans: readonly Span[] }>();
export const setReview = StateEffect.define<{
  editId: string;
  hunks: readonly PlacedHunk[];
  offers: readonly PlacedOffer[];
}>();
export const setPromptScope = StateEffect.define<Span | null>();
export const setShowsRemoved = StateEffect.define<boolean>();

const EMPTY: DecorationState = {
  running: new Map(),
  inserted: new Map(),
  hunks: [],
  offers: [],
  promptScope: null,
  showsRemoved: true,
};

/** Returns the state field and its decorations; the buttons of a place call `decide`. */
export function editDecorations(decide: DecidePlace) {
  return [
    field,
    EditorView.decorations.compute([field], (state) => paint(state, state.field(field))),
    EditorView.decorations.compute([field], (state) => widgets(state, state.field(field), decide)),
  ];
}

export const hunksIn = (state: EditorState): readonly PlacedHunk[] => state.field(field).hunks;
export const offersIn = (state: EditorState): readonly PlacedOffer[] => state.field(field).offers;
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
      } else if (effect.is(setReview)) {
        const { editId, hunks, offers } = effect.value;
        const replaced = <T extends Placed>(old: readonly T[], places: readonly T[]) =>
          [...old.filter((place) => place.editId !== editId), ...places].sort((a, b) => a.from - b.from);
        next = { ...next, hunks: replaced(next.hunks, hunks), offers: replaced(next.offers, offers) };
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
    offers: value.offers.map(within),
    promptScope: value.promptScope && within(value.promptScope),
  };
}

const line = (name: string) => Decoration.line({ class: `ts-${name}` });
const LINES = {
  scope: line('scope'),
  fresh: line('fresh'),
  added: line('added'),
  offered: line('offered'),
  candidate: line('candidate'),
};

function paint(
  state: EditorState,
  { running, inserted, hunks, offers, promptScope }: DecorationState,
): DecorationSet {
  const found: Range<Decoration>[] = [];
  const paintLines = (span: Span, decoration: Decoration) => {
    for (const from of linesOf(state, span)) found.push(decoration.range(from));
  };
  if (promptScope) paintLines(promptScope, LINES.candidate);
  for (const span of running.values()) paintLines(span, LINES.scope);
  for (const span of [...inserted.values()].flat()) paintLines(span, LINES.fresh);
  for (const hunk of hunks) if (hunk.from < hunk.to) paintLines(hunk, LINES.added);
  for (const offer of offers) if (offer.from < offer.to) paintLines(offer, LINES.offered);
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

/** A hunk has its buttons and old lines above its lines, an offer has its new lines and buttons below them. */
function widgets(
  state: EditorState,
  { hunks, offers, showsRemoved }: DecorationState,
  decide: DecidePlace,
): DecorationSet {
  const found = hunks.map((hunk) => {
    const at = state.doc.lineAt(Math.min(hunk.from, state.doc.length)).from;
    const widget = new PlaceWidget('hunk', hunk, showsRemoved ? hunk.removed : '', decide);
    return Decoration.widget({ widget, block: true, side: -1 }).range(at);
  });
  for (const offer of offers) {
    const widget = new PlaceWidget('offer', offer, offer.newText, decide);
    const last = linesOf(state, offer).at(-1) ?? 0;
    const isInserted = offer.from === offer.to;
    const at = isInserted ? last : state.doc.lineAt(last).to;
    found.push(Decoration.widget({ widget, block: true, side: isInserted ? -1 : 1 }).range(at));
  }
  return Decoration.set(found, true);
}
