/** The life cycle of the server, and the capabilities and settings that it receives. */

import type { Disposable, LogOutputChannel, NotebookDocument, TextDocument } from 'vscode';
import {
  CloseAction,
  DidChangeConfigurationNotification,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type Middleware,
  type StaticFeature,
} from 'vscode-languageclient/node';

import { showError, messageOf } from '../edits/requests';
import { clientFeatures } from '../protocol';
import { findProgram, offerInstallation } from './program';
import { serverSettings } from './settings';

/** Receives the events of the server. */
export interface ServerListener {
  /** Runs a command of the server. */
  runCommand(client: LanguageClient, command: string, args: unknown[]): Promise<unknown>;
  /** Whether to send the notification of a save, which accepts the edits in review of the document or notebook. */
  shouldSendSave(saved: TextDocument | NotebookDocument): boolean;
  /** A client was created and is not started yet. The result is disposed with the client. */
  created(client: LanguageClient): Disposable[];
  /** The session is open, or its settings have changed. */
  ready(client: LanguageClient): Promise<void>;
  /** The session has ended. The server may be starting again. */
  stopped(): void;
  /** No server is running or starting. */
  failed(why: string): void;
}

export class Server implements Disposable {
  #client: LanguageClient | undefined;
  /** A client that was replaced before its server had answered `initialize`. */
  #abandoned: LanguageClient | undefined;
  #disposables: { dispose(): unknown }[] = [];
  #queue: Promise<void> = Promise.resolve();

  constructor(
    readonly log: LogOutputChannel,
    readonly listener: ServerListener,
  ) {}

  dispose(): void {
    void this.#enqueue(() => this.#stop());
  }

  /** The client, while its session is open. */
  get client(): LanguageClient | undefined {
    return this.#client?.state === State.Running ? this.#client : undefined;
  }

  /** Starts a server, and stops the running one first. */
  start(): Promise<void> {
    this.#abandon();
    return this.#enqueue(async () => {
      await this.#stop();
      try {
        const program = await findProgram();
        if (program) await this.#start(program);
        else {
          this.listener.failed('the server is not installed');
          void offerInstallation();
        }
      } catch (error) {
        showError(error);
        this.listener.failed(messageOf(error));
      }
    });
  }

  /** Sends changed settings. */
  async sendSettings(): Promise<void> {
    const { client } = this;
    if (client) await this.#openSession(client, { isFirst: false });
  }

  /** Kills a server that has not answered `initialize`: until it answers, its client cannot be stopped. */
  #abandon(): void {
    if (this.#client?.state !== State.Starting) return;
    this.#abandoned = this.#client;
    this.#abandoned.serverProcess?.kill();
  }

  /** Runs one start or stop at a time. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(work);
    return this.#queue;
  }

  async #start([command = '', ...args]: string[]): Promise<void> {
    const isCurrent = () => this.#client === client && this.#abandoned !== client;
    const client: LanguageClient = new LanguageClient(
      'twospeed',
      'twospeed',
      { command, args: [...args, 'serve', '--stdio'] },
      {
        documentSelector: [{ scheme: 'file' }, { scheme: 'untitled' }, { scheme: 'vscode-notebook-cell' }],
        outputChannel: this.log,
        revealOutputChannelOn: RevealOutputChannelOn.Never, // messages show what the user must know
        errorHandler: {
          error: (...problem) => defaultHandler.error(...problem),
          closed: () =>
            isCurrent() ? defaultHandler.closed() : { action: CloseAction.DoNotRestart, handled: true },
        },
        initializationFailedHandler(error) {
          if (isCurrent() && error instanceof Error) showError(error);
          return false;
        },
        middleware: this.#middleware(() => client),
      },
    );
    const defaultHandler = client.createDefaultErrorHandler();
    client.registerFeature(capabilitiesFeature);
    this.#client = client;
    this.#disposables = [
      ...this.listener.created(client),
      client.onDidChangeState(({ newState }) => {
        if (newState === State.Running) void this.#openSession(client, { isFirst: true });
        else this.listener.stopped();
        if (newState === State.Stopped && isCurrent()) this.listener.failed('the server has stopped');
      }),
    ];
    try {
      await client.start();
    } catch (error) {
      this.listener.failed(messageOf(error));
    }
  }

  async #openSession(client: LanguageClient, { isFirst }: { isFirst: boolean }): Promise<void> {
    const settings = serverSettings();
    try {
      if (!isFirst || Object.keys(settings).length > 0) {
        await client.sendNotification(DidChangeConfigurationNotification.type, { settings });
      }
      await this.listener.ready(client);
    } catch (error) {
      this.log.error(error instanceof Error ? error : String(error)); // the server has stopped already; the status bar shows it
    }
  }

  async #stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    try {
      if (client?.state === State.Starting) await client.start(); // a client can be stopped only after its start
      await client?.dispose();
    } catch (error) {
      this.log.warn(messageOf(error));
    }
    for (const part of this.#disposables.splice(0)) part.dispose();
  }

  #middleware(client: () => LanguageClient): Middleware {
    return {
      executeCommand: (command, args) => this.listener.runCommand(client(), command, args),
      didSave: async (document, next) => {
        if (this.listener.shouldSendSave(document)) await next(document);
      },
      notebooks: {
        didSave: async (notebook, next) => {
          if (this.listener.shouldSendSave(notebook)) await next(notebook);
        },
      },
      // Settings are pushed at the start and after each change; the server would not pull them again.
      workspace: { configuration: ({ items }) => items.map(() => null) },
    };
  }
}

const capabilitiesFeature: StaticFeature = {
  fillClientCapabilities(capabilities) {
    const existing = capabilities.experimental as Record<string, unknown> | undefined;
    capabilities.experimental = { ...existing, twospeed: clientFeatures };
  },
  initialize() {
    // The client does not use the capabilities of the server.
  },
  getState: () => ({ kind: 'static' }),
  clear() {
    // There is no state.
  },
};
