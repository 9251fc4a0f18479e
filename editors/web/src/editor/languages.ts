/** Syntax highlighting, by LSP language id. */

import { go } from '@codemirror/lang-go';
import { java } from '@codemirror/lang-java';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { python } from '@codemirror/lang-python';
import type { Extension } from '@codemirror/state';

const LANGUAGES: Record<string, () => Extension> = {
  go,
  java,
  javascript,
  javascriptreact: () => javascript({ jsx: true }),
  json,
  jsonc: json,
  python,
  typescript: () => javascript({ typescript: true }),
  typescriptreact: () => javascript({ jsx: true, typescript: true }),
};

/** A language that is not listed has no highlighting. */
export const languageSupport = (languageId: string): Extension => LANGUAGES[languageId]?.() ?? [];
