/** The objects that a command uses. */

import type { LanguageClient } from 'vscode-languageclient/node';

import type { Edits } from './edits/edits';
import type { Prompt } from './prompt/prompt';
import type { RefusedAnswers } from './review/refusedAnswers';
import type { Modes } from './server/modes';
import type { Decorations } from './ui/decorations';

/** A running server, and the state of its edits and modes. */
export interface Session {
  client: LanguageClient;
  refusedAnswers: RefusedAnswers;
  edits: Edits;
  modes: Modes;
  decorations: Decorations;
  prompt: Prompt;
}
