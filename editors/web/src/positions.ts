/**
 * Texts and places, as LSP has them and as CodeMirror has them.
 *
 * LSP counts lines that end with `\n`, `\r\n` or `\r`, and UTF-16 units in a line. In CodeMirror a line break counts as
 * one, whatever it is written as. A text with one kind of line break has the same lines in both. One that mixes them
 * is given to CodeMirror with `\n` as the only line break, every other `\r` being a character; its offsets are those of
 * the text, and its lines are counted here.
 */

import { EditorState, type ChangeSet, type Extension, type Text } from '@codemirror/state';

import type { Position, Range, TextEdit } from './protocol';

export type LineBreak = '\n' | '\r\n' | '\r';

const LINE_BREAK = /\r\n|\r|\n/g;

/** How lines of a document end, and where its places are. */
export class Ruler {
  private constructor(
    /** What CodeMirror is to take for a line break. */
    readonly lineBreak: LineBreak,
    readonly isMixed: boolean,
  ) {}

  static of(text: string): Ruler {
    const kinds = new Set(text.match(LINE_BREAK) as LineBreak[] | null);
    const [kind = '\n'] = kinds;
    return kinds.size > 1 ? new Ruler('\n', true) : new Ruler(kind, false);
  }

  /** The text as it is in a file. */
  textOf(doc: Text): string {
    return doc.sliceString(0, doc.length, this.lineBreak);
  }

  /** Whether a text can stand in the document as it is written. */
  fits(text: string): boolean {
    return this.isMixed || (text.match(LINE_BREAK) ?? []).every((found) => found === this.lineBreak);
  }

  /**
   * Has whatever is typed, pasted or dropped into the document end its lines as the document does; else CodeMirror would
   * take a line break of another kind for a character of its line, and its lines would not be LSP's.
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

  /** A place past a line's end is its end, as in LSP. */
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

  /** Edits of the server's as changes of CodeMirror's; they are sorted and disjoint. */
  changesOf(doc: Text, edits: readonly TextEdit[]): { from: number; to: number; insert: string }[] {
    return edits.map(({ range, newText }) => ({
      from: this.offsetAt(doc, range.start),
      to: this.offsetAt(doc, range.end),
      insert: newText,
    }));
  }

  /**
   * What `textDocument/didChange` tells of changes of `doc`: the last one first, so that each is where `doc` has it. Of a
   * mixed text it tells the whole, since a change may begin between `\r` and `\n`, where LSP knows no place.
   */
  contentChanges(doc: Text, changes: ChangeSet): ({ range: Range; text: string } | { text: string })[] {
    if (this.isMixed) return [{ text: this.textOf(changes.apply(doc)) }];
    const told: { range: Range; text: string }[] = [];
    changes.iterChanges((fromA, toA, _fromB, _toB, inserted) => {
      told.push({ range: this.rangeOf(doc, fromA, toA), text: this.textOf(inserted) });
    });
    return told.reverse();
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
