/**
 * An edit that arrives in many changes, and becomes one undo step of its own.
 *
 * While it arrives, nothing of it is in the history, as with changes of somebody else's: what the person types goes there
 * as ever. When it is whole, it is taken out and put back in the same moment, the second time as one step. Nobody sees that,
 * and nobody is told. So undoing takes the edit away whole and leaves what was typed meanwhile, which are steps before it.
 */

import { isolateHistory } from '@codemirror/commands';
import { Annotation, ChangeSet, Transaction, type EditorState, type Text } from '@codemirror/state';

/** On changes that cancel each other: who follows the document looks away. */
export const unseen = Annotation.define<true>();

/** On a change of an edit's: its id. */
export const arrival = Annotation.define<string>();

export class UndoStep {
  /** From the document as it is to what it would be without the edit. */
  #back: ChangeSet;

  constructor(doc: Text) {
    this.#back = ChangeSet.empty(doc.length);
  }

  /** Takes note of a change of the edit's; `before` is the document it was made in. */
  arrived(changes: ChangeSet, before: Text): void {
    this.#back = changes.invert(before).compose(this.#back);
  }

  /** Takes note of any other change. */
  typed(changes: ChangeSet): void {
    this.#back = this.#back.map(changes);
  }

  /** The two transactions that make a step of it; none where the edit has come to nothing. */
  close(state: EditorState): Transaction[] {
    const without = this.#back.apply(state.doc);
    if (without.eq(state.doc)) return [];
    const out = state.update({
      changes: this.#back,
      annotations: [unseen.of(true), Transaction.addToHistory.of(false)],
      filter: false,
    });
    const back = out.state.update({
      changes: this.#back.invert(state.doc),
      selection: state.selection,
      annotations: [unseen.of(true), isolateHistory.of('full'), Transaction.userEvent.of('twospeed')],
      filter: false,
    });
    return [out, back];
  }
}
