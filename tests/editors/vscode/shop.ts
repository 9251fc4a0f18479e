/** A file in front of a person, and what the person does with it. */

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

import { answer, press, seeFocus, seeNoEditRun } from './hands';

const LIMIT_MS = 20_000;
export const INSTRUCTION = 'say what it does, and add the tax';

/** Waits until `holds` is true, looking whenever a document or a selection changes. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const look = () => {
    if (holds()) resolve(undefined);
  };
  const listeners = [workspace.onDidChangeTextDocument(look), window.onDidChangeTextEditorSelection(look)];
  const timer = setTimeout(() => {
    reject(new Error(`in ${LIMIT_MS.toString()} ms it did not come to this: ${what}`));
  }, LIMIT_MS);
  look();
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    for (const listener of listeners) listener.dispose();
  }
}

/** A fixture, with the line ends it is to have. */
async function fixture(name: string, lineEnd: string): Promise<string> {
  const text = await readFile(join(process.env.TWOSPEED_FIXTURES ?? '', name), 'utf8');
  return text.replaceAll('\n', lineEnd);
}

export class Shop {
  static #opened = 0;

  private constructor(
    readonly editor: TextEditor,
    /** The file as it was opened, and with the model's answer in. */
    readonly before: string,
    readonly after: string,
  ) {}

  /** Opens a new file, the only one on the screen, where no message is in the way of keys. */
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

  /** Puts the caret in front of the first place that reads `piece`, or behind it. */
  async click(where: 'before' | 'behind', piece: string): Promise<Position> {
    const offset = this.text.indexOf(piece);
    assert(offset >= 0, `nothing reads ${piece}`);
    const at = this.editor.document.positionAt(where === 'before' ? offset : offset + piece.length);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    // The extension host believes its own wish at once; the event says that the window has heard of it.
    const listener = window.onDidChangeTextEditorSelection(({ textEditor }) => {
      if (textEditor === this.editor && this.caret.isEqual(at)) resolve(undefined);
    });
    this.editor.selection = new Selection(at, at);
    await promise;
    listener.dispose();
    return at;
  }

  /** Writes behind `piece`, in the undo step that is open if one is, and leaves it open: as typing may, only surely. */
  async append(piece: string, text: string): Promise<void> {
    const at = this.editor.document.positionAt(this.text.indexOf(piece) + piece.length);
    const stops = { undoStopBefore: false, undoStopAfter: false };
    assert(
      await this.editor.edit((edit) => {
        edit.insert(at, text);
      }, stops),
    );
  }

  /** Asks for an edit the way a person does; `end` comes when the edit has its outcome. */
  async ask(instruction = INSTRUCTION, command = 'twospeed.ask'): Promise<{ end: Thenable<unknown> }> {
    const end = commands.executeCommand(command);
    await answer(instruction);
    return { end };
  }

  /** Asks for an edit in a function, and waits until it is to be looked over. */
  async edit(instruction: string, piece = 'total = 0'): Promise<void> {
    await this.click('behind', piece);
    const { end } = await this.ask(instruction);
    await end;
    await seeNoEditRun();
  }

  /** Where each hunk is that is to be looked over: VS Code shows what can be done above it. */
  async hunks(): Promise<Position[]> {
    const lenses = await commands.executeCommand<CodeLens[]>(
      'vscode.executeCodeLensProvider',
      this.editor.document.uri,
    );
    return lenses
      .filter(({ command }) => command?.command === 'twospeed.accept')
      .map(({ range }) => range.start);
  }

  /** Waits until the text is this. */
  async reads(text: string): Promise<void> {
    await until(`the text is\n${text}`, () => this.text === text).catch((error: unknown) => {
      assert.equal(this.text, text);
      throw error;
    });
  }

  /** Asks for it around `piece` the way a code action does: nothing happens to the caret and the focus. */
  async command(piece: string): Promise<void> {
    const at = this.editor.document.positionAt(this.text.indexOf(piece));
    const uri = this.editor.document.uri.toString();
    const range = { start: at, end: at };
    await commands.executeCommand('twospeed.edit', { uri, range, instruction: INSTRUCTION });
  }

  /** Waits for the answer's first line; its last one is still to come. */
  async streams(): Promise<void> {
    await until('the answer begins to show', () => this.text.includes('Lay out what was bought'));
    this.isStillStreaming();
  }

  isStillStreaming(): void {
    assert(!this.text.includes('"total {total'), 'the answer was in too early for this test');
  }

  /** Saves, and compares the file byte for byte. */
  async isSavedAs(text: string): Promise<void> {
    await press('Control+S');
    await until('the file is saved', () => !this.editor.document.isDirty);
    const bytes = await readFile(this.editor.document.fileName);
    assert.equal(bytes.toString('utf8'), text);
    assert(bytes.equals(Buffer.from(text)));
  }
}
