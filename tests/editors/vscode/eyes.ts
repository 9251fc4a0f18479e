/**
 * Eyes for the journeys, inside of the workbench: a test of the extension host that does what it is told on a line.
 *
 * It connects to the Unix socket that TWOSPEED_EYES names, reads lines of JSON, `{"id", "skill", "what"}`, and answers
 * `{"id", "result"}` or `{"id", "error"}`. Keys are none of its business: they come from a keyboard.
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

/** Where a character is that is counted in code points. */
function placeOf(editor: TextEditor, line: number, column: number): Position {
  const { text, range } = editor.document.lineAt(line);
  return range.start.translate(0, Array.from(text).slice(0, column).join('').length);
}

/** Selects something; returns when the window has heard of it, and it is not on its way any more. */
async function select(editor: TextEditor, wanted: Selection): Promise<void> {
  if (editor.selection.isEqual(wanted)) return;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const listener = window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
    if (textEditor === editor && selections.length === 1 && selections[0]?.isEqual(wanted))
      resolve(undefined);
  });
  editor.selection = wanted;
  await promise;
  listener.dispose();
}

const skills = {
  async open(path: string) {
    const document = await workspace.openTextDocument(Uri.file(path));
    await window.showTextDocument(document, { preview: false });
  },

  text: () => shown().document.getText().replaceAll('\r\n', '\n'),

  /** Waits until what was pressed has come here: an answer from the window comes behind it. */
  settle: () => commands.executeCommand('noop'),

  async putCursor([line, column]: [number, number]) {
    const editor = shown();
    const at = placeOf(editor, line, column);
    await select(editor, new Selection(at, at));
  },

  /** Where the selection begins and where its caret is: lines and UTF-16 characters. */
  selected() {
    const { anchor, active } = shown().selection;
    return [anchor.line, anchor.character, active.line, active.character];
  },

  /** Selects what `selected` gave. */
  select: (places: [number, number, number, number]) => select(shown(), new Selection(...places)),

  save: () => workspace.saveAll(),

  /** Runs a command to its end. */
  run: (command: string) => commands.executeCommand(command),
};

async function answer(line: string): Promise<object> {
  const { id, skill, what } = JSON.parse(line) as { id: number; skill: keyof typeof skills; what: never };
  try {
    const result: unknown = await skills[skill](what);
    return { id, result: result ?? null };
  } catch (error) {
    return { id, error: String(error) };
  }
}

/** A second server, as any other extension has one. */
async function startNeighbour(): Promise<void> {
  const [command, ...args] = JSON.parse(process.env.TWOSPEED_NEIGHBOUR ?? '[]') as string[];
  if (command === undefined) return;
  const documentSelector = [{ language: 'python' }];
  await new LanguageClient('neighbour', 'neighbour', { command, args }, { documentSelector }).start();
}

export async function run(): Promise<void> {
  const path = process.env.TWOSPEED_EYES;
  if (path === undefined) throw new Error('TWOSPEED_EYES is not set: driver.py sets it');
  await startNeighbour();
  const line = createConnection(path);
  for await (const text of createInterface({ input: line })) {
    line.write(`${JSON.stringify(await answer(text))}\n`);
  }
}
