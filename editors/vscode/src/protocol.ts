/** The part of twospeed's protocol that this client speaks; ../../../protocol/README.md explains it. */

import {
  NotificationType,
  RequestType,
  type Diagnostic,
  type Position,
  type Range,
  type TextEdit,
  type VersionedTextDocumentIdentifier,
  type WorkspaceEdit,
} from 'vscode-languageclient/node';

export type Mode = 'lightning' | 'deep';
export type Outcome = 'applied' | 'unchanged' | 'refused' | 'conflict' | 'cancelled' | 'failed';
export type EditState = 'queued' | 'running' | 'review' | 'ended';
export type ScopeKind = 'selection' | 'function' | 'class' | 'block' | 'file' | 'insertion';
export type ScopeChoice = 'auto' | 'selection' | 'function' | 'class' | 'file';
export type Action = 'accept' | 'reject';
/** To the next one, or to the one before. */
export type Step = 1 | -1;

/** What a client announces as `capabilities.experimental.twospeed`. */
export const clientFeatures = { applyEdit: true, events: true };

/** One shipment: edits against exactly one version of a document, sorted and disjoint, or none. */
export interface ApplyEditParams {
  editId: string;
  seq: number;
  textDocument: VersionedTextDocumentIdentifier;
  edits: TextEdit[];
  undoStopBefore: boolean;
  undoStopAfter: boolean;
}

/** `version` is the document's now; there is none of a closed one. */
export type ApplyEditResult =
  | { applied: true; version: number }
  | { applied: false; version: number | null; reason: 'stale' | 'hidden' | 'readOnly' | 'closed' };

/** Where an edit is likely. */
export interface PrepareParams {
  textDocument: VersionedTextDocumentIdentifier;
  range: Range;
}

export interface EditParams extends PrepareParams {
  editId: string;
  instruction: string;
  scope?: ScopeChoice;
  follows?: string;
  variations?: number;
  context: { diagnostics: Diagnostic[] };
  workDoneToken: string;
}

export interface Reason {
  code: string;
  message: string;
}

export interface NamedScope {
  kind: ScopeKind;
  name: string | null;
  range: Range;
}

/** One contiguous change that can be decided alone; `removed` is the old text that stood there. */
export interface Hunk {
  id: string;
  range: Range;
  removed: string;
}

export interface Stats {
  ttftMs: number | null;
  durationMs: number;
  tokensPerSecond: number | null;
  linesAdded: number;
  linesRemoved: number;
}

/** What the answer of a refused edit would have made of the scope. */
export interface RefusedAnswer {
  text: string;
  message: string | null;
}

export interface EditResult {
  editId: string;
  outcome: Outcome;
  reason: Reason | null;
  mode: Mode;
  provider: string | null;
  model: string | null;
  version: number;
  answer: RefusedAnswer | null;
  /** What the model wrote beside its code. */
  message: string | null;
  /** Of a preview: what is to be put into the document, which was left alone. */
  edit: WorkspaceEdit | null;
  hunks: Hunk[];
  conflicts: { range: Range; proposed: string }[];
  findings: { message: string }[];
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

/** Ranges are in the document's `version`. */
export interface EditChanged {
  editId: string;
  uri: string;
  version: number;
  state: EditState;
  outcome: Outcome | null;
  mode: Mode;
  provider: string | null;
  model: string | null;
  range: Range | null;
  hunks: Hunk[];
  stats: Stats;
}

export interface ServedBy {
  provider: string;
  model: string;
}

export interface ModeState {
  mode: Mode;
  lightning: ServedBy;
  deep: ServedBy;
}

export interface StatusResult {
  mode: Mode;
  lanes: Record<Mode, (ServedBy & { ready: boolean })[]>;
}

export const applyEditRequest = new RequestType<ApplyEditParams, ApplyEditResult, void>('twospeed/applyEdit');
export const prepareRequest = new RequestType<PrepareParams, object, void>('twospeed/prepare');
export const editRequest = new RequestType<EditParams, EditResult, void>('twospeed/edit');
export const steerRequest = new RequestType<{ editId: string; instruction: string }, object, void>(
  'twospeed/steer',
);
export const decideRequest = new RequestType<{ editId: string; action: Action; hunk?: string }, object, void>(
  'twospeed/decide',
);
export const variationRequest = new RequestType<{ editId: string; step: Step }, EditResult, void>(
  'twospeed/variation',
);
export const scopesRequest = new RequestType<
  { textDocument: VersionedTextDocumentIdentifier; position: Position },
  { version: number; scopes: NamedScope[] },
  void
>('twospeed/scopes');
export const statusRequest = new RequestType<Record<string, never>, StatusResult, void>('twospeed/status');
export const modeChanged = new NotificationType<ModeState>('twospeed/modeChanged');
export const editChanged = new NotificationType<EditChanged>('twospeed/editChanged');

export const ICONS: Record<Mode, string> = { lightning: '⚡', deep: '🧠' };
export const LABELS: Record<Mode, string> = { lightning: 'Lightning', deep: 'Deep' };
export const other = (mode: Mode): Mode => (mode === 'deep' ? 'lightning' : 'deep');
