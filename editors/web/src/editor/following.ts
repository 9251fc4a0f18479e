/** Scrolls the lines of an edit into view, unless the user has scrolled, moved or typed since the edit was requested. */

import { EditorSelection, type Extension } from '@codemirror/state';
import { EditorView, ViewPlugin } from '@codemirror/view';

import type { Span } from './decorations';

const MARGIN = 24;
const USER_EVENTS = ['select', 'input', 'delete'];

export class Following {
  /** When the user last scrolled, moved the caret or typed in an editor; a `DOMHighResTimeStamp`. */
  readonly #acted = new WeakMap<EditorView, number>();

  /** Records what the user does in an editor. */
  readonly extension: Extension = ViewPlugin.define((view) => {
    const record = () => {
      this.#acted.set(view, performance.now());
    };
    // On the whole editor: the scroll bar and the line numbers are outside its content.
    for (const event of ['wheel', 'touchmove', 'mousedown']) {
      view.dom.addEventListener(event, record, { passive: true });
    }
    return {
      update({ transactions }) {
        if (transactions.some((each) => USER_EVENTS.some((event) => each.isUserEvent(event)))) record();
      },
    };
  });

  /** Shows a span of an edit that was requested at `since`; of a span higher than the window, its beginning. */
  show(view: EditorView, { from, to }: Span, since: number): void {
    if ((this.#acted.get(view) ?? 0) > since) return;
    const end = Math.max(from, Math.min(to, view.state.doc.length) - 1);
    view.dispatch({
      effects: EditorView.scrollIntoView(EditorSelection.range(end, from), { y: 'nearest', yMargin: MARGIN }),
    });
  }
}
