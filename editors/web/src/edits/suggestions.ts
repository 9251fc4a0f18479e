/** Suggestions at the caret (`textDocument/inlineCompletion`): requested, shown and accepted. */

import { isolateHistory } from '@codemirror/commands';
import type { ViewUpdate } from '@codemirror/view';

import { setSuggestion, suggestionIn } from '../editor/ghostText';
import type { OpenDocument } from '../editor/openDocument';
import type { Position } from '../protocol';
import type { Peer } from '../server/rpc';
import { messageOf, notify } from '../ui/notices';

/** `InlineCompletionTriggerKind` of LSP. */
const INVOKED = 1;
const AUTOMATIC = 2;

interface Item {
  insertText: string;
  range: { start: Position; end: Position };
  command: { title: string; command: string; arguments?: unknown[] };
}

export class Suggestions {
  /** Cancels the request whose result is awaited. */
  #awaited = new AbortController();
  /** Whether the server offers suggestions. */
  isOffered = false;

  constructor(readonly peer: () => Peer) {}

  /** Requests a suggestion at the caret. */
  invoke(document: OpenDocument): boolean {
    if (this.isOffered) void this.#request(document, INVOKED);
    else notify('Suggestions are off. Set enabled = true under [completion] in the config of twospeed.');
    return true;
  }

  /** Requests one after the user has typed; the server waits for a pause and decides whether there is one. */
  follow(document: OpenDocument, update: ViewUpdate): void {
    if (!update.docChanged && !update.selectionSet) return;
    this.#awaited.abort();
    const isTyped = update.transactions.some(
      (each) => each.isUserEvent('input') && !each.isUserEvent('input.complete'),
    );
    const isShown = suggestionIn(update.state) !== null;
    if (isTyped && !isShown && this.isOffered) void this.#request(document, AUTOMATIC);
  }

  /** Inserts the suggestion as one undo step, and runs its command. */
  accept({ view }: OpenDocument): boolean {
    const shown = suggestionIn(view.state);
    if (shown === null) return false;
    const { at, text, command } = shown;
    view.dispatch({
      changes: { from: at, insert: view.state.toText(text.replaceAll('\n', view.state.lineBreak)) },
      selection: { anchor: at + text.length },
      annotations: isolateHistory.of('full'),
      userEvent: 'input.complete',
      scrollIntoView: true,
    });
    this.peer()
      .request('workspace/executeCommand', command)
      .catch((error: unknown) => {
        notify(messageOf(error), 'error');
      });
    return true;
  }

  async #request(document: OpenDocument, triggerKind: number): Promise<void> {
    const { view, version, selection } = document;
    const { head, empty } = view.state.selection.main;
    if (!empty || view.state.selection.ranges.length > 1) return;
    this.#awaited.abort();
    const { signal } = (this.#awaited = new AbortController());
    try {
      const { items } = await this.peer().request<{ items: Item[] }>(
        'textDocument/inlineCompletion',
        { textDocument: { uri: document.uri }, position: selection.start, context: { triggerKind } },
        signal,
      );
      const [item] = items;
      if (item === undefined || signal.aborted || document.version !== version) return;
      const { insertText: text, command } = item;
      view.dispatch({ effects: setSuggestion.of({ at: head, text, command }) });
    } catch (error) {
      if (!signal.aborted && triggerKind === INVOKED) notify(messageOf(error), 'error');
    }
  }
}
