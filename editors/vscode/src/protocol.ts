/** The messages of twospeed's protocol that this client uses; ../../../protocol/README.md explains them. */

import { NotificationType, RequestType } from 'vscode-languageclient/node';

import type {
  ApplyEditParams,
  ApplyEditResult,
  ClientFeatures,
  DecideParams,
  DecideResult,
  DiagnosticsParams,
  DiagnosticsResult,
  EditChanged,
  EditParams,
  EditResult,
  Hunk,
  Location,
  Mode,
  ModeChoice,
  ModeState,
  OpenDocumentParams,
  PrepareParams,
  ReferencesParams,
  ScopesParams,
  ScopesResult,
  StatusParams,
  StatusResult,
  SteerParams,
  VariationParams,
} from '../../../protocol/messages';

export type * from '../../../protocol/messages';
export type Action = DecideParams['action'];
/** 1 is the next one, -1 the previous one. */
export type Step = VariationParams['step'];

/** The hunks of a message: those of the scope, and those of the import block. */
export const allHunks = ({ hunks, alsoChanged }: Pick<EditChanged, 'hunks' | 'alsoChanged'>): Hunk[] => [
  ...hunks,
  ...alsoChanged.flatMap((place) => place.hunks),
];

/** The id that names all places of an edit; places have it and a number, such as `c7.2`. */
export const groupOf = (editId: string): string => editId.replace(/(.)\.\d+$/, '$1');

/** What this client announces as `capabilities.experimental.twospeed`. */
export const clientFeatures: ClientFeatures = {
  applyEdit: true,
  events: true,
  openDocument: true,
  references: true,
};

export const applyEditRequest = new RequestType<ApplyEditParams, ApplyEditResult, void>('twospeed/applyEdit');
export const openDocumentRequest = new RequestType<OpenDocumentParams, object, void>('twospeed/openDocument');
export const referencesRequest = new RequestType<ReferencesParams, Location[] | null, void>(
  'twospeed/references',
);
export const prepareRequest = new RequestType<PrepareParams, object, void>('twospeed/prepare');
export const editRequest = new RequestType<EditParams, EditResult, void>('twospeed/edit');
export const steerRequest = new RequestType<SteerParams, object, void>('twospeed/steer');
export const decideRequest = new RequestType<DecideParams, DecideResult, void>('twospeed/decide');
export const variationRequest = new RequestType<VariationParams, EditResult, void>('twospeed/variation');
export const diagnosticsRequest = new RequestType<DiagnosticsParams, DiagnosticsResult, void>(
  'twospeed/diagnostics',
);
export const scopesRequest = new RequestType<ScopesParams, ScopesResult, void>('twospeed/scopes');
export const statusRequest = new RequestType<StatusParams, StatusResult, void>('twospeed/status');
export const modeChanged = new NotificationType<ModeState>('twospeed/modeChanged');
export const editChanged = new NotificationType<EditChanged>('twospeed/editChanged');

export const ICONS: Record<ModeChoice, string> = { lightning: '⚡', deep: '🧠', both: '⚡🧠' };
export const LABELS: Record<ModeChoice, string> = { lightning: 'Lightning', deep: 'Deep', both: 'Both' };
export const other = (mode: Mode): Mode => (mode === 'deep' ? 'lightning' : 'deep');
