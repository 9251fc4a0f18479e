/** Where the page comes in. */

import { Prec } from '@codemirror/state';
import { EditorView, keymap, type Command } from '@codemirror/view';

import { showReview, showStanding, type Verbs } from './bars';
import { compare, compareAnswer } from './compare';
import { showDiagnostics, type PublishedDiagnostics } from './diagnostics';
import { OpenDocument, type FileText } from './documents';
import { byId, element, shadowOf } from './dom';
import { Edits, hunksOf } from './edits';
import { Files } from './files';
import { coloursOf } from './languages';
import { hunksIn, marks, setShowsRemoved, showsRemovedIn, type PaintedHunk } from './marks';
import { ask, dialog, notify } from './messages';
import { Prompt } from './prompt';
import {
  ICONS,
  LABELS,
  type ApplyEditParams,
  type EditChanged,
  type ModeState,
  type Partial,
  type StatusResult,
} from './protocol';
import { openLine, Peer } from './rpc';
import { basics } from './setup';
import { theme } from './theme';

const TOKEN_KEY = 'twospeed.token';
const MESSAGE_KINDS = { 1: 'error', 2: 'warning' } as const;

const documents: OpenDocument[] = [];
let current: OpenDocument;
let peer: Peer | null = null;
let mode: ModeState | null = null;
let isSample = true;

const token = takeToken();
const files = new Files(token);

const thePeer = (): Peer => {
  if (peer === null) throw new Error('twospeed is not connected');
  return peer;
};
const looksOf = ({ languageId }: OpenDocument) => [theme, coloursOf(languageId)];
const documentAt = (uri: string) => documents.find((document) => document.uri === uri);

const edits = new Edits(thePeer, documentAt, {
  changed: show,
  say: notify,
  showAnswer(edit, answer) {
    compareAnswer(edit.document, answer, looksOf(edit.document), () => void edits.applyAnyway(edit));
  },
});
const prompt = new Prompt(edits, thePeer, toggleMode);

/** The token came behind the #, which nobody is sent; it is not left there to be seen. */
function takeToken(): string {
  const given = location.hash.slice(1);
  if (given !== '') {
    sessionStorage.setItem(TOKEN_KEY, given);
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem(TOKEN_KEY) ?? '';
}

// What a person does

function toggleMode(): void {
  void attempt(async () => {
    takeMode(await thePeer().request<ModeState>('twospeed/setMode', {}));
  });
}

const askHere = (): boolean => {
  void prompt.open(current);
  return true;
};

function cancelHere(): boolean {
  const live = edits.live(current);
  if (live) void edits.cancel(live);
  return live !== undefined;
}

/** Undoing what has only begun to arrive stops it; what was typed meanwhile is undone as ever. */
function undoArriving(): boolean {
  const live = edits.live(current);
  return live !== undefined && current.arriving === live.id && cancelHere();
}

function decideHere(action: 'accept' | 'reject'): boolean {
  const { state } = current.view;
  const line = state.doc.lineAt(state.selection.main.head);
  const hunk = hunksIn(state).find(({ from, to }) => from <= line.to && line.from <= Math.max(from, to - 1));
  if (hunk) decide(hunk, action);
  return hunk !== undefined;
}

function decideAll(action: 'accept' | 'reject'): boolean {
  const review = edits.inReview(current);
  if (review) void edits.decide(review, action);
  return review !== undefined;
}

function decide({ editId, id }: PaintedHunk, action: 'accept' | 'reject'): void {
  const edit = edits.all.find((each) => each.id === editId);
  if (edit) void edits.decide(edit, action, id);
}

function nextHunk(step: 1 | -1): boolean {
  const { state } = current.view;
  const { head } = state.selection.main;
  const starts = hunksIn(state).map(({ from }) => from);
  const ahead = step === 1 ? starts.find((from) => from > head) : starts.findLast((from) => from < head);
  const to = ahead ?? (step === 1 ? starts[0] : starts.at(-1));
  if (to === undefined) return false;
  current.view.dispatch({
    selection: { anchor: to },
    effects: EditorView.scrollIntoView(to, { y: 'center' }),
  });
  current.view.focus();
  return true;
}

function varyHere(step: 1 | -1): boolean {
  const review = edits.inReview(current);
  if (review) void edits.variation(review, step);
  return review !== undefined;
}

function retryHere(): boolean {
  const edit = edits.live(current) ?? edits.inReview(current);
  if (edit) void edits.retry(edit);
  return edit !== undefined;
}

function save(): boolean {
  void attempt(async () => {
    const document = current;
    const { doc } = document.view.state;
    if (isSample)
      notify('Accepted. The sample project is in this page alone; name files to twospeed web to edit them.');
    else await files.save(document.uri, document.text);
    document.saved(doc);
    show();
  });
  return true;
}

function toggleRemoved(): void {
  const effects = setShowsRemoved.of(!showsRemovedIn(current.view.state));
  for (const { view } of documents) view.dispatch({ effects });
  show();
}

async function showStatus(): Promise<void> {
  const { lanes } = await thePeer().request<StatusResult>('twospeed/status', {});
  const rows = (['lightning', 'deep'] as const).flatMap((each) => [
    element('h3', {}, `${ICONS[each]} ${LABELS[each]}`),
    element(
      'ul',
      {},
      ...lanes[each].map(({ provider, model, ready, reason }) =>
        element('li', {}, `${provider}/${model}: ${ready ? 'ready' : (reason ?? 'not ready')}`),
      ),
    ),
  ]);
  const more = element(
    'p',
    { className: 'hint' },
    'twospeed doctor, in a terminal, tries each and says what to do.',
  );
  dialog('What serves', [...rows, more]);
}

const verbs: Verbs = {
  accept: () => decideAll('accept'),
  reject: () => decideAll('reject'),
  cancel: cancelHere,
  variation: varyHere,
  retry: retryHere,
  check() {
    const review = edits.inReview(current);
    if (review) void edits.review(review);
  },
  goOn: () => void prompt.open(current, edits.inReview(current)),
  next: nextHunk,
  toggleRemoved,
  compare() {
    compare(current, looksOf(current));
  },
  toggleMode,
  status: () => void attempt(showStatus),
  reconnect: () => void attempt(connect),
};

const key = (name: string, run: () => boolean) => ({
  key: name,
  run: run satisfies Command,
  preventDefault: true,
});
const keys = Prec.highest(
  keymap.of([
    key('Mod-k', askHere),
    key('Mod-s', save),
    key('F7', () => nextHunk(1)),
    key('Shift-F7', () => nextHunk(-1)),
    key('F8', () => varyHere(1)),
    key('Shift-F8', () => varyHere(-1)),
    key('F9', retryHere),
    key('Shift-F9', () => (void edits.repeat(current), true)),
    key('Alt-Enter', () => decideHere('accept')),
    key('Alt-Delete', () => decideHere('reject')),
    key('Mod-Shift-Enter', () => decideAll('accept')),
    key('Mod-Shift-Backspace', () => decideAll('reject')),
    { key: 'Mod-z', run: undoArriving },
  ]),
);
const escape = keymap.of([{ key: 'Escape', run: cancelHere }]); // behind what closes panels

// What the server says

function listen(to: Peer): void {
  to.on('twospeed/applyEdit', (shipment: ApplyEditParams) => {
    const document = documentAt(shipment.textDocument.uri);
    return document?.applyEdit(shipment) ?? { applied: false, version: null, reason: 'closed' };
  });
  to.on('twospeed/editChanged', (told: EditChanged) => {
    edits.follow(told);
  });
  to.on('twospeed/modeChanged', takeMode);
  to.on('$/progress', ({ token: id, value }: { token: string; value: Partial }) => {
    edits.progress(id, value);
  });
  to.on('textDocument/publishDiagnostics', (told: PublishedDiagnostics) => {
    const document = documentAt(told.uri);
    if (document) showDiagnostics(document, told);
  });
  to.on('window/showMessage', ({ type, message }: { type: number; message: string }) => {
    notify(message, type in MESSAGE_KINDS ? MESSAGE_KINDS[type as keyof typeof MESSAGE_KINDS] : 'info');
  });
  to.on('window/showMessageRequest', async (told: { message: string; actions?: { title: string }[] }) => {
    const title = await ask(told.message, told.actions?.map((action) => action.title) ?? []);
    return title === null ? null : { title };
  });
}

function takeMode(state: ModeState): void {
  mode = state;
  prompt.showMode(state.mode);
  show();
}

async function connect(): Promise<void> {
  const to = new Peer(await openLine('/', token), () => {
    if (peer === to) peer = null;
    edits.forgetAll();
  });
  listen(to);
  await to.request('initialize', {
    processId: null,
    rootUri: null,
    clientInfo: { name: 'twospeed web' },
    capabilities: {
      general: { positionEncodings: ['utf-16'] },
      textDocument: { synchronization: { didSave: true }, publishDiagnostics: { versionSupport: true } },
      window: { showMessage: { messageActionItem: { additionalPropertiesSupport: false } } },
      experimental: { twospeed: { applyEdit: true, events: true } },
    },
  });
  to.notify('initialized', {});
  peer = to;
  for (const document of documents) document.open(to);
  const { mode: now, lanes } = await to.request<StatusResult>('twospeed/status', {});
  const [lightning, deep] = [lanes.lightning, lanes.deep].map((lane) => lane.find(({ ready }) => ready));
  if (lightning && deep) takeMode({ mode: now, lightning, deep });
}

// The page

function open(file: FileText, root: ShadowRoot): OpenDocument {
  const pane = root.appendChild(element('div', { className: 'pane' }));
  pane.style.height = '100%';
  const opened: OpenDocument = new OpenDocument(
    file,
    root,
    pane,
    [
      keys,
      basics,
      escape,
      marks({ decide }),
      coloursOf(file.languageId),
      EditorView.scrollMargins.of(() => ({ top: 60 })),
    ],
    (update) => {
      prompt.follow(update.view, update.transactions);
      if (update.docChanged) edits.textChanged(opened);
      if (update.docChanged || update.selectionSet || update.geometryChanged) {
        prompt.place();
        scheduleShow();
      }
    },
  );
  return opened;
}

function select(document: OpenDocument): void {
  if (prompt.isOpen) prompt.close();
  current = document;
  for (const each of documents) {
    const pane = each.view.dom.parentElement;
    if (pane) pane.hidden = each !== document;
  }
  document.view.requestMeasure();
  document.view.focus();
  show();
}

let isShowPlanned = false;

/** Once a frame is often enough for the bars. */
function scheduleShow(): void {
  if (isShowPlanned) return;
  isShowPlanned = true;
  requestAnimationFrame(() => {
    isShowPlanned = false;
    show();
  });
}

function show(): void {
  if (documents.length === 0) return;
  const { state } = current.view;
  const { head } = state.selection.main;
  const line = state.doc.lineAt(head);
  const review = edits.inReview(current);
  const standing = {
    ...{ mode, review, live: edits.live(current), isConnected: peer !== null },
    nHunks: review ? hunksOf(review).length : 0,
    showsRemoved: showsRemovedIn(state),
    place: `Ln ${String(line.number)}, Col ${String(head - line.from + 1)}`,
    last: edits.all.findLast(({ stats, state: at }) => stats && (at === 'review' || at === 'ended')),
  };
  showReview(standing, verbs);
  showStanding(standing, verbs);
  byId('tabs').replaceChildren(
    ...documents.map((document) => {
      const isBusy = edits.live(document) !== undefined;
      const mark = isBusy ? ' …' : !isSample && document.isDirty ? ' ●' : '';
      const tab = element(
        'button',
        {
          type: 'button',
          onclick: () => {
            select(document);
          },
        },
        document.name + mark,
      );
      tab.setAttribute('aria-pressed', String(document === current));
      return tab;
    }),
  );
}

async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    notify(error instanceof Error ? error.message : String(error), 'error');
  }
}

document.addEventListener(
  'keydown',
  (event) => {
    if ((event.ctrlKey || event.metaKey) && event.shiftKey && event.code === 'KeyL') {
      event.preventDefault();
      event.stopPropagation();
      toggleMode();
    }
  },
  { capture: true },
);
addEventListener('beforeunload', (event) => {
  if (!isSample && documents.some(({ isDirty }) => isDirty)) event.preventDefault();
});
byId('ask').onclick = askHere;
byId('save').onclick = save;

await attempt(async () => {
  const found = await files.read();
  isSample = found.isSample;
  const root = shadowOf(byId('editors'));
  documents.push(...found.files.map((file) => open(file, root)));
  const [first] = documents;
  if (first) select(first);
  await connect();
  document.documentElement.dataset.ready = 'true';
});
