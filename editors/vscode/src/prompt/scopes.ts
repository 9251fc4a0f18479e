/** The scopes to choose from: the selection, and the scopes around a position that the server reports. */

import { Range, type Selection, type TextDocument } from 'vscode';

import { asRange, linesOf } from '../positions';
import type { NamedScope, ScopeChoice } from '../protocol';

/** A scope to choose, and its name in `twospeed/edit`. */
export interface Choice {
  label: string;
  range: Range;
  scope: ScopeChoice;
}

/** The choice until the server has reported the scopes. */
export function firstChoice(document: TextDocument, selection: Selection): Choice {
  const { start, end } = selection;
  const after = selection.isEmpty || end.character > 0 ? end.line + 1 : end.line;
  const range = document.validateRange(new Range(start.line, 0, after, 0));
  return { range, scope: 'auto', label: selection.isEmpty ? 'here' : `selection, ${counted(range)}` };
}

/**
 * The choices from few lines to many, and the index of the `preferred` one.
 *
 * For a selection, these are the selection and the scopes around it; else the scopes around the caret.
 */
export function choicesAt(
  document: TextDocument,
  selection: Selection,
  scopes: readonly NamedScope[],
  preferred: ScopeChoice,
): { choices: Choice[]; chosen: number } {
  const first = firstChoice(document, selection);
  const found = choicesOf(scopes);
  if (!selection.isEmpty) {
    const wider = found.filter(({ range }) => range.contains(selection) && !range.isEqual(first.range));
    return { choices: [first, ...wider.map(named)], chosen: 0 };
  }
  if (found.length === 0) return { choices: [first], chosen: 0 };
  const at = (wanted: ScopeChoice) => found.findIndex(({ scope }) => scope === wanted);
  return { choices: found, chosen: Math.max(0, at(preferred) < 0 ? at('auto') : at(preferred)) };
}

/** With a selection, `auto` would mean the selection. */
const named = (choice: Choice): Choice =>
  choice.scope === 'auto' ? { ...choice, scope: 'selection' } : choice;

/**
 * The scopes around a position, innermost first. Of scopes with the same lines, only one is listed.
 *
 * The scope that `auto` selects has the name `auto`. Another one has its kind if that identifies it, else `selection`.
 */
function choicesOf(scopes: readonly NamedScope[]): Choice[] {
  const kindOfAuto = (['function', 'class'] as const).find((kind) =>
    scopes.some((each) => each.kind === kind),
  );
  const choices: Choice[] = [];
  const seen = new Set<string>();
  for (const { kind, name, range: lspRange } of scopes) {
    const range = asRange(lspRange);
    const isFirst = !seen.has(kind);
    seen.add(kind);
    const isAuto = isFirst && (kindOfAuto ? kind === kindOfAuto : choices.length === 0);
    const isNamed = isFirst && (kind === 'function' || kind === 'class' || kind === 'file');
    const last = choices.at(-1);
    if (last?.range.isEqual(range)) {
      if (last.scope === 'auto' && !isAuto) continue;
      choices.pop();
    }
    const label = `${kind}${name ? ` ${name}` : ''}, ${counted(range)}`;
    choices.push({ range, scope: isAuto ? 'auto' : isNamed ? kind : 'selection', label });
  }
  return choices;
}

function counted(range: Range): string {
  const { first, after } = linesOf(range);
  const count = after - first;
  return `${count.toString()} line${count === 1 ? '' : 's'}`;
}
