/** Colours for languages, by LSP's names for them. */

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

/** Nothing for a language that is not known here: it is edited all the same. */
export const coloursOf = (languageId: string): Extension => LANGUAGES[languageId]?.() ?? [];
