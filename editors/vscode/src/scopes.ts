/** The lines that an edit may be of: what is selected, and the scopes around a place, as the server finds them. */

import { Range, type Selection, type TextDocument } from 'vscode';

import { asRange, linesOf } from './places';
import type { NamedScope, ScopeChoice } from './protocol';

/** Lines that can be chosen, and how the server is told of them. */
export interface Choice {
  label: string;
  range: Range;
  scope: ScopeChoice;
}

/** What stands there before the server has said more. */
export function firstChoice(document: TextDocument, selection: Selection): Choice {
  const { start, end } = selection;
  const behind = selection.isEmpty || end.character > 0 ? end.line + 1 : end.line;
  const range = document.validateRange(new Range(start.line, 0, behind, 0));
  return { range, scope: 'auto', label: selection.isEmpty ? 'here' : `selection, ${counted(range)}` };
}

/**
 * The choices at a place, from few lines to many, and which of them is meant where nobody chooses: the `preferred` one.
 *
 * Of a selection these are itself and what is wider; else the scopes around the caret. What `auto` means is told as
 * that; others by what they are, as far as that says which, else by their lines.
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

/** A choice by its lines: beside a selection, `auto` would mean that. */
const named = (choice: Choice): Choice =>
  choice.scope === 'auto' ? { ...choice, scope: 'selection' } : choice;

/** The scopes around a place, innermost first; lines that are two things at once stand there under their name. */
function choicesOf(scopes: readonly NamedScope[]): Choice[] {
  const kindOfAuto = (['function', 'class'] as const).find((kind) =>
    scopes.some((each) => each.kind === kind),
  );
  const choices: Choice[] = [];
  const seen = new Set<string>();
  for (const { kind, name, range: told } of scopes) {
    const range = asRange(told);
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
  const { first, behind } = linesOf(range);
  const count = behind - first;
  return `${count.toString()} line${count === 1 ? '' : 's'}`;
}
