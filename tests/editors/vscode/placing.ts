/** Tests of one instruction at several places. */

import { commands, Diagnostic, languages, Range, type Position } from 'vscode';

import { Shop } from './shop';
import { press, see, seeNoEditRun } from './workbench_client';

function problemAt(start: Position, code: number): Diagnostic {
  const diagnostic = new Diagnostic(
    new Range(start, start.translate(0, 2)),
    `bad in line ${start.line.toString()}`,
  );
  diagnostic.source = 'checker';
  diagnostic.code = code;
  return diagnostic;
}

export const placing: Record<string, () => Promise<void>> = {
  async 'all problems of a kind are fixed as one edit and one undo step'() {
    const shop = await Shop.open();
    const fixed = shop.before.replaceAll('    return ', '    # fixed\n    return ');
    const { document } = shop.editor;
    const positionOf = (piece: string) => document.positionAt(shop.text.indexOf(piece));
    const problems = languages.createDiagnosticCollection('checker');
    try {
      problems.set(document.uri, [
        problemAt(positionOf('return sum'), 7),
        problemAt(positionOf('RATE'), 8),
        problemAt(positionOf('total = 0'), 7),
      ]);
      await shop.click('after', 'return sum');
      await commands.executeCommand('twospeed.fixAll');
      await shop.untilText(fixed);
      await seeNoEditRun();
      await see('2 changes at 2 places');
      await press('Control+Z');
      await shop.untilText(shop.before);
    } finally {
      problems.dispose();
    }
  },
};
