/** Tests of positions and undo steps against a model with plain strings. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { history, undo, redo, undoDepth } from '@codemirror/commands';
import { ChangeSet, EditorState, Transaction } from '@codemirror/state';

import { LspPositions } from '../../../editors/web/src/editor/lspPositions';
import type { Range } from '../../../editors/web/src/protocol';
import { UndoStep } from '../../../editors/web/src/editor/undoStep';

const SEED = Number(process.env.SEED ?? 1);
const CASES = 400;

/** A generator of integers below a limit, reproducible by its seed (mulberry32). */
function random(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

/** The text after an LSP content change, computed with strings only. */
function applied(text: string, change: { range: Range; text: string } | { text: string }): string {
  if (!('range' in change)) return change.text;
  const at = ({ line, character }: Range['start']) => {
    const starts = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((found) => found.index + found[0].length)];
    const start = starts[line];
    assert(start !== undefined);
    return start + character;
  };
  return text.slice(0, at(change.range.start)) + change.text + text.slice(at(change.range.end));
}

function stateOf(text: string): { state: EditorState; positions: LspPositions } {
  const positions = LspPositions.of(text);
  const lineBreak = EditorState.lineSeparator.of(positions.lineBreak);
  const doc = EditorState.create({ extensions: lineBreak }).toText(text);
  return {
    positions,
    state: EditorState.create({ doc, extensions: [lineBreak, history()] }),
  };
}

function randomText(roll: (limit: number) => number, lineBreaks: readonly string[]): string {
  const pieces = ['a', 'é', '😀', '  ', '\u2028', 'x = 1', ...lineBreaks, ...lineBreaks];
  return Array.from({ length: roll(30) }, () => pieces[roll(pieces.length)]).join('');
}

function randomChanges(roll: (limit: number) => number, state: EditorState, lineBreak: string): ChangeSet {
  const cuts = Array.from({ length: 4 }, () => roll(state.doc.length + 1)).sort((a, b) => a - b);
  const [a = 0, b = 0, c = 0, d = 0] = cuts;
  const insert = () => state.toText(['', 'new', `one${lineBreak}two`, lineBreak][roll(4)] ?? '');
  const changes = [{ from: a, to: b, insert: insert() }];
  if (b < c) changes.push({ from: c, to: d, insert: insert() });
  return state.changes(changes);
}

for (const [name, lineBreaks] of Object.entries({
  '\\n': ['\n'],
  '\\r\\n': ['\r\n'],
  '\\r': ['\r'],
  'all kinds': ['\n', '\r\n', '\r'],
})) {
  test(`a text with ${name} is sent to the server unchanged`, () => {
    const roll = random(SEED);
    for (let n = 0; n < CASES; n += 1) {
      const text = randomText(roll, lineBreaks);
      const { state, positions } = stateOf(text);
      assert.equal(positions.textOf(state.doc), text);
      const changes = randomChanges(roll, state, positions.lineBreak);
      const changed = positions.contentChanges(state.doc, changes);
      assert.equal(changed.reduce(applied, text), positions.textOf(changes.apply(state.doc)));
    }
  });

  test(`edits of the server apply to a text with ${name} at their LSP positions`, () => {
    const roll = random(SEED + 1);
    for (let n = 0; n < CASES; n += 1) {
      const text = randomText(roll, lineBreaks);
      const { state, positions } = stateOf(text);
      const lines = text.split(/\r\n|\r|\n/);
      const position = () => {
        const line = roll(lines.length);
        return { line, character: roll((lines[line]?.length ?? 0) + 1) };
      };
      const order = (a: Range['start'], b: Range['start']) => a.line - b.line || a.character - b.character;
      const [start, end] = [position(), position()].sort(order);
      assert(start && end);
      const edit = {
        range: { start, end },
        newText: `new${positions.lineBreak}text`,
      };
      const { newDoc } = state.update({
        changes: positions
          .changesOf(state.doc, [edit])
          .map((each) => ({ ...each, insert: state.toText(each.insert) })),
      });
      assert.equal(positions.textOf(newDoc), applied(text, { range: edit.range, text: edit.newText }));
    }
  });
}

test('a position after the end of its line or text is the end', () => {
  for (const text of ['ab\ncd', 'ab\r\ncd', 'ab\rcd\nef']) {
    const { state, positions } = stateOf(text);
    assert.equal(positions.offsetAt(state.doc, { line: 0, character: 99 }), 2);
    assert.equal(positions.offsetAt(state.doc, { line: 99, character: 0 }), state.doc.length);
  }
});

test('fits accepts only the line breaks of the document', () => {
  const { positions } = stateOf('a\r\nb');
  assert(positions.fits('one\r\ntwo') && positions.fits('one'));
  assert(!positions.fits('one\ntwo') && !positions.fits('one\rtwo'));
  assert(stateOf('a\r\nb\nc').positions.fits('any\rthing\n'));
});

test('pasted text gets the line breaks of the document, and the caret is after it', () => {
  const roll = random(SEED + 4);
  for (let n = 0; n < CASES; n += 1) {
    const lineBreak = ['\n', '\r\n', '\r'][roll(3)] ?? '';
    const text = `${randomText(roll, [lineBreak])}${lineBreak}`;
    const { state, positions } = stateOf(text);
    const adapting = EditorState.create({
      doc: state.doc,
      extensions: [EditorState.lineSeparator.of(lineBreak), positions.adapting],
    });
    const pasted = randomText(roll, ['\n', '\r\n', '\r', 'x']);
    const insert = adapting.toText(pasted);
    const at = roll(state.doc.length + 1);
    const { state: next } = adapting.update({
      changes: { from: at, insert },
      selection: { anchor: at + insert.length },
    });
    const expected = pasted.replace(/\r\n|\r|\n/g, lineBreak);
    const start = positions.textOf(state.doc.slice(0, at));
    assert.equal(positions.textOf(next.doc), start + expected + text.slice(start.length));
    assert.equal(positions.textOf(next.doc.slice(0, next.selection.main.head)), start + expected);
    assert.equal(next.doc.lines, positions.textOf(next.doc).split(/\r\n|\r|\n/).length);
  }
});

/** Random changes by a user, in lower case, and by an edit, in upper case. */
function mixedChanges(roll: (limit: number) => number): {
  state: EditorState;
  step: UndoStep;
} {
  let { state } = stateOf('some text\nof two lines\n');
  const step = new UndoStep(state.doc);
  for (let n = 0; n < 12; n += 1) {
    const from = roll(state.doc.length + 1);
    const isEdit = roll(2) === 0;
    const to = isEdit ? Math.min(state.doc.length, from + roll(4)) : from;
    const text = (isEdit ? 'ABC' : 'xyz').slice(0, 1 + roll(3));
    const transaction = state.update({
      changes: { from, to, insert: text },
      annotations: Transaction.addToHistory.of(!isEdit),
    });
    if (isEdit) step.recordEdit(transaction.changes, state.doc);
    else step.recordOther(transaction.changes);
    ({ state } = transaction);
  }
  return { state, step };
}

/** Runs a command, and returns the resulting state. */
function after(state: EditorState, command: typeof undo): EditorState {
  let next = state;
  command({ state, dispatch: (transaction) => (next = transaction.state) });
  return next;
}

test('closing makes an edit in parts one undo step, without a visible change', () => {
  const roll = random(SEED + 2);
  for (let n = 0; n < CASES; n += 1) {
    const { state, step } = mixedChanges(roll);
    const closed = step.close(state).at(-1)?.state ?? state;
    assert.equal(closed.doc.toString(), state.doc.toString());
    assert(undoDepth(closed) <= undoDepth(state) + 1);
    assert.deepEqual(closed.selection.toJSON(), state.selection.toJSON());

    const undone = after(closed, undo);
    if (closed !== state) assert(!/[ABC]/.test(undone.doc.toString()), undone.doc.toString());
    assert.equal(after(undone, redo).doc.toString(), closed.doc.toString());
  }
});

test('text typed during an edit stays when the edit is undone', () => {
  const roll = random(SEED + 3);
  for (let n = 0; n < CASES; n += 1) {
    let { state } = stateOf('one\ntwo\nthree\n');
    const step = new UndoStep(state.doc);
    const before = state.doc.toString();
    const type = (at: number, text: string) => {
      const transaction = state.update({ changes: { from: at, insert: text } });
      step.recordOther(transaction.changes);
      ({ state } = transaction);
    };
    const write = (from: number, to: number, text: string) => {
      const annotations = Transaction.addToHistory.of(false);
      const transaction = state.update({
        changes: { from, to, insert: text },
        annotations,
      });
      step.recordEdit(transaction.changes, state.doc);
      ({ state } = transaction);
    };
    write(4, 7, 'TWO');
    type(roll(4), 'above ');
    const three = state.doc.toString().indexOf('three');
    write(three, three, 'NEW LINE\n');
    type(state.doc.length, 'below');
    const typed = state.doc.toString().replace('TWO', 'two').replace('NEW LINE\n', '');
    const undone = after(step.close(state).at(-1)?.state ?? state, undo);
    assert.equal(undone.doc.toString(), typed);
    assert.equal(after(after(undone, undo), undo).doc.toString(), before);
  }
});

test('an edit without a final change is no undo step', () => {
  const { state } = stateOf('text');
  const step = new UndoStep(state.doc);
  const added = state.update({ changes: { from: 0, insert: 'more ' } });
  step.recordEdit(added.changes, state.doc);
  const removed = added.state.update({ changes: { from: 0, to: 5 } });
  step.recordEdit(removed.changes, added.state.doc);
  assert.deepEqual(step.close(removed.state), []);
});
