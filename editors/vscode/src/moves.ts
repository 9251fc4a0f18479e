/**
 * Where places have gone: a range of an earlier version of a document, in the document as it is.
 *
 * A message of the server names ranges at a version; the person may have typed since.
 */

import {
  Position,
  Range,
  type Disposable,
  type TextDocument,
  type TextDocumentContentChangeEvent,
} from 'vscode';

/** How many versions back a range may be. */
const KEPT = 500;

/** A text that took the place of a range. */
type Change = Pick<TextDocumentContentChangeEvent, 'range' | 'text'>;

/** Which side of a text that is inserted right at a place the place is on afterwards. */
type Side = 'before' | 'behind';

/** The last changes of each document that was looked at; to be told of every change. */
export class Moves implements Disposable {
  readonly #changes = new Map<string, { version: number; changes: readonly Change[] }[]>();

  /** Notes what has led to the document's version. */
  note(document: TextDocument, changes: readonly Change[]): void {
    const uri = document.uri.toString();
    const seen = this.#changes.get(uri) ?? [];
    seen.push({ version: document.version, changes });
    if (seen.length > KEPT) seen.shift();
    this.#changes.set(uri, seen);
  }

  dispose(): void {
    this.#changes.clear();
  }

  forget(document: TextDocument): void {
    this.#changes.delete(document.uri.toString());
  }

  /** Gives where `range` of `version` is now; what was typed at its edges is not in it. */
  now(document: TextDocument, range: Range, version: number): Range {
    const since = (this.#changes.get(document.uri.toString()) ?? []).filter((each) => each.version > version);
    return document.validateRange(since.reduce((at, { changes }) => moved(at, changes), range));
  }
}

/**
 * Gives where a range is after the changes of one event, which VS Code lists from the bottom up.
 *
 * What is inserted at its start or its end is not in it.
 */
export function moved(range: Range, changes: readonly Change[]): Range {
  return changes.reduce((at, change) => {
    const start = movedPlace(at.start, change, at.isEmpty ? 'before' : 'behind');
    const end = movedPlace(at.end, change, 'before');
    return new Range(start, end.isBefore(start) ? start : end);
  }, range);
}

function movedPlace(at: Position, { range, text }: Change, side: Side): Position {
  const { start, end } = range;
  if (at.isBefore(start) || (at.isEqual(start) && (side === 'before' || !range.isEmpty))) return at;
  const newEnd = endOf(start, text);
  if (at.isBefore(end)) return side === 'before' ? start : newEnd;
  return at.line > end.line
    ? at.translate(newEnd.line - end.line)
    : new Position(newEnd.line, newEnd.character + at.character - end.character);
}

/** Gives where a text ends that begins at `start`. */
export function endOf(start: Position, text: string): Position {
  const lines = text.split(/\r\n|\r|\n/);
  const last = lines.at(-1) ?? '';
  return lines.length === 1
    ? start.translate(0, last.length)
    : new Position(start.line + lines.length - 1, last.length);
}
