/** The context keys of `when` clauses: whether the server is ready, and the state of the edits of the active file. */

import { commands, window, type Disposable } from 'vscode';

import { hasHunks, hasOffer, isInReview, isLive, type Edits } from '../edits/edits';

export type Context =
  'ready' | 'prompting' | 'streaming' | 'reviewing' | 'offered' | 'verifiable' | 'hasAnswers';

const known = new Map<Context, boolean>();

/** Sets the context key `twospeed.NAME` if its value changes. */
export function setContext(name: Context, value: boolean): void {
  if (known.get(name) === value) return;
  known.set(name, value);
  void commands.executeCommand('setContext', `twospeed.${name}`, value);
}

/** Updates the context keys of edits until it is disposed. */
export function trackEditContexts(edits: Edits): Disposable[] {
  const update = () => {
    const document = window.activeTextEditor?.document;
    const here = document ? edits.of(document) : [];
    const review = here.filter(isInReview);
    setContext('streaming', here.some(isLive));
    setContext('reviewing', review.some(hasHunks));
    setContext('offered', review.some(hasOffer));
    setContext('verifiable', edits.verifiableEditId !== undefined);
    setContext(
      'hasAnswers',
      review.some((edit) => (edits.requestOf(edit)?.variations ?? 1) > 1),
    );
  };
  return [edits.onDidChange(update), window.onDidChangeActiveTextEditor(update)];
}
