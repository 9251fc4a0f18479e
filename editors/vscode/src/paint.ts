/** What is painted into documents: lines that come in, hunks in review, the scope at work, the scope that is asked about. */

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

import { isInReview, isLive, type Edit, type Edits, type PlacedHunk } from './edits';
import { linesOf } from './places';

const changed = window.createTextEditorDecorationType({
  isWholeLine: true,
  backgroundColor: new ThemeColor('twospeed.changedBackground'),
  overviewRulerColor: new ThemeColor('editorOverviewRuler.addedForeground'),
  overviewRulerLane: OverviewRulerLane.Left,
});
/** Where lines are gone and none came. */
const gone = window.createTextEditorDecorationType({
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
const asked = window.createTextEditorDecorationType({
  isWholeLine: true,
  backgroundColor: new ThemeColor('twospeed.scopeBackground'),
});

/** Paints the edits into every editor that shows them. */
export class Painter implements Disposable {
  readonly #listeners: Disposable;
  #scope: { document: TextDocument; range: Range } | undefined;

  constructor(readonly edits: Edits) {
    this.#listeners = Disposable.from(
      edits.onDidChange((document) => {
        this.#paint(document);
      }),
      window.onDidChangeVisibleTextEditors(() => {
        this.#paint();
      }),
    );
  }

  dispose(): void {
    this.#listeners.dispose();
    for (const each of [changed, gone, running, asked]) each.dispose();
  }

  /** Shows which lines an edit would get that is being asked for, or nothing. */
  showScope(scope: { document: TextDocument; range: Range } | undefined): void {
    this.#scope = scope;
    this.#paint();
  }

  /** Paints the editors of one document, or all. */
  #paint(document?: TextDocument): void {
    for (const editor of window.visibleTextEditors) {
      if (document === undefined || editor.document === document) this.#paintInto(editor);
    }
  }

  #paintInto(editor: TextEditor): void {
    const { document } = editor;
    const edits = this.edits.of(document);
    const live = edits.filter(isLive);
    const hunks = edits.filter(isInReview).flatMap((edit) => edit.hunks.map((hunk) => ({ edit, hunk })));
    editor.setDecorations(changed, [
      ...live.flatMap(({ fresh }) => fresh).map((range) => ({ range: wholeLines(range) })),
      ...hunks.filter(({ hunk }) => !hunk.range.isEmpty).map(asDecoration),
    ]);
    editor.setDecorations(gone, hunks.filter(({ hunk }) => hunk.range.isEmpty).map(asDecoration));
    editor.setDecorations(
      running,
      live.flatMap(({ range }) => (range ? [wholeLines(range)] : [])),
    );
    const scope = this.#scope?.document === document ? [wholeLines(this.#scope.range)] : [];
    editor.setDecorations(asked, scope);
  }
}

/** The lines of a range, without the line break behind the last: else the line behind it would be painted too. */
function wholeLines(range: Range): Range {
  const { first, behind } = linesOf(range);
  return new Range(first, 0, behind - 1, 0);
}

function asDecoration({ edit, hunk }: { edit: Edit; hunk: PlacedHunk }): DecorationOptions {
  return { range: wholeLines(hunk.range), hoverMessage: describe(edit, hunk) };
}

/** What a hunk says when the mouse rests on it: the lines it took away, and what can be done about it. */
function describe(edit: Edit, { id, removed }: PlacedHunk): MarkdownString {
  const text = new MarkdownString();
  text.isTrusted = { enabledCommands: ['twospeed.accept', 'twospeed.reject'] };
  text.appendMarkdown(removed === '' ? 'twospeed: nothing was removed here\n\n' : 'twospeed removed\n');
  if (removed !== '') text.appendCodeblock(removed.replace(/(\r\n|\r|\n)$/, ''), edit.document.languageId);
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
