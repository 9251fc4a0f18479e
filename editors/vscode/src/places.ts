/** Places as the protocol has them, and as VS Code does. */

import { Range, workspace, type Position, type TextDocument, type Uri } from 'vscode';
import type { Position as WirePosition, Range as WireRange } from 'vscode-languageclient/node';

export const asRange = ({ start, end }: WireRange): Range =>
  new Range(start.line, start.character, end.line, end.character);

export const wirePosition = ({ line, character }: Position): WirePosition => ({ line, character });

export const wireRange = ({ start, end }: Range): WireRange => ({
  start: wirePosition(start),
  end: wirePosition(end),
});

/** The open document that the server knows by `uri`. */
export const documentAt = (uri: string): TextDocument | undefined =>
  workspace.textDocuments.find((document) => document.uri.toString() === uri);

/** The last part of a path. */
export const nameOf = ({ path }: Uri): string => path.split('/').at(-1) ?? '';

/** How the server is told of a document as it stands. */
export const identified = ({ uri, version }: TextDocument) => ({ uri: uri.toString(), version });

/** The first line of a range, and the one behind its last; an empty range has the line below it. */
export function linesOf({ start, end }: Range): { first: number; behind: number } {
  const behind = end.character > 0 ? end.line + 1 : end.line;
  return { first: start.line, behind: Math.max(behind, start.line + 1) };
}

/** Whether a place is on the lines of a range. */
export function isOnLines(range: Range, at: Position): boolean {
  const { first, behind } = linesOf(range);
  return first <= at.line && at.line < behind;
}
