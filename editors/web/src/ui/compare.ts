/** Shows two texts of a document side by side. */

import { EditorState, type Extension, type Text } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { MergeView } from '@codemirror/merge';

import { hunksIn } from '../editor/decorations';
import { inTabOrder } from '../editor/setup';
import type { OpenDocument } from '../editor/openDocument';
import type { ShownAnswer } from '../protocol';
import { element, shadowOf } from './dom';
import { dialog, rowOf, type Choice } from './notices';

/** Compares a document before the edits in review with its current text. */
export function compare(document: OpenDocument, appearance: Extension): void {
  const { state } = document.view;
  const before = state.update({
    changes: hunksIn(state).map(({ from, to, removed }) => ({ from, to, insert: state.toText(removed) })),
  }).newDoc;
  sideBySide(`${document.name}: before and now`, document, { Before: before, Now: state.doc }, appearance);
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
  const says = message === null ? [] : [element('p', { className: 'says' }, message)];
  const choice = { title: 'Apply anyway', run: apply };
  sideBySide(
    `${document.name} (refused answer)`,
    document,
    { Now: state.doc, 'Refused answer': after },
    appearance,
    says,
    choice,
  );
}

/** Compares the text that another program has written with a document; `overwrite` writes the document. */
export function compareOnDisk(
  document: OpenDocument,
  onDisk: string,
  appearance: Extension,
  overwrite: () => void,
): void {
  const { state } = document.view;
  const title = `${document.name}: on disk and here`;
  const choice = { title: 'Overwrite', run: overwrite };
  sideBySide(title, document, { 'On disk': state.toText(onDisk), Here: state.doc }, appearance, [], choice);
}

/** Opens a dialog with two texts by their names, the elements `below`, and a button for `choice`, which closes it. */
function sideBySide(
  title: string,
  document: OpenDocument,
  texts: Readonly<Record<string, Text>>,
  appearance: Extension,
  below: readonly Node[] = [],
  choice?: Choice,
): void {
  const host = element('div', { className: 'compare' });
  const run = () => {
    close();
    choice?.run();
  };
  const row = choice ? [rowOf([{ title: choice.title, run }])] : [];
  const close = dialog(title, [host, ...below, ...row], () => {
    sides.destroy();
    document.view.focus();
  });
  const extensions = [
    appearance,
    inTabOrder,
    lineNumbers(),
    EditorState.readOnly.of(true),
    EditorView.lineWrapping,
  ];
  const [a, b] = Object.entries(texts).map(([name, doc]) => ({
    doc,
    extensions: [extensions, EditorView.contentAttributes.of({ 'aria-label': name })],
  }));
  const root = shadowOf(host);
  const sides = new MergeView({
    a: a ?? {},
    b: b ?? {},
    root,
    parent: root,
    gutter: false,
    collapseUnchanged: { margin: 4 },
  });
}
