/** Converts positions, ranges and documents between VS Code and LSP. */

import { Position, Range, workspace, type TextDocument, type Uri } from 'vscode';
import type { Position as LspPosition, Range as LspRange } from './protocol';

export const asRange = ({ start, end }: LspRange): Range =>
  new Range(start.line, start.character, end.line, end.character);

export const asPosition = ({ line, character }: LspPosition): Position => new Position(line, character);

export const lspPosition = ({ line, character }: Position): LspPosition => ({ line, character });

export const lspRange = ({ start, end }: Range): LspRange => ({
  start: lspPosition(start),
  end: lspPosition(end),
});

/** The open document with the URI `uri`. */
export const documentAt = (uri: string): TextDocument | undefined =>
  workspace.textDocuments.find((document) => document.uri.toString() === uri);

export const fileName = ({ path }: Uri): string => path.split('/').at(-1) ?? '';

/** The document and its current version, as LSP's `VersionedTextDocumentIdentifier`. */
export const versionedIdentifier = ({ uri, version }: TextDocument) => ({ uri: uri.toString(), version });

/** The first line of a range, and the line after its last one. An empty range has one line. */
export function linesOf({ start, end }: Range): { first: number; after: number } {
  const after = end.character > 0 ? end.line + 1 : end.line;
  return { first: start.line, after: Math.max(after, start.line + 1) };
}

/** The text without the line break at its end. */
export const withoutLineBreak = (text: string) => text.replace(/(\r\n|\r|\n)$/, '');

/** Whether a position is on one of the lines of a range. */
export function isOnLines(range: Range, at: Position): boolean {
  const { first, after } = linesOf(range);
  return first <= at.line && at.line < after;
}
