/** A message about each new offer of the deep model, with buttons that decide all of it. */

import { commands, window, type Disposable } from 'vscode';

import { hasOffer, type Edit, type Edits } from '../edits/edits';
import { ICONS } from '../protocol';
import { counted } from '../ui/statusBar';

const COMMANDS: Record<string, string> = {
  'Take All': 'twospeed.take',
  'Dismiss All': 'twospeed.dismissOffer',
};

export class OfferMessages implements Disposable {
  /** The ids of the edits whose offer a message has counted. */
  #announced = new Set<string>();
  readonly #listener: Disposable;

  constructor(edits: Edits) {
    this.#listener = edits.onDidChange(() => {
      const offering = edits.all.filter(hasOffer);
      const isNew = ({ id }: Edit) => !this.#announced.has(id);
      for (const edit of offering.filter(isNew)) void announce(edit);
      this.#announced = new Set(offering.map(({ id }) => id));
    });
  }

  dispose(): void {
    this.#listener.dispose();
  }
}

async function announce({ id, offered }: Edit): Promise<void> {
  const words = `twospeed: ${ICONS.deep} would change ${counted(offered, 'place')}`;
  const chosen = await window.showInformationMessage(words, ...Object.keys(COMMANDS));
  const command = chosen && COMMANDS[chosen];
  if (command) await commands.executeCommand(command, { editId: id });
}
