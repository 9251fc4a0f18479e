/** A file in the workbench, and the actions of a user on it. */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import {
  commands,
  Selection,
  Uri,
  window,
  workspace,
  type CodeLens,
  type Position,
  type TextEditor,
} from 'vscode';

import { answer, press, seeFocus, seeNoEditRun } from './workbench_client';

const LIMIT_MS = 20_000;
export const INSTRUCTION = 'say what it does, and add the tax';

/** Waits until `holds` returns true; calls it after each change of a document or selection. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const check = () => {
    if (holds()) resolve(undefined);
  };
  const listeners = [
    workspace.onDidChangeTextDocument(check),
    window.onDidChangeTextEditorSelection(check),
    window.onDidChangeActiveTextEditor(check),
  ];
  const timer = setTimeout(() => {
    reject(new Error(`timeout after ${LIMIT_MS.toString()} ms before: ${what}`));
  }, LIMIT_MS);
  check();
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    for (const listener of listeners) listener.dispose();
  }
}

/** The text of a fixture with these line ends. */
export async function fixture(name: string, lineEnd: string): Promise<string> {
  const text = await readFile(join(process.env.TWOSPEED_FIXTURES ?? '', name), 'utf8');
  return text.replaceAll('\n', lineEnd);
}

export class Shop {
  static #opened = 0;

  private constructor(
    readonly editor: TextEditor,
    /** The text before the edit, and after it. */
    readonly before: string,
    readonly after: string,
  ) {}

  /** Opens a new file as the only editor, and closes all notifications, which would receive keys. */
  static async open(lineEnd: '\n' | '\r\n' = '\n'): Promise<Shop> {
    const before = await fixture('before.txt', lineEnd);
    const after = await fixture('after.txt', lineEnd);
    const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert(folder !== undefined);
    const path = join(folder, `shop${(Shop.#opened += 1).toString()}.py`);
    await writeFile(path, before);
    await commands.executeCommand('workbench.action.closeAllEditors');
    await commands.executeCommand('notifications.clearAll');
    const document = await workspace.openTextDocument(Uri.file(path));
    const editor = await window.showTextDocument(document);
    await seeFocus();
    return new Shop(editor, before, after);
  }

  get text(): string {
    return this.editor.document.getText();
  }

  get caret(): Position {
    return this.editor.selection.active;
  }

  /** Puts the caret before or after the first occurrence of `piece`. */
  async click(where: 'before' | 'after', piece: string): Promise<Position> {
    const offset = this.text.indexOf(piece);
    assert(offset >= 0, `${piece} does not occur`);
    const at = this.editor.document.positionAt(where === 'before' ? offset : offset + piece.length);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    // The property changes at once; the event confirms that the window has the selection.
    const listener = window.onDidChangeTextEditorSelection(({ textEditor }) => {
      if (textEditor === this.editor && this.caret.isEqual(at)) resolve(undefined);
    });
    this.editor.selection = new Selection(at, at);
    await promise;
    listener.dispose();
    return at;
  }

  /** Inserts text after `piece` in the open undo step, and leaves it open, as typing may do. */
  async append(piece: string, text: string): Promise<void> {
    const at = this.editor.document.positionAt(this.text.indexOf(piece) + piece.length);
    const stops = { undoStopBefore: false, undoStopAfter: false };
    assert(
      await this.editor.edit((edit) => {
        edit.insert(at, text);
      }, stops),
    );
  }

  /** Requests an edit with the prompt; `end` resolves when the edit has its outcome. */
  async requestEdit(
    instruction = INSTRUCTION,
    command = 'twospeed.ask',
  ): Promise<{ end: Thenable<unknown> }> {
    const end = commands.executeCommand(command);
    await answer(instruction);
    return { end };
  }

  /** Requests an edit at `piece`, and waits until it is in review. */
  async edit(instruction: string, piece = 'total = 0'): Promise<void> {
    await this.click('after', piece);
    const { end } = await this.requestEdit(instruction);
    await end;
    await seeNoEditRun();
  }

  /** The positions of undecided hunks, from their code lenses. */
  async hunks(): Promise<Position[]> {
    const lenses = await commands.executeCommand<CodeLens[]>(
      'vscode.executeCodeLensProvider',
      this.editor.document.uri,
    );
    return lenses
      .filter(({ command }) => command?.command === 'twospeed.accept')
      .map(({ range }) => range.start);
  }

  /** Waits until the text equals `text`. */
  async untilText(text: string): Promise<void> {
    await until(`the text is\n${text}`, () => this.text === text).catch((error: unknown) => {
      assert.equal(this.text, text);
      throw error;
    });
  }

  /** Requests an edit at `piece` as a code action does, without a change of caret and focus. */
  async command(piece: string): Promise<void> {
    const at = this.editor.document.positionAt(this.text.indexOf(piece));
    const uri = this.editor.document.uri.toString();
    const range = { start: at, end: at };
    await commands.executeCommand('twospeed.edit', { uri, range, instruction: INSTRUCTION });
  }

  /** Waits for the first line of the answer, and checks that its last line has not arrived. */
  async untilStreaming(): Promise<void> {
    await until('the first line of the answer is applied', () =>
      this.text.includes('Lay out what was bought'),
    );
    this.checkStreaming();
  }

  checkStreaming(): void {
    assert(!this.text.includes('"total {total'), 'the answer was in too early for this test');
  }

  /** Saves, and compares the file byte for byte. */
  async saveAndCompare(text: string): Promise<void> {
    await press('Control+S');
    await until('the file is saved', () => !this.editor.document.isDirty);
    const bytes = await readFile(this.editor.document.fileName);
    assert.equal(bytes.toString('utf8'), text);
    assert(bytes.equals(Buffer.from(text)));
  }
}
