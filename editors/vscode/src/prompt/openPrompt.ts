/** Opens the prompt: for a new edit, for a follow-up, or for steering a running edit. */

import { Range, window, workspace, type Selection, type TextEditor } from 'vscode';

import { isLive, type Edit } from '../edits/edits';
import { requestEdit, requestPlaces, requestSteering } from '../edits/requests';
import { versionedIdentifier, isOnLines, lspPosition, lspRange } from '../positions';
import { prepareRequest, scopesRequest, type ScopeChoice, type Step } from '../protocol';
import type { Session } from '../session';
import { choicesAt, firstChoice, type Choice } from './scopes';

/** Prompts for an edit of the selection or of the code around the caret. If an edit runs there, the prompt steers it. */
export async function askAtCaret(session: Session, variations = 1): Promise<void> {
  const editor = window.activeTextEditor;
  if (editor === undefined) return;
  const { selection, selections, document } = editor;
  if (selections.length > 1) {
    await askForPlaces(session, editor);
    return;
  }
  const runsHere = ({ range }: Edit) => range !== null && isOnLines(range, selection.active);
  const running = session.edits.of(document).filter(isLive).findLast(runsHere);
  if (running && selection.isEmpty) await askForSteering(session, running);
  else await askForEdit(session, editor, 'Edit', { variations, follows: undefined });
}

/** Prompts for one instruction for all selections. */
async function askForPlaces(session: Session, editor: TextEditor): Promise<void> {
  const { document, selections } = editor;
  const { version } = document;
  const answer = session.prompt.ask({
    title: () => `Edit · ${selections.length.toString()} places`,
    placeholder: 'What to change at each place, for example: add error handling',
  });
  const textDocument = versionedIdentifier(document);
  const prepare = { textDocument, range: lspRange(editor.selection) };
  session.client.sendRequest(prepareRequest, prepare).catch(() => undefined); // the edit reports the same error
  const instruction = await answer;
  if (instruction === undefined || document.isClosed) return;
  const ranges = selections.map((selection) =>
    session.edits.documentChanges.mapToCurrent(document, asPlainRange(selection), version),
  );
  await requestPlaces(session, { document, ranges, instruction });
}

/** Prompts for a follow-up to `edit`, for the selection in its file or the code around the caret. */
export async function askForFollowUp(session: Session, edit: Edit): Promise<void> {
  const editor = window.activeTextEditor;
  if (editor?.document !== edit.document) return;
  await askForEdit(session, editor, 'Follow up', { variations: 1, follows: edit.id });
}

/** Prompts for a new instruction to a running edit. */
export async function askForSteering({ client, prompt }: Session, { group, mode }: Edit): Promise<void> {
  const instruction = await prompt.ask({
    title: () => 'Steer the running edit',
    placeholder: 'New instruction; the edit starts again',
    mode,
  });
  if (instruction !== undefined) await requestSteering(client, group, instruction);
}

/** Prompts for the number of answers, then for the edit. */
export async function askForAnswers(session: Session): Promise<void> {
  const count = await window.showQuickPick(['2', '3', '4'], {
    title: 'twospeed: how many answers?',
    placeHolder: 'The first one is applied; you can switch to the others',
  });
  if (count !== undefined) await askAtCaret(session, Number(count));
}

async function askForEdit(
  session: Session,
  { document, selection }: TextEditor,
  verb: string,
  { variations, follows }: { variations: number; follows: string | undefined },
): Promise<void> {
  const { client, edits, decorations, prompt } = session;
  const { version } = document;
  const current = (range: Range) => edits.documentChanges.mapToCurrent(document, range, version);
  let choices: Choice[] = [firstChoice(document, selection)];
  let chosen = 0;
  const choice = (): Choice => choices[chosen] ?? firstChoice(document, selection);
  let isOpen = true;
  const show = () => {
    if (!isOpen) return;
    decorations.showScope({ document, range: current(choice().range) });
    prompt.redraw();
  };
  const answers = variations > 1 ? ` · ${variations.toString()} answers` : '';
  const answer = prompt.ask({
    title: () => `${verb} · ${choice().label}${answers}`,
    placeholder: 'What to change, for example: add error handling',
    changeScope(step: Step) {
      chosen = Math.max(0, Math.min(choices.length - 1, chosen + step));
      show();
    },
  });
  show();
  const textDocument = versionedIdentifier(document);
  const prepare = { textDocument, range: lspRange(selection) };
  client.sendRequest(prepareRequest, prepare).catch(() => undefined); // the edit reports the same error
  client.sendRequest(scopesRequest, { textDocument, position: lspPosition(selection.start) }).then(
    ({ scopes }) => {
      ({ choices, chosen } = choicesAt(document, selection, scopes, preferredScope()));
      show();
    },
    () => undefined, // without the scopes, the server chooses one
  );
  const instruction = await answer;
  isOpen = false;
  decorations.showScope(undefined);
  if (instruction === undefined || document.isClosed) return;
  const { scope, range } = choice();
  const lines = current(range);
  await requestEdit(session, {
    ...{ document, instruction, scope, lines, variations, follows },
    range: scope === 'selection' ? lines : current(asPlainRange(selection)),
  });
}

/** A plain `Range` instead of a `Selection`. */
const asPlainRange = ({ start, end }: Selection) => new Range(start, end);

/** The scope in the user's settings. */
const preferredScope = () =>
  workspace.getConfiguration('twospeed').get<ScopeChoice | null>('scope') ?? 'auto';
