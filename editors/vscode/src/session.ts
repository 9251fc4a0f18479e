/** What a command works with. */

import type { LanguageClient } from 'vscode-languageclient/node';

import type { Answers } from './answers';
import type { Edits } from './edits';
import type { Modes } from './modes';
import type { Painter } from './paint';
import type { Prompt } from './prompt';

/** A server that runs, and what is known of it. */
export interface Session {
  client: LanguageClient;
  answers: Answers;
  edits: Edits;
  modes: Modes;
  painter: Painter;
  prompt: Prompt;
}
