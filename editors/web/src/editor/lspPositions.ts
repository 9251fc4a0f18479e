/**
 * Converts positions and text between LSP and CodeMirror.
 *
 * In LSP, a line ends with `\n`, `\r\n` or `\r`, and columns are UTF-16 units. In CodeMirror, a line break of any kind
 * counts as one character. A text with one kind of line break has the same lines in both.
 * A text that mixes kinds is passed to CodeMirror with `\n` as the only line break, so a `\r` is an ordinary character.
 * Offsets then are those of the text, and this module counts the lines.
 */

import { EditorState, type ChangeSet, type Extension, type Text } from '@codemirror/state';

import type { Position, Range, TextEdit } from '../protocol';

export type LineBreak = '\n' | '\r\n' | '\r';

const LINE_BREAK = /\r\n|\r|\n/g;

/** Converts positions of one document, whose kind of line break does not change. */
export class LspPositions {
  private constructor(
    /** The line break that CodeMirror uses. */
    readonly lineBreak: LineBreak,
    readonly isMixed: boolean,
  ) {}

  static of(text: string): LspPositions {
    const kinds = new Set(text.match(LINE_BREAK) as LineBreak[] | null);
    const [kind = '\n'] = kinds;
    return kinds.size > 1 ? new LspPositions('\n', true) : new LspPositions(kind, false);
  }

  /** The text with the line breaks of the file. */
  textOf(doc: Text): string {
    return doc.sliceString(0, doc.length, this.lineBreak);
  }

  /** Whether all line breaks of `text` are of the document's kind. */
  fits(text: string): boolean {
    return this.isMixed || (text.match(LINE_BREAK) ?? []).every((found) => found === this.lineBreak);
  }

  /**
   * Converts line breaks in typed, pasted and dropped text to those of the document. Otherwise CodeMirror would treat a
   * line break of another kind as an ordinary character, and its lines would differ from those of LSP.
   */
  get adapting(): Extension {
    if (this.isMixed) return [];
    return EditorState.transactionFilter.of((transaction) => {
      const adapted: { from: number; to: number; insert: Text }[] = [];
      transaction.changes.iterChanges((_fromA, _toA, from, to, inserted) => {
        const text = this.textOf(inserted);
        if (this.fits(text)) return;
        adapted.push({
          from,
          to,
          insert: transaction.startState.toText(text.replace(LINE_BREAK, this.lineBreak)),
        });
      });
      return adapted.length > 0 ? [transaction, { changes: adapted, sequential: true }] : transaction;
    });
  }

  /** A column beyond the end of its line means the end of the line, as in LSP. */
  offsetAt(doc: Text, { line, character }: Position): number {
    const [from, to] = this.isMixed ? mixedLine(this.textOf(doc), line) : plainLine(doc, line);
    return Math.min(from + character, to);
  }

  positionAt(doc: Text, offset: number): Position {
    if (!this.isMixed) {
      const { number, from } = doc.lineAt(offset);
      return { line: number - 1, character: offset - from };
    }
    let line = 0;
    let start = 0;
    for (const { 0: found, index } of this.textOf(doc).matchAll(LINE_BREAK)) {
      if (index + found.length > offset) break;
      line += 1;
      start = index + found.length;
    }
    return { line, character: offset - start };
  }

  rangeOf(doc: Text, from: number, to: number): Range {
    return { start: this.positionAt(doc, from), end: this.positionAt(doc, to) };
  }

  /** Converts sorted, disjoint LSP edits to CodeMirror changes. */
  changesOf(doc: Text, edits: readonly TextEdit[]): { from: number; to: number; insert: string }[] {
    return edits.map(({ range, newText }) => ({
      from: this.offsetAt(doc, range.start),
      to: this.offsetAt(doc, range.end),
      insert: newText,
    }));
  }

  /**
   * Converts changes of `doc` for `textDocument/didChange`, last change first, so that each range is one of `doc`.
   * For a text with mixed line breaks it returns the whole text: a change may begin between `\r` and `\n`, which is not
   * an LSP position.
   */
  contentChanges(doc: Text, changes: ChangeSet): ({ range: Range; text: string } | { text: string })[] {
    if (this.isMixed) return [{ text: this.textOf(changes.apply(doc)) }];
    const converted: { range: Range; text: string }[] = [];
    changes.iterChanges((fromA, toA, _fromB, _toB, inserted) => {
      converted.push({ range: this.rangeOf(doc, fromA, toA), text: this.textOf(inserted) });
    });
    return converted.reverse();
  }
}

function plainLine(doc: Text, line: number): [number, number] {
  if (line >= doc.lines) return [doc.length, doc.length];
  const { from, to } = doc.line(line + 1);
  return [from, to];
}

function mixedLine(text: string, line: number): [number, number] {
  let start = 0;
  let n = 0;
  for (const { 0: found, index } of text.matchAll(LINE_BREAK)) {
    if (n === line) return [start, index];
    n += 1;
    start = index + found.length;
  }
  return n === line ? [start, text.length] : [text.length, text.length];
}
