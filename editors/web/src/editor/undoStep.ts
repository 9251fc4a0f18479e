/**
 * Turns an edit that arrives in many changes into one undo step.
 *
 * While the edit arrives, its changes are not in the history; what the user types is. When the edit is complete, two
 * transactions remove it and insert it again, the second one as one history step. They cancel each other, so neither the
 * view nor the server sees a change. Undo then reverts the whole edit, and keeps what the user typed meanwhile.
 */

import { isolateHistory } from '@codemirror/commands';
import { Annotation, ChangeSet, Transaction, type EditorState, type Text } from '@codemirror/state';

/** Marks the two transactions that cancel each other; listeners ignore them. */
export const historyOnly = Annotation.define<true>();

/** Marks a change of an edit with the edit's id. */
export const editOrigin = Annotation.define<string>();

export class UndoStep {
  /** The changes from the current document to the document without the edit. */
  #inverse: ChangeSet;

  constructor(doc: Text) {
    this.#inverse = ChangeSet.empty(doc.length);
  }

  /** Records a change of the edit; `before` is the document before the change. */
  recordEdit(changes: ChangeSet, before: Text): void {
    this.#inverse = changes.invert(before).compose(this.#inverse);
  }

  /** Records any other change. */
  recordOther(changes: ChangeSet): void {
    this.#inverse = this.#inverse.map(changes);
  }

  /** The two transactions that create the step; none if the edit changes nothing. */
  close(state: EditorState): Transaction[] {
    const without = this.#inverse.apply(state.doc);
    if (without.eq(state.doc)) return [];
    const out = state.update({
      changes: this.#inverse,
      annotations: [historyOnly.of(true), Transaction.addToHistory.of(false)],
      filter: false,
    });
    const back = out.state.update({
      changes: this.#inverse.invert(state.doc),
      selection: state.selection,
      annotations: [historyOnly.of(true), isolateHistory.of('full'), Transaction.userEvent.of('twospeed')],
      filter: false,
    });
    return [out, back];
  }
}
