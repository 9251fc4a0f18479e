/** The part of LSP and of twospeed's protocol that this page speaks; ../../../protocol/README.md explains it. */

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export interface TextEdit {
  range: Range;
  newText: string;
}

export type Mode = 'lightning' | 'deep';
export type Outcome = 'applied' | 'unchanged' | 'refused' | 'conflict' | 'cancelled' | 'failed';
export type EditState = 'queued' | 'running' | 'review' | 'ended';
export type ScopeKind = 'selection' | 'function' | 'class' | 'block' | 'file' | 'insertion';
export type ScopeChoice = 'auto' | 'selection' | 'function' | 'class' | 'file';

export interface NamedScope {
  kind: ScopeKind;
  name: string | null;
  range: Range;
}

export interface Hunk {
  id: string;
  range: Range;
  removed: string;
}

export interface Stats {
  ttftMs: number | null;
  durationMs: number;
  outputTokens: number | null;
  tokensPerSecond: number | null;
  linesAdded: number;
  linesRemoved: number;
}

export interface EditParams {
  editId: string;
  textDocument: { uri: string; version: number };
  range: Range;
  instruction: string;
  scope: ScopeChoice;
  variations: number;
  follows?: string;
  partialResultToken: string;
}

/** What the answer of a refused edit would have made of the scope. */
export interface RefusedAnswer {
  text: string;
  message: string | null;
}

export interface EditResult {
  editId: string;
  outcome: Outcome;
  reason: { code: string; message: string } | null;
  mode: Mode;
  model: string | null;
  version: number;
  scope: NamedScope | null;
  answer: RefusedAnswer | null;
  /** What the model wrote beside its code. */
  message: string | null;
  hunks: Hunk[];
  conflicts: { range: Range; proposed: string }[];
  stats: Stats;
}

/** Result of `twospeed.showAnswer`: `text` would replace `range` of the document at `version`. */
export interface ShownAnswer {
  editId: string;
  uri: string;
  version: number;
  range: Range;
  text: string;
  message: string | null;
}

export interface EditChanged {
  editId: string;
  uri: string;
  version: number;
  state: EditState;
  outcome: Outcome | null;
  mode: Mode;
  model: string | null;
  range: Range | null;
  hunks: Hunk[];
  stats: Stats;
}

/** One shipment: edits against exactly one version of a document, sorted and disjoint, or none. */
export interface ApplyEditParams {
  editId: string;
  textDocument: { uri: string; version: number };
  edits: TextEdit[];
  undoStopBefore: boolean;
  undoStopAfter: boolean;
}

export type ApplyEditResult =
  { applied: true; version: number } | { applied: false; version: number | null; reason: 'stale' | 'closed' };

export interface ServedBy {
  provider: string;
  model: string;
}

export interface ModeState {
  mode: Mode;
  lightning: ServedBy;
  deep: ServedBy;
}

export interface LaneEntry extends ServedBy {
  ready: boolean;
  reason: string | null;
}

export interface StatusResult {
  mode: Mode;
  lanes: Record<Mode, LaneEntry[]>;
}

/** Partial results; of what has no use here, only the type is read. */
export type Partial =
  | { type: 'started'; model: string; provider: string; scope: NamedScope }
  | { type: 'reasoning'; text: string }
  | { type: 'edits' };

export interface Diagnostic {
  range: Range;
  severity?: number;
  source?: string;
  message: string;
}

/** With the selector that asks for a picture: some fonts have a plain ⚡ of their own. */
export const ICONS: Record<Mode, string> = { lightning: '⚡\ufe0f', deep: '🧠' };
export const LABELS: Record<Mode, string> = { lightning: 'Lightning', deep: 'Deep' };
export const other = (mode: Mode): Mode => (mode === 'deep' ? 'lightning' : 'deep');
