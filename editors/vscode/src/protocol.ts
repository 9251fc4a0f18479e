/** The part of twospeed's protocol that this client speaks; ../../../protocol/README.md explains it. */

import {
  NotificationType,
  RequestType,
  type Range,
  type TextEdit,
  type VersionedTextDocumentIdentifier,
} from 'vscode-languageclient/node';

export type Mode = 'lightning' | 'deep';

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
  instruction: string;
}

export interface EditResult {
  editId: string;
  outcome: 'applied' | 'unchanged' | 'refused' | 'conflict' | 'cancelled' | 'failed';
  reason: { code: string; message: string } | null;
  conflicts: { range: Range; proposed: string }[];
}

interface ServedBy {
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

export interface EditChanged {
  editId: string;
  state: 'queued' | 'running' | 'review' | 'ended';
}

export const applyEditRequest = new RequestType<ApplyEditParams, ApplyEditResult, void>('twospeed/applyEdit');
export const prepareRequest = new RequestType<PrepareParams, object, void>('twospeed/prepare');
export const editRequest = new RequestType<EditParams, EditResult, void>('twospeed/edit');
export const statusRequest = new RequestType<Record<string, never>, StatusResult, void>('twospeed/status');
export const modeChanged = new NotificationType<ModeState>('twospeed/modeChanged');
export const editChanged = new NotificationType<EditChanged>('twospeed/editChanged');
