/** The decorations: new lines of running edits, hunks in review, scopes of running edits, the scope of the prompt. */

import {
  Disposable,
  MarkdownString,
  OverviewRulerLane,
  Range,
  ThemeColor,
  Uri,
  window,
  type DecorationOptions,
  type TextDocument,
  type TextEditor,
} from 'vscode';

import { isInReview, isLive, type Edit, type Edits, type PlacedHunk } from '../edits/edits';
import { linesOf, withoutLineBreak } from '../positions';

const changed = window.createTextEditorDecorationType({
  isWholeLine: true,
  backgroundColor: new ThemeColor('twospeed.changedBackground'),
  overviewRulerColor: new ThemeColor('editorOverviewRuler.addedForeground'),
  overviewRulerLane: OverviewRulerLane.Left,
});
/** Where lines were removed and none were added. */
const removedOnly = window.createTextEditorDecorationType({
  isWholeLine: true,
  borderColor: new ThemeColor('twospeed.removedBorder'),
  borderStyle: 'solid',
  borderWidth: '2px 0 0 0',
  overviewRulerColor: new ThemeColor('editorOverviewRuler.deletedForeground'),
  overviewRulerLane: OverviewRulerLane.Left,
});
const running = window.createTextEditorDecorationType({
  isWholeLine: true,
  borderColor: new ThemeColor('twospeed.runningBorder'),
  borderStyle: 'solid',
  borderWidth: '0 0 0 2px',
});
const promptScope = window.createTextEditorDecorationType({
  isWholeLine: true,
  backgroundColor: new ThemeColor('twospeed.scopeBackground'),
});

/** Updates the decorations of all visible editors. */
export class Decorations implements Disposable {
  readonly #listeners: Disposable;
  #scope: { document: TextDocument; range: Range } | undefined;

  constructor(readonly edits: Edits) {
    this.#listeners = Disposable.from(
      edits.onDidChange((document) => {
        this.#update(document);
      }),
      window.onDidChangeVisibleTextEditors(() => {
        this.#update();
      }),
    );
  }

  dispose(): void {
    this.#listeners.dispose();
    for (const each of [changed, removedOnly, running, promptScope]) each.dispose();
  }

  /** Shows the scope of the prompt; `undefined` hides it. */
  showScope(scope: { document: TextDocument; range: Range } | undefined): void {
    this.#scope = scope;
    this.#update();
  }

  /** Without `document`, paints all editors. */
  #update(document?: TextDocument): void {
    for (const editor of window.visibleTextEditors) {
      if (document === undefined || editor.document === document) this.#updateEditor(editor);
    }
  }

  #updateEditor(editor: TextEditor): void {
    const { document } = editor;
    const edits = this.edits.of(document);
    const live = edits.filter(isLive);
    const hunks = edits.filter(isInReview).flatMap((edit) => edit.hunks.map((hunk) => ({ edit, hunk })));
    editor.setDecorations(changed, [
      ...live.flatMap(({ newLines }) => newLines).map((range) => ({ range: wholeLines(range) })),
      ...hunks.filter(({ hunk }) => !hunk.range.isEmpty).map(asDecoration),
    ]);
    editor.setDecorations(removedOnly, hunks.filter(({ hunk }) => hunk.range.isEmpty).map(asDecoration));
    editor.setDecorations(
      running,
      live.flatMap(({ range }) => (range ? [wholeLines(range)] : [])),
    );
    const scope = this.#scope?.document === document ? [wholeLines(this.#scope.range)] : [];
    editor.setDecorations(promptScope, scope);
  }
}

/** Ends on the last line itself: a range that ends at the start of the next line would decorate that one too. */
function wholeLines(range: Range): Range {
  const { first, after } = linesOf(range);
  return new Range(first, 0, after - 1, 0);
}

function asDecoration({ edit, hunk }: { edit: Edit; hunk: PlacedHunk }): DecorationOptions {
  return { range: wholeLines(hunk.range), hoverMessage: describe(edit, hunk) };
}

/** The hover of a hunk: its removed lines, and links to accept or reject it. */
function describe(edit: Edit, { id, removed }: PlacedHunk): MarkdownString {
  const text = new MarkdownString();
  text.isTrusted = { enabledCommands: ['twospeed.accept', 'twospeed.reject'] };
  text.appendMarkdown(removed === '' ? 'twospeed removed no lines here\n\n' : 'twospeed removed\n');
  if (removed !== '') text.appendCodeblock(withoutLineBreak(removed), edit.document.languageId);
  const link = (title: string, command: string) => {
    const uri = Uri.parse(`command:${command}`).with({
      query: JSON.stringify([{ editId: edit.id, hunk: id }]),
    });
    text.appendMarkdown(`[${title}](${uri.toString()}) `);
  };
  link('Accept', 'twospeed.accept');
  link('Reject', 'twospeed.reject');
  return text;
}
