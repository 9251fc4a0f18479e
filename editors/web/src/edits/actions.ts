/** The actions of keys and buttons on the edits of the current document. */

import { EditorView } from '@codemirror/view';

import { hunksIn, offersIn, type Placed } from '../editor/decorations';
import type { OpenDocument } from '../editor/openDocument';
import type { Action, Step } from '../protocol';
import type { Edits } from './edits';

/** Each method that returns a boolean returns whether there was something to do. */
export class Actions {
  constructor(
    readonly edits: Edits,
    readonly current: () => OpenDocument,
  ) {}

  cancel(): boolean {
    const live = this.edits.live(this.current());
    if (live) void this.edits.cancel(live);
    return live !== undefined;
  }

  /** Cancels the running edit if the user has typed nothing since it began; otherwise undo reverts the typing. */
  cancelIfNothingTyped(): boolean {
    const live = this.edits.live(this.current());
    return live !== undefined && this.current().streamingEditId === live.group && this.cancel();
  }

  decideAtCaret(action: Action): boolean {
    const { state } = this.current().view;
    const line = state.doc.lineAt(state.selection.main.head);
    const places: readonly Placed[] = isOfOffer(action) ? offersIn(state) : hunksIn(state);
    const place = places.find(({ from, to }) => from <= line.to && line.from <= Math.max(from, to - 1));
    if (place) this.decidePlace(place, action);
    return place !== undefined;
  }

  decidePlace({ editId, id }: Placed, action: Action): void {
    const edit = this.edits.all.find((each) => each.id === editId);
    if (edit) void this.edits.decide(edit, action, id);
  }

  decideAll(action: Action): boolean {
    const document = this.current();
    const edit = isOfOffer(action) ? this.edits.offered(document) : this.edits.inReview(document);
    if (edit) void this.edits.decide(edit, action);
    return edit !== undefined;
  }

  /** Cancels the deep model, which works in the background. */
  cancelDeep(): void {
    const review = this.edits.inReview(this.current());
    if (review) void this.edits.cancel(review);
  }

  /** Moves the caret to the next or previous hunk or offer; from the last one it continues at the first. */
  goToHunk(step: Step): boolean {
    const { view } = this.current();
    const { head } = view.state.selection.main;
    const starts = [...hunksIn(view.state), ...offersIn(view.state)].map(({ from }) => from);
    starts.sort((a, b) => a - b);
    const ahead = step === 1 ? starts.find((from) => from > head) : starts.findLast((from) => from < head);
    const to = ahead ?? (step === 1 ? starts[0] : starts.at(-1));
    if (to === undefined) return false;
    view.dispatch({
      selection: { anchor: to },
      effects: EditorView.scrollIntoView(to, { y: 'center' }),
      userEvent: 'select',
    });
    view.focus();
    return true;
  }

  showVariation(step: Step): boolean {
    const review = this.edits.inReview(this.current());
    if (review) void this.edits.variation(review, step);
    return review !== undefined;
  }

  retry(): boolean {
    const edit = this.edits.live(this.current()) ?? this.edits.inReview(this.current());
    if (edit) void this.edits.retry(edit);
    return edit !== undefined;
  }

  repeat(): boolean {
    void this.edits.repeat(this.current());
    return true;
  }

  verify(): void {
    const edit = this.edits.verifiable(this.current());
    if (edit) void this.edits.verify(edit);
  }

  mend(): void {
    const edit = this.edits.verifiable(this.current());
    if (edit) void this.edits.mend(edit);
  }

  check(): void {
    const review = this.edits.inReview(this.current());
    if (review) void this.edits.review(review);
  }
}

const isOfOffer = (action: Action) => action === 'take' || action === 'dismiss';
