/** Requests edits, and shows previews, warnings and errors. */

import { randomUUID } from 'node:crypto';

import {
  commands,
  languages,
  window,
  workspace,
  WorkspaceEdit,
  type MessageItem,
  type Range,
  type TextDocument,
} from 'vscode';
import {
  LSPErrorCodes,
  ResponseError,
  WorkDoneProgress,
  type LanguageClient,
} from 'vscode-languageclient/node';

import { versionedIdentifier, lspRange } from '../positions';
import {
  editRequest,
  ICONS,
  LABELS,
  steerRequest,
  type EditParams,
  type EditResult,
  type PlaceResult,
  type ReasonCode,
  type ScopeChoice,
} from '../protocol';
import { problemsOfOthers } from '../review/newProblems';
import type { Modes } from '../server/modes';
import type { Session } from '../session';

/** An edit to request: `range` goes to the server, `lines` are the lines that the prompt showed. */
export interface EditRequest {
  document: TextDocument;
  range: Range;
  lines: Range;
  instruction: string;
  scope: ScopeChoice;
  variations: number;
  follows: string | undefined;
}

/** For these reasons, the client offers neither a retry nor the answer. */
const REASONS_WITHOUT_OFFER = new Set<ReasonCode>(['never-send', 'not-agreed']);
const MOST_DIAGNOSTICS = 100;
/** The provider name of the built-in engine, which is used without a model. */
const BUILTIN = 'builtin';

/** `twospeed/edit`; resolves after the last change is applied. */
export async function requestEdit(session: Session, request: EditRequest): Promise<void> {
  const { client } = session;
  const { document, range, lines, instruction, scope, variations, follows } = request;
  const problems = languages.getDiagnostics(document.uri).filter((each) => each.range.intersection(lines));
  await send(session, variations, {
    ...{ instruction, scope, variations },
    ...(follows === undefined ? {} : { follows }),
    textDocument: versionedIdentifier(document),
    range: lspRange(range),
    context: {
      diagnostics: client.code2ProtocolConverter.asDiagnosticsSync(problems.slice(0, MOST_DIAGNOSTICS)),
      documentDiagnostics: problemsOfOthers(document.uri),
    },
  });
}

/** An instruction for several places. */
export interface PlacesRequest {
  document: TextDocument;
  ranges: readonly Range[];
  instruction: string;
}

/** `twospeed/edit` for several places, which are one edit. */
export async function requestPlaces(session: Session, request: PlacesRequest): Promise<void> {
  const { document, ranges, instruction } = request;
  await send(session, 1, {
    instruction,
    textDocument: versionedIdentifier(document),
    ranges: ranges.map(lspRange),
    context: { documentDiagnostics: problemsOfOthers(document.uri) },
  });
}

async function send(
  session: Session,
  variations: number,
  params: Omit<EditParams, 'editId' | 'workDoneToken'>,
): Promise<void> {
  const { client, edits } = session;
  const editId = `code-${randomUUID()}`;
  edits.addRequest(editId, { instruction: params.instruction, variations });
  const progress = client.onProgress(WorkDoneProgress.type, editId, (value) => {
    if (value.kind === 'report' && value.message) edits.updateRequest(editId, { progress: value.message });
  });
  try {
    const result = await client.sendRequest(editRequest, { ...params, editId, workDoneToken: editId });
    await showOutcome(session, result);
  } catch (error) {
    showError(error);
  } finally {
    progress.dispose();
    edits.removeRequest(editId);
  }
}

/** `twospeed/steer`: a new instruction for a running edit. */
export async function requestSteering(
  client: LanguageClient,
  editId: string,
  instruction: string,
): Promise<void> {
  await client.sendRequest(steerRequest, { editId, instruction }).catch(showError);
}

/** Shows the preview or the warning of a result. */
export async function showOutcome({ client, edits, modes }: Session, result: EditResult): Promise<void> {
  if (result.message !== null) edits.updateRequest(result.editId, { message: result.message });
  if (result.edit !== null) {
    await showPreview(await client.protocol2CodeConverter.asWorkspaceEdit(result.edit));
    return;
  }
  const places = result.places ?? [];
  const isOne = places.length <= 1;
  const words = isOne ? warningFor(result) : warningForPlaces(places);
  if (words === undefined || result.outcome === 'cancelled') return;
  const offers = isOne ? offersOf(result, modes) : [];
  void window.showWarningMessage(`twospeed: ${withoutLinks(words)}`, ...offers).then((chosen) => {
    if (chosen) void commands.executeCommand(chosen.command, chosen.argument);
  });
}

interface Offer extends MessageItem {
  command: string;
  argument: unknown;
}

/** The buttons of the message about an edit that changed nothing. */
function offersOf(result: EditResult, modes: Modes): Offer[] {
  const { editId, answer, reason } = result;
  const offers: Offer[] = [];
  if (reason === null || REASONS_WITHOUT_OFFER.has(reason.code)) return offers;
  if (isWorthDeep(result, modes)) {
    const title = `Retry in ${ICONS.deep} ${LABELS.deep}`;
    offers.push({ title, command: 'twospeed.retry', argument: { editId, mode: 'deep' } });
  }
  if (answer !== null) {
    offers.push(
      { title: 'Show the Answer', command: 'twospeed.showAnswer', argument: editId },
      { title: 'Apply Anyway', command: 'twospeed.applyAnyway', argument: editId },
    );
  }
  return offers;
}

/** Whether to offer a retry in deep mode: the edit ran in lightning mode, and deep mode has a model. */
function isWorthDeep({ mode, outcome }: EditResult, { state }: Modes): boolean {
  const hasFailed = outcome === 'refused' || outcome === 'failed';
  return mode === 'lightning' && hasFailed && state?.deep.provider !== BUILTIN;
}

function warningFor({ outcome, reason, conflicts, message }: EditResult): string | undefined {
  const modelMessage = message === null ? '' : `; the model says: ${message}`;
  if (outcome === 'cancelled') return undefined;
  if (outcome === 'unchanged') return `the answer changes nothing${modelMessage}`;
  if (conflicts.length > 0) return 'lines that you changed while the edit ran stay as you typed them';
  return reason ? `${reason.message}${modelMessage}` : undefined;
}

function warningForPlaces(places: readonly PlaceResult[]): string | undefined {
  const failed = places.filter(({ reason }) => reason !== null);
  const [first] = failed;
  if (first?.reason) {
    const line = (first.range.start.line + 1).toString();
    const count = `${failed.length.toString()} of ${places.length.toString()} places`;
    return `${count} ${first.outcome}; line ${line}: ${first.reason.message}`;
  }
  const hasConflicts = places.some(({ conflicts }) => conflicts.length > 0);
  return hasConflicts ? 'lines that you changed while the edit ran stay as you typed them' : undefined;
}

/** Shows a preview, which the user's settings request: VS Code asks for confirmation of each change. */
async function showPreview(edit: WorkspaceEdit): Promise<void> {
  const metadata = { needsConfirmation: true, label: 'twospeed' };
  const confirmed = new WorkspaceEdit();
  for (const [uri, edits] of edit.entries()) {
    for (const { range, newText } of edits) confirmed.replace(uri, range, newText, metadata);
  }
  await workspace.applyEdit(confirmed);
}

/** Shows an error, except a cancellation. */
export function showError(error: unknown): void {
  if (error instanceof ResponseError && error.code === LSPErrorCodes.RequestCancelled) return;
  void window.showWarningMessage(`twospeed: ${withoutLinks(messageOf(error))}`);
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** VS Code renders Markdown links, and a link can run a command: the text can come from a model or a provider. */
const withoutLinks = (text: string) => text.replaceAll('](', '] (');
