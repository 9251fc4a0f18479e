/** Opens the session with the server, and handles each message of the server. */

import { showDiagnostics, type PublishedDiagnostics } from '../editor/diagnostics';
import type { OpenDocument } from '../editor/openDocument';
import type { Edits } from '../edits/edits';
import type {
  ApplyEditParams,
  ApplyEditResult,
  EditChanged,
  ModeState,
  PartialResult,
  WorkspaceEdit,
} from '../protocol';
import { ask, notify } from '../ui/notices';
import { openSocket, Peer } from './rpc';

const MESSAGE_KINDS = { 1: 'error', 2: 'warning' } as const;

export interface Session {
  edits: Edits;
  documentAt: (uri: string) => OpenDocument | undefined;
  modeChanged: (state: ModeState) => void;
  /** The server has answered `initialize`; `isOffered` if it offers suggestions. */
  suggestionsChanged: (isOffered: boolean) => void;
  /** The connection has closed; it may be an earlier one than the current. */
  closed(peer: Peer): void;
}

/** Connects and initializes. No document is open yet. */
export async function openSession(token: string, session: Session): Promise<Peer> {
  const peer: Peer = new Peer(await openSocket('/', token), () => {
    session.closed(peer);
  });
  listen(peer, session);
  const { capabilities } = await peer.request<InitializeResult>('initialize', {
    processId: null,
    rootUri: null,
    clientInfo: { name: 'twospeed web' },
    capabilities: {
      general: { positionEncodings: ['utf-16'] },
      textDocument: {
        ...{ synchronization: { didSave: true }, publishDiagnostics: { versionSupport: true } },
        inlineCompletion: {},
        codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'refactor'] } } },
      },
      workspace: { applyEdit: true, workspaceEdit: { documentChanges: true } },
      window: { showMessage: { messageActionItem: { additionalPropertiesSupport: false } } },
      experimental: { twospeed: { applyEdit: true, events: true } },
    },
  });
  session.suggestionsChanged(Boolean(capabilities.inlineCompletionProvider));
  peer.notify('initialized', {});
  return peer;
}

interface InitializeResult {
  capabilities: { inlineCompletionProvider?: object | boolean };
}

function listen(peer: Peer, { edits, documentAt, modeChanged }: Session): void {
  peer.on('twospeed/applyEdit', (params: ApplyEditParams) => {
    const document = documentAt(params.textDocument.uri);
    return document?.applyEdit(params) ?? { applied: false, version: null, reason: 'closed' };
  });
  peer.on('workspace/applyEdit', ({ edit }: { edit: WorkspaceEdit }) => applyEdit(edit, documentAt));
  peer.on('twospeed/editChanged', (params: EditChanged) => {
    edits.update(params);
  });
  peer.on('twospeed/modeChanged', modeChanged);
  peer.on('$/progress', ({ token, value }: { token: string; value: PartialResult }) => {
    edits.progress(token, value);
  });
  peer.on('textDocument/publishDiagnostics', (params: PublishedDiagnostics) => {
    const document = documentAt(params.uri);
    if (document) showDiagnostics(document, params);
  });
  peer.on('window/showMessage', ({ type, message }: { type: number; message: string }) => {
    notify(message, type in MESSAGE_KINDS ? MESSAGE_KINDS[type as keyof typeof MESSAGE_KINDS] : 'info');
  });
  peer.on('window/showMessageRequest', async (params: { message: string; actions?: { title: string }[] }) => {
    const title = await ask('Question', params.message, params.actions?.map((action) => action.title) ?? []);
    return title === null ? null : { title };
  });
}

/** Applies an edit of one document, if it is open at the version of the edit. */
export function applyEdit(
  { documentChanges }: WorkspaceEdit,
  documentAt: Session['documentAt'],
): Pick<ApplyEditResult, 'applied'> {
  const [change] = documentChanges;
  if (change === undefined || documentChanges.length > 1) return { applied: false };
  const document = documentAt(change.textDocument.uri);
  if (document === undefined) return { applied: false };
  return document.applyEdit({ ...change, editId: '', undoStopAfter: true });
}
