/** The text of a suggestion at the caret, which is not in the document. */

import { StateEffect, StateField, type EditorState, type StateCommand } from '@codemirror/state';
import { Decoration, EditorView, WidgetType } from '@codemirror/view';

import { historyOnly } from './undoStep';

export interface Suggestion {
  at: number;
  text: string;
  /** The command that reports its acceptance. */
  command: { command: string; arguments?: unknown[] };
}

export const setSuggestion = StateEffect.define<Suggestion | null>();

const field = StateField.define<Suggestion | null>({
  create: () => null,
  update(value, transaction) {
    let next = value;
    const isMoved = transaction.docChanged || transaction.selection !== undefined;
    if (isMoved && transaction.annotation(historyOnly) !== true) {
      next = value && rest(value, transaction.startState, transaction.state);
    }
    for (const effect of transaction.effects) if (effect.is(setSuggestion)) next = effect.value;
    return next;
  },
  provide: (shown) =>
    EditorView.decorations.from(shown, (value) =>
      value === null
        ? Decoration.none
        : Decoration.set(Decoration.widget({ widget: new GhostText(value.text), side: 1 }).range(value.at)),
    ),
});

export const ghostText = field;
export const suggestionIn = (state: EditorState): Suggestion | null => state.field(field);

/** Hides the suggestion; returns whether there was one. */
export const hideSuggestion: StateCommand = ({ state, dispatch }) => {
  if (suggestionIn(state) === null) return false;
  dispatch(state.update({ effects: setSuggestion.of(null) }));
  return true;
};

/** What is left of a suggestion if the user typed its beginning; `null` after any other change. */
function rest(value: Suggestion, before: EditorState, after: EditorState): Suggestion | null {
  const { head, empty } = after.selection.main;
  const typed = after.sliceDoc(value.at, head);
  const text = value.text.slice(typed.length);
  const isTyped = head > value.at && after.doc.length - before.doc.length === typed.length;
  return empty && isTyped && text !== '' && value.text.startsWith(typed)
    ? { ...value, at: head, text }
    : null;
}

class GhostText extends WidgetType {
  constructor(readonly text: string) {
    super();
  }

  override eq({ text }: GhostText): boolean {
    return text === this.text;
  }

  toDOM(): HTMLElement {
    const shown = document.createElement('span');
    shown.className = 'ts-suggestion';
    shown.textContent = this.text;
    return shown;
  }

  override get lineBreaks(): number {
    return this.text.split('\n').length - 1;
  }
}
