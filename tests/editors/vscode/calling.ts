/** Tests of the callers of a changed definition, in a file that is not open. */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';

import { commands, languages, Location, Range, Uri, window, workspace } from 'vscode';

import { Shop, until } from './shop';
import { press, seeFocus, seeNoEditRun } from './workbench_client';

const CALL = 'owed([3])';
const UPDATED = 'owed([3], 1)';

/** A file that calls `owed` of the shop's file, and that is not open. */
class Till {
  private constructor(
    readonly uri: Uri,
    readonly before: string,
  ) {}

  static async write(shop: Shop, imported: string): Promise<Till> {
    const path = shop.editor.document.fileName.replace('shop', 'till');
    const module = shop.editor.document.fileName.split(/[/\\]/).at(-1)?.replace('.py', '') ?? '';
    const before = `from ${module} import ${imported}\n\nprint(${CALL})\n`;
    await writeFile(path, before);
    return new Till(Uri.file(path), before);
  }

  get after(): string {
    return this.before.replace(CALL, UPDATED);
  }

  get text(): string | undefined {
    return workspace.textDocuments.find(({ uri }) => uri.toString() === this.uri.toString())?.getText();
  }

  async untilText(text: string): Promise<void> {
    await until(`the text of the till is\n${text}`, () => this.text === text);
  }

  /** Edits the shop's function, and updates this caller. */
  async update(shop: Shop): Promise<void> {
    await shop.edit('take a rate', 'owed(items):');
    assert.equal(this.text, undefined, 'the till is open');
    await commands.executeCommand('twospeed.updateCallers');
    await this.untilText(this.after);
    await seeNoEditRun();
    assert.equal(await readFile(this.uri.fsPath, 'utf8'), this.before);
  }

  async show(): Promise<void> {
    await window.showTextDocument(await workspace.openTextDocument(this.uri));
    await seeFocus();
  }
}

export const calling: Record<string, () => Promise<void>> = {
  async 'a caller in a closed file is updated, reviewed and rejected'() {
    const shop = await Shop.open();
    const till = await Till.write(shop, 'owed');
    await till.update(shop);
    assert.equal(window.activeTextEditor?.document, shop.editor.document);
    await till.show();
    await press('Shift+Alt+Delete');
    await till.untilText(till.before);
  },

  async 'undo takes back the update of a file'() {
    const shop = await Shop.open();
    const till = await Till.write(shop, 'owed');
    await till.update(shop);
    await till.show();
    await press('Control+Z');
    await till.untilText(till.before);
  },

  async 'a caller that another extension names as a reference is updated'() {
    const shop = await Shop.open();
    const till = await Till.write(shop, '*');
    const provider = languages.registerReferenceProvider('python', {
      provideReferences: () => [new Location(till.uri, new Range(2, 6, 2, 10))],
    });
    try {
      await till.update(shop);
    } finally {
      provider.dispose();
    }
  },
};
