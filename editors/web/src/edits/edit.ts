/** One edit of this page, and what the page asks for. */

import { hunksIn, offersIn, type PlacedHunk, type PlacedOffer, type Span } from '../editor/decorations';
import type { OpenDocument } from '../editor/openDocument';
import {
  groupOf,
  type DeepAnswer,
  type Mode,
  type Range,
  type ScopeChoice,
  type ShownAnswer,
  type State,
  type Stats,
  type Verdict,
} from '../protocol';
import type { Choice } from '../ui/notices';

export interface Edit {
  readonly id: string;
  /** Names all places of the edit; of an edit of one place its own id. */
  readonly group: string;
  readonly document: OpenDocument;
  instruction: string;
  state: State;
  verdict: Verdict | null;
  /** Whether the user has let commands verify it. */
  isVerified: boolean;
  mode: Mode;
  model: string | null;
  /** The end of the model's reasoning, if the provider streams it. */
  reasoning: string;
  stats: Stats | null;
  variations: number;
  /** The index of the answer that is in the document. */
  answerIndex: number;
  /** The answer of the deep model in the mode both. */
  deep: DeepAnswer | null;
  /** When the page learned that the deep model works on it; a `DOMHighResTimeStamp`. */
  deepSince: number;
  /** When the page requested it or learned of it; a `DOMHighResTimeStamp`. */
  readonly startedAt: number;
}

/** What the user asked for in the prompt. */
export interface EditRequest {
  range: Range;
  scope: ScopeChoice;
  instruction: string;
  variations: number;
  follows?: string | undefined;
}

/** An instruction for several places. */
export interface PlacesRequest {
  ranges: Range[];
  instruction: string;
}

export interface EditsView {
  /** Called after each change of an edit. */
  changed(): void;
  /** Called with the lines of an edit when it begins, and with its changes when it enters review. */
  showLines(edit: Edit, span: Span): void;
  /** Shows a notice with choices; returns a function that removes it. */
  notify(text: string, kind: 'error' | 'warning' | 'info', choices?: readonly Choice[]): () => void;
  /** Compares a refused answer with the text that it would replace. */
  showAnswer(edit: Edit, answer: ShownAnswer): void;
}

/** An edit that the server has not reported yet. */
export const newEdit = (id: string, document: OpenDocument, mode: Mode, instruction: string): Edit => ({
  ...{ id, group: groupOf(id), document, instruction, mode },
  ...{ state: 'queued', verdict: null, isVerified: false, model: null, reasoning: '', stats: null },
  ...{ variations: 1, answerIndex: 0, deep: null, deepSince: 0 },
  startedAt: performance.now(),
});

export const isLive = ({ state }: Edit): boolean => state === 'queued' || state === 'running';

/** The undecided hunks of an edit, at their current positions. */
export const hunksOf = ({ id, document }: Edit): PlacedHunk[] =>
  hunksIn(document.view.state).filter(({ editId }) => editId === id);

/** The places of the deep model's offer that are left, at their current positions. */
export const offersOf = ({ id, document }: Edit): PlacedOffer[] =>
  offersIn(document.view.state).filter(({ editId }) => editId === id);
