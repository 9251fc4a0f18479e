/**
 * Maps ranges of an earlier document version to the current one.
 *
 * Ranges in a message of the server are at a version. The user may have typed since.
 */

import {
  Position,
  Range,
  type Disposable,
  type TextDocument,
  type TextDocumentContentChangeEvent,
} from 'vscode';

/** Ranges of older versions are not mapped. */
const MAX_CHANGES = 500;

type Change = Pick<TextDocumentContentChangeEvent, 'range' | 'text'>;

/** The side of inserted text on which a position at the insertion is afterwards. */
type Side = 'before' | 'after';

/** The last changes of each document. Its owner passes it every change. */
export class DocumentChanges implements Disposable {
  readonly #changes = new Map<string, { version: number; changes: readonly Change[] }[]>();

  /** Records the changes that led to the current version of the document. */
  record(document: TextDocument, changes: readonly Change[]): void {
    const uri = document.uri.toString();
    const seen = this.#changes.get(uri) ?? [];
    seen.push({ version: document.version, changes });
    if (seen.length > MAX_CHANGES) seen.shift();
    this.#changes.set(uri, seen);
  }

  dispose(): void {
    this.#changes.clear();
  }

  forget(document: TextDocument): void {
    this.#changes.delete(document.uri.toString());
  }

  /** Maps `range` of `version` to the current version; text typed at its edges stays outside. */
  mapToCurrent(document: TextDocument, range: Range, version: number): Range {
    const since = (this.#changes.get(document.uri.toString()) ?? []).filter((each) => each.version > version);
    return document.validateRange(since.reduce((at, { changes }) => mapRange(at, changes), range));
  }
}

/**
 * Maps a range through the changes of one event, which VS Code lists from the bottom up.
 *
 * Text inserted at its start or its end stays outside.
 */
export function mapRange(range: Range, changes: readonly Change[]): Range {
  return changes.reduce((at, change) => {
    const start = mapPosition(at.start, change, at.isEmpty ? 'before' : 'after');
    const end = mapPosition(at.end, change, 'before');
    return new Range(start, end.isBefore(start) ? start : end);
  }, range);
}

function mapPosition(at: Position, { range, text }: Change, side: Side): Position {
  const { start, end } = range;
  if (at.isBefore(start) || (at.isEqual(start) && (side === 'before' || !range.isEmpty))) return at;
  const newEnd = endOf(start, text);
  if (at.isBefore(end)) return side === 'before' ? start : newEnd;
  return at.line > end.line
    ? at.translate(newEnd.line - end.line)
    : new Position(newEnd.line, newEnd.character + at.character - end.character);
}

/** The end of a text that begins at `start`. */
export function endOf(start: Position, text: string): Position {
  const lines = text.split(/\r\n|\r|\n/);
  const last = lines.at(-1) ?? '';
  return lines.length === 1
    ? start.translate(0, last.length)
    : new Position(start.line + lines.length - 1, last.length);
}
