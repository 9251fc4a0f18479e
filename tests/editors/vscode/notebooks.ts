/** Tests of cells of a notebook, which the serializer that VS Code contains reads and writes. */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import {
  commands,
  NotebookEdit,
  NotebookRange,
  Selection,
  Uri,
  window,
  workspace,
  WorkspaceEdit,
  type NotebookDocument,
  type TextEditor,
} from 'vscode';

import { fixture, INSTRUCTION, until } from './shop';
import { press, seeNoEditRun, type } from './workbench_client';

/** The code above and below the edited cell; `test_workbench.py` reads it in the requests to the model. */
const ABOVE = 'CELL_ABOVE = 1';
const BELOW = 'CELL_BELOW = 2';

interface Cell {
  cell_type: 'code';
  execution_count: null;
  metadata: object;
  outputs: never[];
  source: string[];
}

class Notebook {
  static #opened = 0;

  private constructor(
    readonly notebook: NotebookDocument,
    readonly editor: TextEditor,
    readonly before: string,
    readonly after: string,
  ) {}

  /** Opens a notebook with three cells, with the caret in the second one. */
  static async open(): Promise<Notebook> {
    const before = await fixture('before.txt', '\n');
    const after = await fixture('after.txt', '\n');
    const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert(folder !== undefined);
    const path = join(folder, `sales${(Notebook.#opened += 1).toString()}.ipynb`);
    const cells: Cell[] = [ABOVE, before, BELOW].map((text) => ({
      cell_type: 'code',
      execution_count: null,
      metadata: {},
      outputs: [],
      source: text.split(/(?<=\n)/),
    }));
    const metadata = { language_info: { name: 'python' } };
    await writeFile(path, JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 2 }));
    await commands.executeCommand('workbench.action.closeAllEditors');
    await commands.executeCommand('notifications.clearAll');
    const notebook = await workspace.openNotebookDocument(Uri.file(path));
    await window.showNotebookDocument(notebook, { selections: [new NotebookRange(1, 2)] });
    await commands.executeCommand('notebook.cell.edit');
    const { document } = notebook.cellAt(1);
    await until('the caret is in the cell', () => window.activeTextEditor?.document === document);
    const editor = window.activeTextEditor;
    assert(editor !== undefined);
    return new Notebook(notebook, editor, before, after);
  }

  get text(): string {
    return this.editor.document.getText();
  }

  /** Requests an edit of the function at `piece`; resolves when it has begun. */
  async edit(piece = 'total = 0'): Promise<void> {
    const at = this.editor.document.positionAt(this.text.indexOf(piece));
    const uri = this.editor.document.uri.toString();
    this.editor.selection = new Selection(at, at);
    await commands.executeCommand('twospeed.edit', {
      uri,
      range: { start: at, end: at },
      instruction: INSTRUCTION,
    });
  }

  async untilText(text: string): Promise<void> {
    await until('the cell has its text', () => this.text === text).catch((error: unknown) => {
      assert.equal(this.text, text);
      throw error;
    });
  }

  /** Saves, and compares the sources of all cells in the file. */
  async saveAndCompare(text: string): Promise<void> {
    assert(await this.notebook.save());
    const saved = JSON.parse(await readFile(this.notebook.uri.fsPath, 'utf8')) as { cells: Cell[] };
    assert.deepEqual(
      saved.cells.map(({ source }) => source.join('')),
      [ABOVE, text, BELOW],
    );
  }
}

export const inNotebooks: Record<string, () => Promise<void>> = {
  async 'an edit of a cell is exact and one undo step'() {
    const shown = await Notebook.open();
    await shown.edit();
    await shown.untilText(shown.after);
    await seeNoEditRun();
    await press('Control+Z');
    await shown.untilText(shown.before);
    await press('Control+Shift+Z');
    await shown.untilText(shown.after);
    await shown.saveAndCompare(shown.after);
  },

  async 'text typed in a cell during its edit stays'() {
    const shown = await Notebook.open();
    await shown.edit();
    await until('the answer streams', () => shown.text.includes('Lay out what was bought'));
    await press('Control+Home');
    await type('# mine');
    await press('Enter');
    const expected = `# mine\n${shown.after}`;
    await shown.untilText(expected);
    await seeNoEditRun();
    await shown.saveAndCompare(expected);
  },

  async 'the edit of a cell ends with the cell, and the next one works'() {
    const shown = await Notebook.open();
    await shown.edit();
    await until('the answer streams', () => shown.text.includes('Lay out what was bought'));
    const change = new WorkspaceEdit();
    change.set(shown.notebook.uri, [NotebookEdit.deleteCells(new NotebookRange(1, 2))]);
    assert(await workspace.applyEdit(change));
    await seeNoEditRun();
    assert.equal(shown.notebook.cellCount, 2);
    const next = await Notebook.open();
    await next.edit();
    await next.untilText(next.after);
    await seeNoEditRun();
  },
};
