/** The prompt: for a new edit, for steering a running edit, or for a follow-up to an edit in review. */

import type { Transaction } from '@codemirror/state';

import { setPromptScope, spanAfter, type Span } from '../editor/decorations';
import type { OpenDocument } from '../editor/openDocument';
import { historyOnly } from '../editor/undoStep';
import { hunksOf, type Edit } from '../edits/edit';
import type { Edits } from '../edits/edits';
import { ICONS, LABELS, type ModeChoice, type NamedScope, type ScopeChoice } from '../protocol';
import type { Peer } from '../server/rpc';
import { button, byId, counted, element } from './dom';

const HISTORY_KEY = 'twospeed.instructions';
const MAX_HISTORY = 50;
const MAX_VARIATIONS = 4;
const GAP = 6;

/** A scope to choose, and its name in `twospeed/edit`. */
interface Choice {
  label: string;
  span: Span;
  scope: ScopeChoice;
}

export class Prompt {
  readonly #box = byId('prompt');
  readonly #icon = button(
    '',
    'Switch the mode (Ctrl+Shift+L)',
    () => {
      this.toggleMode();
    },
    'icon',
  );
  readonly #input = element('input', { type: 'text' });
  readonly #scope = element('span', { className: 'scope' });
  readonly #narrower = button('−', 'Fewer lines (Alt+↓)', () => {
    this.#choose(this.#chosen - 1);
  });
  readonly #wider = button('+', 'More lines (Alt+↑)', () => {
    this.#choose(this.#chosen + 1);
  });
  readonly #answers = button(
    '',
    'Number of answers to request',
    () => {
      this.#nextVariations();
    },
    'answers',
  );
  readonly #run = button('Run', 'Request the edit (Enter)', () => {
    this.#request();
  });
  readonly #close = button('✕', 'Close (Esc)', () => {
    this.close();
  });
  readonly #hint = element('div', { className: 'hint' });
  readonly #history: string[] = JSON.parse(sessionStorage.getItem(HISTORY_KEY) ?? '[]') as string[];

  #document: OpenDocument | null = null;
  #steered: Edit | undefined;
  /** The number of selections; more than one are the places of one edit. */
  #nPlaces = 1;
  #followed: Edit | undefined;
  #choices: Choice[] = [];
  #chosen = 0;
  #recalled = 0;
  #draft = '';
  #variations = 1;
  #mode: ModeChoice = 'lightning';

  constructor(
    readonly edits: Edits,
    readonly peer: () => Peer,
    readonly toggleMode: () => void,
  ) {
    this.#input.setAttribute('aria-label', 'What to change');
    this.#input.maxLength = 20_000;
    this.#input.spellcheck = false;
    this.#box.append(
      element(
        'div',
        { className: 'ask' },
        this.#icon,
        this.#input,
        element('span', { className: 'lines' }, this.#narrower, this.#scope, this.#wider),
        this.#answers,
        this.#run,
        this.#close,
      ),
      this.#hint,
    );
    this.#box.onkeydown = ({ key }) => {
      if (key === 'Escape') this.close(); // on a button; the input handles its own keys
    };
    this.#input.onkeydown = (event) => {
      if (!event.isComposing && this.#press(event)) {
        event.preventDefault();
        event.stopPropagation();
      }
    };
  }

  get isOpen(): boolean {
    return this.#document !== null;
  }

  showMode(mode: ModeChoice): void {
    this.#mode = mode;
    this.#show();
  }

  /**
   * Opens the prompt for the code around the caret, and sends `twospeed/prepare`.
   *
   * If an edit runs there, the prompt steers it. Else it follows up `followed`, by default the edit in review at the caret.
   */
  async open(document: OpenDocument, followed = this.#reviewAtCaret(document)): Promise<void> {
    this.#document = document;
    const { state } = document.view;
    this.#nPlaces = state.selection.ranges.length;
    const isOne = this.#nPlaces === 1;
    this.#steered = isOne ? this.edits.liveAtCaret(document) : undefined;
    this.#followed = isOne && !this.#steered ? followed : undefined;
    this.#choices = [selectionChoice(document)];
    this.#chosen = 0;
    this.#variations = 1;
    this.#recalled = this.#history.length;
    this.#draft = this.#input.value = '';
    this.#show();
    this.#input.focus();
    if (this.#steered) return;

    const { from, to, empty, head } = state.selection.main;
    const range = document.rangeOf({ from, to });
    const { version } = document;
    this.peer()
      .request('twospeed/prepare', { textDocument: document.id, range })
      .catch(() => undefined); // the edit reports the same error
    if (!isOne) return;
    try {
      const { scopes } = await this.peer().request<{ scopes: NamedScope[] }>('twospeed/scopes', {
        textDocument: document.id,
        position: document.rangeOf({ from: head, to: head }).start,
      });
      if (this.#document !== document) return;
      const found = choicesOf(document, scopes, version);
      const wider = found.filter(({ span }) => span.from < from || span.to > to);
      this.#choices = empty && found.length > 0 ? found : [selectionChoice(document), ...wider];
      this.#choose(Math.max(0, empty ? found.findIndex(({ scope }) => scope === 'auto') : 0));
    } catch {
      // Without the scopes, the server chooses one.
    }
  }

  close(): void {
    const document = this.#document;
    this.#document = null;
    this.#show();
    document?.view.focus();
  }

  /** Maps the choices through changes: another edit may arrive while the user types the instruction. */
  follow(view: OpenDocument['view'], transactions: readonly Transaction[]): void {
    if (this.#document?.view !== view) return;
    for (const transaction of transactions) {
      if (!transaction.docChanged || transaction.annotation(historyOnly) === true) continue;
      this.#choices = this.#choices.map((choice) => ({
        ...choice,
        span: spanAfter(transaction.changes, choice.span),
      }));
    }
  }

  /** Places the box above its scope, or below the caret if there is no room. */
  place(): void {
    const view = this.#document?.view;
    const choice = this.#choices[this.#chosen];
    if (!view || !choice) return;
    const stage = byId('stage').getBoundingClientRect();
    const height = this.#box.offsetHeight + GAP;
    const start = view.coordsAtPos(Math.min(choice.span.from, view.state.doc.length));
    const caret = view.coordsAtPos(view.state.selection.main.head);
    const above = start ? start.top - stage.top - height : -1;
    const top = above >= GAP || !caret ? above : caret.bottom - stage.top + GAP;
    this.#box.style.top = `${String(Math.round(Math.max(GAP, Math.min(top, stage.height - height))))}px`;
  }

  #reviewAtCaret(document: OpenDocument): Edit | undefined {
    const review = this.edits.inReview(document);
    const { doc, selection } = document.view.state;
    const near = ({ from, to }: Span) =>
      selection.main.from <= doc.lineAt(Math.min(to + 1, doc.length)).to &&
      selection.main.to >= doc.lineAt(Math.max(0, from - 1)).from;
    return review && hunksOf(review).some(near) ? review : undefined;
  }

  #press({ key, altKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
    if (ctrlKey || metaKey) return false;
    switch (key) {
      case 'Enter':
        this.#request();
        return true;
      case 'Escape':
        this.close();
        return true;
      case 'ArrowUp':
      case 'ArrowDown': {
        const step = key === 'ArrowUp' ? 1 : -1;
        if (altKey) this.#choose(this.#chosen + step);
        else this.#recall(this.#recalled - step);
        return true;
      }
      case 'Backspace':
        if (this.#input.value !== '' || this.#followed === undefined) return false;
        this.#followed = undefined;
        this.#show();
        return true;
      default:
        return false;
    }
  }

  #recall(index: number): void {
    if (index < 0 || index > this.#history.length) return;
    if (this.#recalled === this.#history.length) this.#draft = this.#input.value;
    this.#recalled = index;
    this.#input.value = this.#history[index] ?? this.#draft;
  }

  #nextVariations(): void {
    this.#variations = (this.#variations % MAX_VARIATIONS) + 1;
    this.#show();
  }

  #choose(index: number): void {
    if (this.#choices[index] === undefined) return;
    this.#chosen = index;
    this.#show();
    this.#input.focus();
  }

  #request(): void {
    const instruction = this.#input.value.trim();
    const document = this.#document;
    const choice = this.#choices[this.#chosen];
    if (instruction === '' || !document || !choice) return;
    if (this.#history.at(-1) !== instruction) this.#history.push(instruction);
    this.#history.splice(0, this.#history.length - MAX_HISTORY);
    sessionStorage.setItem(HISTORY_KEY, JSON.stringify(this.#history));
    const steered = this.#steered;
    const request = {
      instruction,
      scope: choice.scope,
      range: choice.scope === 'selection' ? document.rangeOf(choice.span) : document.selection,
      variations: this.#variations,
      follows: this.#followed?.id,
    };
    const ranges = document.view.state.selection.ranges.map((each) => document.rangeOf(each));
    this.close();
    if (this.#nPlaces > 1) void this.edits.requestPlaces(document, { instruction, ranges });
    else if (steered) void this.edits.steer(steered, instruction);
    else void this.edits.request(document, request, this.#mode);
  }

  #show(): void {
    const document = this.#document;
    this.#box.hidden = document === null;
    const choice = this.#choices[this.#chosen];
    for (const each of new Set(this.edits.all.map((edit) => edit.document).concat(document ?? []))) {
      const candidate = each === document && choice && !this.#steered ? choice.span : null;
      each.view.dispatch({ effects: setPromptScope.of(candidate) });
    }
    if (document === null || !choice) {
      this.#last?.view.dispatch({ effects: setPromptScope.of(null) });
      return;
    }
    this.#last = document;
    const mode = this.#steered?.mode ?? this.#mode;
    this.#icon.textContent = ICONS[mode];
    this.#icon.setAttribute('aria-label', `${ICONS[mode]} ${LABELS[mode]}`);
    this.#input.placeholder = this.#steered
      ? 'New instruction; the edit starts again'
      : this.#followed
        ? `Refine “${this.#followed.instruction || 'the last edit'}”`
        : 'What to change, for example: add error handling';
    this.#scope.textContent = this.#steered ? 'the running edit' : choice.label;
    this.#narrower.disabled = this.#wider.disabled = this.#steered !== undefined;
    this.#narrower.disabled ||= this.#chosen === 0;
    this.#wider.disabled ||= this.#chosen >= this.#choices.length - 1;
    this.#answers.hidden = this.#steered !== undefined || this.#nPlaces > 1;
    this.#answers.textContent = counted(this.#variations, 'answer');
    const follows = this.#followed ? ['⌫ new edit'] : [];
    this.#hint.textContent = ['↵ run', 'Esc close', '↑↓ earlier', 'Alt+↑↓ lines', ...follows].join('   ');
    this.place();
  }

  #last: OpenDocument | null = null;
}

function selectionChoice(document: OpenDocument): Choice {
  const { doc, selection } = document.view.state;
  const { from, to, empty } = selection.main;
  const span = { from: doc.lineAt(from).from, to: Math.max(from, to) };
  const n = doc.lineAt(Math.max(from, to - 1)).number - doc.lineAt(from).number + 1;
  const nPlaces = selection.ranges.length;
  if (nPlaces > 1) return { span, scope: 'auto', label: `${String(nPlaces)} places` };
  return { span, scope: 'auto', label: empty ? 'here' : `selection, ${counted(n, 'line')}` };
}

/**
 * The scopes around a position, innermost first. Of scopes with the same lines, only one is listed.
 *
 * The scope that `auto` selects has the name `auto`. Another one has its kind if that identifies it, else `selection`.
 */
function choicesOf(document: OpenDocument, scopes: readonly NamedScope[], version: number): Choice[] {
  const { doc } = document.view.state;
  const kindOfAuto = (['function', 'class'] as const).find((kind) =>
    scopes.some((each) => each.kind === kind),
  );
  const choices: Choice[] = [];
  const seen = new Set<string>();
  for (const { kind, name, range } of scopes) {
    const span = document.spanOf(range, version);
    if (!span) continue;
    const isFirst = !seen.has(kind);
    seen.add(kind);
    const isAuto = isFirst && (kindOfAuto ? kind === kindOfAuto : choices.length === 0);
    const isNamed = isFirst && (kind === 'function' || kind === 'class' || kind === 'file');
    const n = doc.lineAt(Math.max(span.from, span.to - 1)).number - doc.lineAt(span.from).number + 1;
    const label = `${kind}${name ? ` ${name}` : ''}, ${counted(n, 'line')}`;
    const last = choices.at(-1);
    if (last?.span.from === span.from && last.span.to === span.to) {
      if (last.scope === 'auto' && !isAuto) continue;
      choices.pop();
    }
    choices.push({ span, scope: isAuto ? 'auto' : isNamed ? kind : 'selection', label });
  }
  return choices;
}
