/** Presets and the other code actions of the server, for the selection or the caret. */

import type { OpenDocument } from '../editor/openDocument';
import type { WorkspaceEdit } from '../protocol';
import type { Peer } from '../server/rpc';
import { ask } from '../ui/notices';
import type { Command, Edits } from './edits';

interface CodeAction {
  title: string;
  edit?: WorkspaceEdit;
  command?: Command;
}

/** Lets the user choose a code action, and runs it; `apply` applies the ones that are finished edits. */
export async function chooseCodeAction(
  document: OpenDocument,
  peer: Peer,
  edits: Edits,
  apply: (edit: WorkspaceEdit) => unknown,
): Promise<void> {
  const actions = await peer.request<CodeAction[] | null>('textDocument/codeAction', {
    textDocument: document.id,
    range: document.selection,
    context: { diagnostics: [] },
  });
  const titles = (actions ?? []).map(({ title }) => title);
  const title = await ask('Actions', 'For the selection, or the code around the caret:', titles);
  document.view.focus();
  const action = actions?.find((each) => each.title === title);
  if (action?.edit) apply(action.edit);
  if (action?.command) await edits.run(action.command);
}
