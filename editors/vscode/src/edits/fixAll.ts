/** Fixes all problems of a document like the one at the caret, as one edit with a place for each. */

import { languages, Range, window, type Diagnostic, type Position } from 'vscode';

import type { Session } from '../session';
import { requestPlaces } from './requests';

const MOST_PLACES = 100;
/** Different messages in an instruction; they are examples of the same kind. */
const MOST_MESSAGES = 5;

export async function fixAllLikeThis(session: Session): Promise<void> {
  const editor = window.activeTextEditor;
  if (editor === undefined) return;
  const { document, selection } = editor;
  const all = languages.getDiagnostics(document.uri);
  const here = problemAt(all, selection.active);
  if (here === undefined) {
    void window.showInformationMessage('twospeed: there is no problem in this line');
    return;
  }
  const alike = all
    .filter((each) => kindOf(each) === kindOf(here))
    .sort((one, other) => one.range.start.compareTo(other.range.start))
    .slice(0, MOST_PLACES);
  await requestPlaces(session, {
    document,
    // Positions, because the range of a problem would be a selection: its lines alone could change.
    ranges: alike.map(({ range }) => new Range(range.start, range.start)),
    instruction: instructionFor(alike),
  });
}

/** The problem at the caret, else the first one of its line. */
function problemAt(all: readonly Diagnostic[], caret: Position): Diagnostic | undefined {
  const onLine = all.filter(({ range }) => range.start.line <= caret.line && caret.line <= range.end.line);
  return onLine.find(({ range }) => range.contains(caret)) ?? onLine[0];
}

/** The source and the code of a problem; without a code its message. */
function kindOf({ source, code, message }: Diagnostic): string {
  const value = typeof code === 'object' ? code.value : code;
  return JSON.stringify([source ?? null, value ?? [message]]);
}

function instructionFor(alike: readonly Diagnostic[]): string {
  const messages = [...new Set(alike.map(({ message }) => message))].slice(0, MOST_MESSAGES);
  const head = alike.length === 1 ? 'Fix this problem' : 'Fix every problem of this kind';
  return `${head}: ${messages.join('; ')}`;
}
