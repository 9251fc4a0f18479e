/** Sends the diagnostics of other extensions before and after an edit: the server finds the errors that are new. */

import {
  commands,
  DiagnosticSeverity,
  languages,
  window,
  workspace,
  type Diagnostic,
  type Disposable,
  type TextDocument,
  type Uri,
} from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

import { isInReview, type Edits } from '../edits/edits';
import { lspRange } from '../positions';
import { diagnosticsRequest, ICONS, LABELS, type Diagnostic as LspDiagnostic } from '../protocol';

const SOURCE = 'twospeed';
const QUIET_MS = 1_500;
const LIMIT_MS = 15_000;
const MOST_DIAGNOSTICS = 500;
const MEND = `Mend in ${ICONS.lightning} ${LABELS.lightning}`;

/** The errors and warnings of other extensions, errors first. */
export function problemsOfOthers(uri: Uri): LspDiagnostic[] {
  return languages
    .getDiagnostics(uri)
    .filter(({ severity, source }) => severity <= DiagnosticSeverity.Warning && source !== SOURCE)
    .sort((one, other) => one.severity - other.severity)
    .slice(0, MOST_DIAGNOSTICS)
    .map(asLsp);
}

const asLsp = ({ range, severity, code, source, message }: Diagnostic): LspDiagnostic => ({
  range: lspRange(range),
  severity: severity === DiagnosticSeverity.Error ? 1 : 2,
  code: (typeof code === 'object' ? code.value : code) ?? null,
  source: source ?? null,
  message,
});

/** What the last event about a document left behind. */
interface Published {
  own: string;
  others: string;
  /** The version of the document at the last event of another extension. */
  version: number | undefined;
}

interface Awaited {
  readonly id: string;
  readonly document: TextDocument;
  readonly limit: NodeJS.Timeout;
  quiet?: NodeJS.Timeout;
}

/** Compares each edit in review once, as soon as the diagnostics of its document have settled. */
export class NewProblems implements Disposable {
  readonly #published = new Map<string, Published>();
  readonly #awaited = new Map<string, Awaited>();
  readonly #seen = new Set<string>();
  readonly #listeners: Disposable[];

  constructor(
    readonly edits: Edits,
    /** Returns `undefined` while no server runs. */
    readonly client: () => LanguageClient | undefined,
  ) {
    this.#listeners = [
      edits.onDidChange(() => {
        this.#update();
      }),
      languages.onDidChangeDiagnostics(({ uris }) => {
        for (const uri of uris) this.#note(uri);
      }),
      workspace.onDidCloseTextDocument(({ uri }) => {
        this.#published.delete(uri.toString());
      }),
    ];
  }

  dispose(): void {
    for (const listener of this.#listeners) listener.dispose();
    for (const each of this.#awaited.values()) this.#stop(each);
  }

  /** Waits for the diagnostics of each edit that has entered review. */
  #update(): void {
    const reviewed = this.edits.all.filter(isInReview);
    const ids = new Set(reviewed.map(({ id }) => id));
    for (const each of this.#awaited.values()) if (!ids.has(each.id)) this.#stop(each);
    for (const id of this.#seen) if (!ids.has(id)) this.#seen.delete(id);
    for (const { id, document } of reviewed.filter((edit) => !this.#seen.has(edit.id))) {
      this.#seen.add(id);
      const limit = setTimeout(() => {
        void this.#send(awaited);
        this.#stop(awaited);
      }, LIMIT_MS);
      const awaited: Awaited = { id, document, limit };
      this.#awaited.set(id, awaited);
      if (this.#isCurrent(document)) this.#beginQuietTime(awaited);
    }
  }

  #stop(awaited: Awaited): void {
    clearTimeout(awaited.limit);
    clearTimeout(awaited.quiet);
    this.#awaited.delete(awaited.id);
  }

  /** Whether the diagnostics of other extensions are about the current text. */
  #isCurrent({ uri, version }: TextDocument): boolean {
    return this.#published.get(uri.toString())?.version === version;
  }

  /** Handles an event, which does not name its extension: it is another one, unless only our own list has changed. */
  #note(uri: Uri): void {
    const document = workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
    if (document === undefined) return;
    const all = languages.getDiagnostics(uri);
    const last = this.#published.get(uri.toString());
    const own = signature(all.filter(({ source }) => source === SOURCE));
    const others = signature(all.filter(({ source }) => source !== SOURCE));
    const isOwn = own !== (last?.own ?? signature([])) && others === (last?.others ?? signature([]));
    this.#published.set(uri.toString(), {
      own,
      others,
      version: isOwn ? last?.version : document.version,
    });
    if (isOwn) return;
    for (const each of this.#awaited.values()) if (each.document === document) this.#beginQuietTime(each);
  }

  #beginQuietTime(awaited: Awaited): void {
    clearTimeout(awaited.quiet);
    awaited.quiet = setTimeout(() => void this.#send(awaited), QUIET_MS);
  }

  async #send(awaited: Awaited): Promise<void> {
    const { id, document } = awaited;
    const client = this.client();
    if (client === undefined || !this.#isCurrent(document)) return;
    this.#stop(awaited);
    const params = {
      editId: id,
      version: document.version,
      diagnostics: problemsOfOthers(document.uri),
    };
    try {
      const { message } = await client.sendRequest(diagnosticsRequest, params);
      if (message === null) return;
      const chosen = await window.showWarningMessage(`twospeed: ${message.replaceAll('](', '] (')}`, MEND);
      if (chosen !== undefined) await commands.executeCommand('twospeed.mend', id);
    } catch {
      // The text has changed again, or the edit has ended.
    }
  }
}

const signature = (diagnostics: readonly Diagnostic[]) =>
  JSON.stringify(diagnostics.map(({ range, message, source }) => [range.start.line, message, source]));
