/** The server: how it is started, stopped and started again, and what it is told about this editor. */

import type { Disposable, LogOutputChannel, TextDocument } from 'vscode';
import {
  CloseAction,
  DidChangeConfigurationNotification,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type Middleware,
  type StaticFeature,
} from 'vscode-languageclient/node';

import { report, wordsOf } from './ask';
import { findProgram, offerInstallation } from './program';
import { clientFeatures } from './protocol';
import { serverSettings } from './settings';

/** Whoever wants to hear of the server. */
export interface ServerListener {
  /** Runs a command that the server named, with what is known here. */
  runCommand(client: LanguageClient, command: string, args: unknown[]): Promise<unknown>;
  /** Whether the server is to hear that a document was saved, which accepts what is to be looked over there. */
  isSaveTold(document: TextDocument): boolean;
  /** A client was made, which is not started yet; what listens to it goes with it. */
  made(client: LanguageClient): Disposable[];
  /** The session is open, for the first time or after the server has ended; or its settings have changed. */
  ready(client: LanguageClient): Promise<void>;
  /** There is no session, for now or for good. */
  gone(): void;
  /** No server runs, and none is on its way. */
  failed(why: string): void;
}

export class Server implements Disposable {
  #client: LanguageClient | undefined;
  /** A client whose server had not answered yet when another one was asked for. */
  #givenUp: LanguageClient | undefined;
  #parts: { dispose(): unknown }[] = [];
  #work: Promise<void> = Promise.resolve();

  constructor(
    readonly log: LogOutputChannel,
    readonly listener: ServerListener,
  ) {}

  dispose(): void {
    void this.#inTurn(() => this.#stop());
  }

  /** The client, while its session is open. */
  get client(): LanguageClient | undefined {
    return this.#client?.state === State.Running ? this.#client : undefined;
  }

  /** Starts a server, in the place of the one that runs, if one does. */
  start(): Promise<void> {
    this.#giveUp();
    return this.#inTurn(async () => {
      await this.#stop();
      try {
        const program = await findProgram();
        if (program) await this.#start(program);
        else {
          this.listener.failed('the server is not installed');
          void offerInstallation();
        }
      } catch (error) {
        report(error);
        this.listener.failed(wordsOf(error));
      }
    });
  }

  /** Tells the server of settings that have changed. */
  async tellSettings(): Promise<void> {
    const { client } = this;
    if (client) await this.#open(client, { isFirst: false });
  }

  /** Ends a server that has not answered yet, and may never: until it has, a client cannot be stopped. */
  #giveUp(): void {
    if (this.#client?.state !== State.Starting) return;
    this.#givenUp = this.#client;
    this.#givenUp.serverProcess?.kill();
  }

  /** One start or stop at a time. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work);
    return this.#work;
  }

  async #start([command = '', ...args]: string[]): Promise<void> {
    const isWanted = () => this.#client === client && this.#givenUp !== client;
    const client: LanguageClient = new LanguageClient(
      'twospeed',
      'twospeed',
      { command, args: [...args, 'serve', '--stdio'] },
      {
        documentSelector: [{ scheme: 'file' }, { scheme: 'untitled' }],
        outputChannel: this.log,
        revealOutputChannelOn: RevealOutputChannelOn.Never, // what a person is to know is said
        errorHandler: {
          error: (...problem) => usual.error(...problem),
          closed: () => (isWanted() ? usual.closed() : { action: CloseAction.DoNotRestart, handled: true }),
        },
        initializationFailedHandler(error) {
          if (isWanted() && error instanceof Error) report(error);
          return false;
        },
        middleware: this.#middleware(() => client),
      },
    );
    const usual = client.createDefaultErrorHandler();
    client.registerFeature(announcement);
    this.#client = client;
    this.#parts = [
      ...this.listener.made(client),
      client.onDidChangeState(({ newState }) => {
        if (newState === State.Running) void this.#open(client, { isFirst: true });
        else this.listener.gone();
        if (newState === State.Stopped && isWanted()) this.listener.failed('the server has ended');
      }),
    ];
    try {
      await client.start();
    } catch (error) {
      this.listener.failed(wordsOf(error));
    }
  }

  async #open(client: LanguageClient, { isFirst }: { isFirst: boolean }): Promise<void> {
    const settings = serverSettings();
    try {
      if (!isFirst || Object.keys(settings).length > 0) {
        await client.sendNotification(DidChangeConfigurationNotification.type, { settings });
      }
      await this.listener.ready(client);
    } catch (error) {
      this.log.error(error instanceof Error ? error : String(error)); // it has ended already, which is told
    }
  }

  async #stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    try {
      if (client?.state === State.Starting) await client.start(); // which is when it can be stopped
      await client?.dispose();
    } catch (error) {
      this.log.warn(wordsOf(error));
    }
    for (const part of this.#parts.splice(0)) part.dispose();
  }

  #middleware(client: () => LanguageClient): Middleware {
    return {
      executeCommand: (command, args) => this.listener.runCommand(client(), command, args),
      didSave: async (document, next) => {
        if (this.listener.isSaveTold(document)) await next(document);
      },
      // Settings are told when there are any, and again when they change: what is pulled once would stay.
      workspace: { configuration: ({ items }) => items.map(() => null) },
    };
  }
}

const announcement: StaticFeature = {
  fillClientCapabilities(capabilities) {
    const others = capabilities.experimental as Record<string, unknown> | undefined;
    capabilities.experimental = { ...others, twospeed: clientFeatures };
  },
  initialize() {
    // Nothing depends on what the server answers.
  },
  getState: () => ({ kind: 'static' }),
  clear() {
    // Nothing is kept.
  },
};
