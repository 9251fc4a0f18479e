/** Shows two texts of a document side by side. */

import { EditorState, type Extension, type Text } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { MergeView } from '@codemirror/merge';

import { hunksIn } from '../editor/decorations';
import type { OpenDocument } from '../editor/openDocument';
import type { ShownAnswer } from '../protocol';
import { element, shadowOf } from './dom';
import { dialog, rowOf } from './notices';

/** Compares a document before the edits in review with its current text. */
export function compare(document: OpenDocument, appearance: Extension): void {
  const { state } = document.view;
  const before = state.update({
    changes: hunksIn(state).map(({ from, to, removed }) => ({ from, to, insert: state.toText(removed) })),
  }).newDoc;
  sideBySide(`${document.name}: before and now`, document, [before, state.doc], appearance, []);
}

/** Compares a document with the text that a refused answer would give; `apply` applies the answer. */
export function compareAnswer(
  document: OpenDocument,
  { range, version, text, message }: ShownAnswer,
  appearance: Extension,
  apply: () => void,
): void {
  const { state } = document.view;
  const span = document.spanOf(range, version);
  if (span === null)
    throw new Error('the text has changed since that edit ended; repeat it for a new answer');
  const after = state.update({ changes: { ...span, insert: state.toText(text) } }).newDoc;
  const row = rowOf([
    {
      title: 'Apply anyway',
      run: () => {
        close();
        apply();
      },
    },
  ]);
  const below = message === null ? [row] : [element('p', { className: 'says' }, message), row];
  const close = sideBySide(
    `${document.name} (refused answer)`,
    document,
    [state.doc, after],
    appearance,
    below,
  );
}

/** Opens a dialog with two texts and the elements `below`; returns a function that closes it. */
function sideBySide(
  title: string,
  document: OpenDocument,
  [old, now]: readonly [Text, Text],
  appearance: Extension,
  below: readonly Node[],
): () => void {
  const host = element('div', { className: 'compare' });
  const close = dialog(title, [host, ...below], () => {
    sides.destroy();
    document.view.focus();
  });
  const extensions = [appearance, lineNumbers(), EditorState.readOnly.of(true), EditorView.lineWrapping];
  const root = shadowOf(host);
  const sides = new MergeView({
    a: { doc: old, extensions },
    b: { doc: now, extensions },
    root,
    parent: root,
    gutter: false,
    collapseUnchanged: { margin: 4 },
  });
  return close;
}
