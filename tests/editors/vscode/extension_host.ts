/**
 * Reads and saves documents in the extension host for `driver.py`; keys go through the browser instead.
 *
 * It connects to the Unix socket in TWOSPEED_EXTENSION_HOST, reads lines of JSON, `{"id", "method", "argument"}`, and
 * answers `{"id", "result"}` or `{"id", "error"}`.
 */

import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';

import { commands, Selection, Uri, window, workspace, type Position, type TextEditor } from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';

function shown(): TextEditor {
  const editor = window.activeTextEditor;
  if (editor === undefined) throw new Error('no file is shown');
  return editor;
}

/** The position of a character; the column is counted in code points. */
function positionOf(editor: TextEditor, line: number, column: number): Position {
  const { text, range } = editor.document.lineAt(line);
  return range.start.translate(0, Array.from(text).slice(0, column).join('').length);
}

/** Sets the selection, and waits until the window has confirmed it. */
async function select(editor: TextEditor, expected: Selection): Promise<void> {
  if (editor.selection.isEqual(expected)) return;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const listener = window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
    if (textEditor === editor && selections.length === 1 && selections[0]?.isEqual(expected))
      resolve(undefined);
  });
  editor.selection = expected;
  await promise;
  listener.dispose();
}

const methods = {
  async open(path: string) {
    const document = await workspace.openTextDocument(Uri.file(path));
    await window.showTextDocument(document, { preview: false });
  },

  text: () => shown().document.getText().replaceAll('\r\n', '\n'),

  /** Waits until earlier keys have reached the extension host: the reply of the window arrives after them. */
  settle: () => commands.executeCommand('noop'),

  async putCursor([line, column]: [number, number]) {
    const editor = shown();
    const at = positionOf(editor, line, column);
    await select(editor, new Selection(at, at));
  },

  /** Sets several carets, and waits until the window has confirmed them. */
  async putCursors(places: readonly [number, number][]) {
    const editor = shown();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const listener = window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
      if (textEditor === editor && selections.length === places.length) resolve(undefined);
    });
    editor.selections = places.map(([line, column]) => {
      const at = positionOf(editor, line, column);
      return new Selection(at, at);
    });
    await promise;
    listener.dispose();
  },

  /** The anchor and the caret of the selection: lines and UTF-16 characters. */
  selected() {
    const { anchor, active } = shown().selection;
    return [anchor.line, anchor.character, active.line, active.character];
  },

  /** Restores a selection returned by `selected`. */
  select: (ends: [number, number, number, number]) => select(shown(), new Selection(...ends)),

  save: () => workspace.saveAll(),

  /** Runs a command, and waits for its end. */
  run: (command: string) => commands.executeCommand(command),
};

async function answer(line: string): Promise<object> {
  const { id, method, argument } = JSON.parse(line) as {
    id: number;
    method: keyof typeof methods;
    argument: never;
  };
  try {
    const result: unknown = await methods[method](argument);
    return { id, result: result ?? null };
  } catch (error) {
    return { id, error: String(error) };
  }
}

/** Starts a second language server, as another extension does. */
async function startSecondServer(): Promise<void> {
  const [command, ...args] = JSON.parse(process.env.TWOSPEED_SECOND_SERVER ?? '[]') as string[];
  if (command === undefined) return;
  const documentSelector = [{ language: 'python' }];
  await new LanguageClient('second-server', 'second-server', { command, args }, { documentSelector }).start();
}

export async function run(): Promise<void> {
  const path = process.env.TWOSPEED_EXTENSION_HOST;
  if (path === undefined) throw new Error('TWOSPEED_EXTENSION_HOST is not set: driver.py sets it');
  await startSecondServer();
  const connection = createConnection(path);
  for await (const text of createInterface({ input: connection })) {
    connection.write(`${JSON.stringify(await answer(text))}\n`);
  }
}
