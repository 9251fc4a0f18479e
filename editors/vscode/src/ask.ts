/** Asks the server for edits, and tells how they ended where the text does not show it. */

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

import type { Modes } from './modes';
import { identified, wireRange } from './places';
import { editRequest, ICONS, LABELS, steerRequest, type EditResult, type ScopeChoice } from './protocol';
import type { Session } from './session';

/** What is asked for: `range` is what the server is told, `lines` are those that were shown. */
export interface Wish {
  document: TextDocument;
  range: Range;
  lines: Range;
  instruction: string;
  scope: ScopeChoice;
  variations: number;
  follows: string | undefined;
}

/** Reasons that no other model changes, and with which the answer is not offered. */
const FINAL = new Set(['never-send', 'not-agreed']);
const MOST_DIAGNOSTICS = 100;
/** The engine that serves where there is no model. */
const BUILTIN = 'builtin';

/** `twospeed/edit`; ends when the last of it is in. */
export async function requestEdit(session: Session, wish: Wish): Promise<void> {
  const { client, edits } = session;
  const { document, range, lines, instruction, scope, variations, follows } = wish;
  const editId = `code-${randomUUID()}`;
  edits.ask(editId, { instruction, variations });
  const progress = client.onProgress(WorkDoneProgress.type, editId, (value) => {
    if (value.kind === 'report' && value.message) edits.inform(editId, { progress: value.message });
  });
  const problems = languages.getDiagnostics(document.uri).filter((each) => each.range.intersection(lines));
  try {
    const result = await client.sendRequest(editRequest, {
      ...{ editId, instruction, scope, variations, workDoneToken: editId },
      ...(follows === undefined ? {} : { follows }),
      textDocument: identified(document),
      range: wireRange(range),
      context: {
        diagnostics: client.code2ProtocolConverter.asDiagnosticsSync(problems.slice(0, MOST_DIAGNOSTICS)),
      },
    });
    await tellEnding(session, result);
  } catch (error) {
    report(error);
  } finally {
    progress.dispose();
    edits.unask(editId);
  }
}

/** `twospeed/steer`: other words for an edit that runs. */
export async function requestSteering(
  client: LanguageClient,
  editId: string,
  instruction: string,
): Promise<void> {
  await client.sendRequest(steerRequest, { editId, instruction }).catch(report);
}

/** Says of an edit what its text does not show. */
export async function tellEnding({ client, edits, modes }: Session, result: EditResult): Promise<void> {
  if (result.message !== null) edits.inform(result.editId, { message: result.message });
  if (result.edit !== null) {
    await showPreview(await client.protocol2CodeConverter.asWorkspaceEdit(result.edit));
    return;
  }
  const words = remark(result);
  if (words === undefined) return;
  const offers = offersOf(result, modes);
  void window.showWarningMessage(`twospeed: ${plain(words)}`, ...offers).then((chosen) => {
    if (chosen) void commands.executeCommand(chosen.command, chosen.argument);
  });
}

interface Offer extends MessageItem {
  command: string;
  argument: unknown;
}

/** What can be done about an edit that has come to nothing. */
function offersOf(result: EditResult, modes: Modes): Offer[] {
  const { editId, answer, reason } = result;
  const offers: Offer[] = [];
  if (reason === null || FINAL.has(reason.code)) return offers;
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

/** Whether the other model may do what this one could not, if there is one. */
function isWorthDeep({ mode, outcome }: EditResult, { state }: Modes): boolean {
  const hasComeToNothing = outcome === 'refused' || outcome === 'failed';
  return mode === 'lightning' && hasComeToNothing && state?.deep.provider !== BUILTIN;
}

function remark({ outcome, reason, conflicts, message }: EditResult): string | undefined {
  const says = message === null ? '' : `; the model says: ${message}`;
  if (outcome === 'cancelled') return undefined;
  if (outcome === 'unchanged') return `nothing had to be changed${says}`;
  if (conflicts.length > 0) return 'lines you have typed in stayed as you typed them';
  return reason ? `${reason.message}${says}` : undefined;
}

/** Shows an edit that the person's settings want to see before it is made: VS Code asks about each change. */
async function showPreview(edit: WorkspaceEdit): Promise<void> {
  const metadata = { needsConfirmation: true, label: 'twospeed' };
  const asked = new WorkspaceEdit();
  for (const [uri, edits] of edit.entries()) {
    for (const { range, newText } of edits) asked.replace(uri, range, newText, metadata);
  }
  await workspace.applyEdit(asked);
}

/** Tells of an error, such as one that the server answered with. */
export function report(error: unknown): void {
  if (error instanceof ResponseError && error.code === LSPErrorCodes.RequestCancelled) return;
  void window.showWarningMessage(`twospeed: ${plain(wordsOf(error))}`);
}

/** What an error says. */
export const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A text that may be a model's or a provider's: VS Code makes links of some, and a link may run a command. */
const plain = (text: string) => text.replaceAll('](', '] (');
