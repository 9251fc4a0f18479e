/** The objects that a command uses. */

import type { LanguageClient } from 'vscode-languageclient/node';

import type { Answers } from './answers';
import type { Edits } from './edits';
import type { Modes } from './modes';
import type { Painter } from './paint';
import type { Prompt } from './prompt';

/** A running server, and the state of its edits and modes. */
export interface Session {
  client: LanguageClient;
  answers: Answers;
  edits: Edits;
  modes: Modes;
  painter: Painter;
  prompt: Prompt;
}
