/** A document beside what it was before the edits in review. */

import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { MergeView } from '@codemirror/merge';

import type { OpenDocument } from './documents';
import { element, shadowOf } from './dom';
import { hunksIn } from './marks';
import { dialog } from './messages';

export function compare(document: OpenDocument, looks: Extension): void {
  const { state } = document.view;
  const before = state.update({
    changes: hunksIn(state).map(({ from, to, removed }) => ({ from, to, insert: state.toText(removed) })),
  }).newDoc;
  const host = element('div', { className: 'compare' });
  dialog(`${document.name}: before and now`, [host], () => {
    sides.destroy();
    document.view.focus();
  });
  const extensions = [looks, lineNumbers(), EditorState.readOnly.of(true), EditorView.lineWrapping];
  const root = shadowOf(host);
  const sides = new MergeView({
    a: { doc: before, extensions },
    b: { doc: state.doc, extensions },
    root,
    parent: root,
    gutter: false,
    collapseUnchanged: { margin: 4 },
  });
}
