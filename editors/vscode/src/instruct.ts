/** Opens the prompt: for an edit, for one that goes on from another, or for more words to one that runs. */

import { Range, window, workspace, type Selection, type TextEditor } from 'vscode';

import { requestEdit, requestSteering } from './ask';
import { isLive, type Edit } from './edits';
import { identified, isOnLines, wirePosition, wireRange } from './places';
import { prepareRequest, scopesRequest, type ScopeChoice, type Step } from './protocol';
import { choicesAt, firstChoice, type Choice } from './scopes';
import type { Session } from './session';

/** Asks for an edit of what is selected, or at the caret; where one runs there, the words are told to it. */
export async function askHere(session: Session, variations = 1): Promise<void> {
  const editor = window.activeTextEditor;
  if (editor === undefined) return;
  const { selection, document } = editor;
  const runsHere = ({ range }: Edit) => range !== null && isOnLines(range, selection.active);
  const running = session.edits.of(document).filter(isLive).findLast(runsHere);
  if (running && selection.isEmpty) await askForSteering(session, running);
  else await askForEdit(session, editor, 'Edit', { variations, follows: undefined });
}

/** Asks for words that go on from `edit`, for what is selected in its file or around the caret. */
export async function askForFollowUp(session: Session, edit: Edit): Promise<void> {
  const editor = window.activeTextEditor;
  if (editor?.document !== edit.document) return;
  await askForEdit(session, editor, 'Follow up', { variations: 1, follows: edit.id });
}

/** Asks for other words to an edit that runs. */
export async function askForSteering({ client, prompt }: Session, { id, mode }: Edit): Promise<void> {
  const instruction = await prompt.ask({
    title: () => 'Steer the edit that runs',
    placeholder: 'Say it in other words; the edit begins anew',
    mode,
  });
  if (instruction !== undefined) await requestSteering(client, id, instruction);
}

/** Asks how many answers, and then for the edit. */
export async function askForAnswers(session: Session): Promise<void> {
  const count = await window.showQuickPick(['2', '3', '4'], {
    title: 'twospeed: how many answers?',
    placeHolder: 'The first lands; each of the others may take its place',
  });
  if (count !== undefined) await askHere(session, Number(count));
}

async function askForEdit(
  session: Session,
  { document, selection }: TextEditor,
  verb: string,
  { variations, follows }: { variations: number; follows: string | undefined },
): Promise<void> {
  const { client, edits, painter, prompt } = session;
  const { version } = document;
  const now = (range: Range) => edits.moves.now(document, range, version);
  let choices: Choice[] = [firstChoice(document, selection)];
  let chosen = 0;
  const choice = (): Choice => choices[chosen] ?? firstChoice(document, selection);
  let isOpen = true;
  const show = () => {
    if (!isOpen) return;
    painter.showScope({ document, range: now(choice().range) });
    prompt.redraw();
  };
  const answers = variations > 1 ? ` · ${variations.toString()} answers` : '';
  const given = prompt.ask({
    title: () => `${verb} · ${choice().label}${answers}`,
    placeholder: 'What to change, such as: add error handling',
    changeScope(step: Step) {
      chosen = Math.max(0, Math.min(choices.length - 1, chosen + step));
      show();
    },
  });
  show();
  const textDocument = identified(document);
  const prepare = { textDocument, range: wireRange(selection) };
  client.sendRequest(prepareRequest, prepare).catch(() => undefined); // the edit says what is wrong
  client.sendRequest(scopesRequest, { textDocument, position: wirePosition(selection.start) }).then(
    ({ scopes }) => {
      ({ choices, chosen } = choicesAt(document, selection, scopes, preferredScope()));
      show();
    },
    () => undefined, // what the caret is in cannot be told; the server decides
  );
  const instruction = await given;
  isOpen = false;
  painter.showScope(undefined);
  if (instruction === undefined || document.isClosed) return;
  const { scope, range } = choice();
  const lines = now(range);
  await requestEdit(session, {
    ...{ document, instruction, scope, lines, variations, follows },
    range: scope === 'selection' ? lines : now(inLines(selection)),
  });
}

/** A selection as a plain range: it moves as one. */
const inLines = ({ start, end }: Selection) => new Range(start, end);

/** What the settings would have an edit be of. */
const preferredScope = () =>
  workspace.getConfiguration('twospeed').get<ScopeChoice | null>('scope') ?? 'auto';
