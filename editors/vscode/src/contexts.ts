/** What `when` clauses ask: whether the server is ready, and what is going on in the file in front of the person. */

import { commands, window, type Disposable } from 'vscode';

import { isInReview, isLive, type Edits } from './edits';

export type Context = 'ready' | 'prompting' | 'streaming' | 'reviewing' | 'onHunk' | 'hasAnswers';

const known = new Map<Context, boolean>();

/** Sets `twospeed.NAME`, if it is news. */
export function setContext(name: Context, value: boolean): void {
  if (known.get(name) === value) return;
  known.set(name, value);
  void commands.executeCommand('setContext', `twospeed.${name}`, value);
}

/** Keeps the contexts of edits as they are; ends with `dispose`. */
export function followEdits(edits: Edits): Disposable[] {
  const look = () => {
    const document = window.activeTextEditor?.document;
    const here = document ? edits.of(document) : [];
    const review = here.filter(isInReview);
    setContext('streaming', here.some(isLive));
    setContext('reviewing', review.length > 0);
    setContext('onHunk', edits.hunkHere() !== undefined);
    setContext(
      'hasAnswers',
      review.some((edit) => (edits.asked(edit)?.variations ?? 1) > 1),
    );
  };
  return [
    edits.onDidChange(look),
    window.onDidChangeActiveTextEditor(look),
    window.onDidChangeTextEditorSelection(look),
  ];
}
