/**
 * The decorations: new lines of running edits, hunks in review, places of offers, scopes of running edits, the scope of
 * the prompt.
 */

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

import { isLive, type Edit, type Edits, type PlacedHunk, type PlacedOffer } from '../edits/edits';
import { linesOf, withoutLineBreak } from '../positions';
import { ICONS, LABELS } from '../protocol';

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
/** Lines that the deep answer would change. */
const offered = window.createTextEditorDecorationType({
  isWholeLine: true,
  backgroundColor: new ThemeColor('twospeed.offeredBackground'),
  borderColor: new ThemeColor('twospeed.offeredBorder'),
  borderStyle: 'dotted',
  borderWidth: '0 0 0 3px',
  overviewRulerColor: new ThemeColor('twospeed.offeredBorder'),
  overviewRulerLane: OverviewRulerLane.Right,
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
    for (const each of [changed, removedOnly, offered, running, promptScope]) each.dispose();
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
    const hunks = edits.flatMap((edit) =>
      edit.hunks.map((hunk) => ({ hunk, ...marked(hunk.range, describe(edit, hunk)) })),
    );
    editor.setDecorations(changed, [
      ...live.flatMap(({ newLines }) => newLines).map((range) => ({ range: wholeLines(range) })),
      ...hunks.filter(({ hunk }) => !hunk.range.isEmpty),
    ]);
    editor.setDecorations(
      removedOnly,
      hunks.filter(({ hunk }) => hunk.range.isEmpty),
    );
    editor.setDecorations(
      offered,
      edits.flatMap((edit) => edit.offered.map((place) => marked(place.range, describeOffer(edit, place)))),
    );
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

const marked = (range: Range, hoverMessage: MarkdownString): DecorationOptions => ({
  range: wholeLines(range),
  hoverMessage,
});

/** The hover of a hunk: its removed lines, and links to accept or reject it. */
function describe(edit: Edit, { id, removed }: PlacedHunk): MarkdownString {
  const words = removed === '' ? 'twospeed removed no lines here' : 'twospeed removed';
  return hover(edit, id, words, removed, { Accept: 'twospeed.accept', Reject: 'twospeed.reject' });
}

/** The hover of a place of an offer: the lines that would replace it, and links to take or dismiss it. */
function describeOffer(edit: Edit, { id, range, newText }: PlacedOffer): MarkdownString {
  const change = range.isEmpty ? 'insert above this line' : 'replace this with';
  const words = `${ICONS.deep} ${LABELS.deep} would ${newText === '' ? 'remove this' : change}`;
  return hover(edit, id, words, newText, { Take: 'twospeed.take', Dismiss: 'twospeed.dismissOffer' });
}

/** A sentence, a piece of code, and links to commands for one hunk or place. */
function hover(
  { id: editId, document }: Edit,
  hunk: string,
  words: string,
  code: string,
  links: Record<string, string>,
): MarkdownString {
  const text = new MarkdownString();
  text.isTrusted = { enabledCommands: Object.values(links) };
  text.appendMarkdown(code === '' ? `${words}\n\n` : `${words}\n`);
  if (code !== '') text.appendCodeblock(withoutLineBreak(code), document.languageId);
  const query = JSON.stringify([{ editId, hunk }]);
  for (const [title, command] of Object.entries(links)) {
    const uri = Uri.parse(`command:${command}`).with({ query });
    text.appendMarkdown(`[${title}](${uri.toString()}) `);
  }
  return text;
}
