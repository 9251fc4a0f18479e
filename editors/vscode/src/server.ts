/** The server: how it is started, stopped and started again, and what it is told about this editor. */

import type { Disposable, LogOutputChannel } from 'vscode';
import {
  DidChangeConfigurationNotification,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type Middleware,
  type StaticFeature,
} from 'vscode-languageclient/node';

import { findProgram, offerInstallation } from './program';
import { clientFeatures } from './protocol';
import { serverSettings } from './settings';

/** Whoever wants to hear of the server. */
export interface ServerListener {
  /** Runs a command that the server named, with what is known here. */
  runCommand(client: LanguageClient, command: string, args: unknown[]): Promise<unknown>;
  /** A client was made, which is not started yet; what listens to it goes with it. */
  made(client: LanguageClient): Disposable[];
  /** The session is open, for the first time or after the server has ended. */
  ready(client: LanguageClient): Promise<void>;
  /** There is no session, for now or for good. */
  gone(): void;
  /** No server runs, and none is on its way. */
  failed(why: string): void;
}

export class Server implements Disposable {
  #client: LanguageClient | undefined;
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
    return this.#inTurn(async () => {
      await this.#stop();
      const program = await findProgram();
      if (program) await this.#start(program);
      else {
        this.listener.failed('the server is not installed');
        void offerInstallation();
      }
    });
  }

  /** Tells the server of settings that have changed. */
  async tellSettings(): Promise<void> {
    const settings = serverSettings();
    await this.client?.sendNotification(DidChangeConfigurationNotification.type, { settings });
  }

  /** One start or stop at a time. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work);
    return this.#work;
  }

  async #start([command = '', ...args]: string[]): Promise<void> {
    const client: LanguageClient = new LanguageClient(
      'twospeed',
      'twospeed',
      { command, args: [...args, 'serve', '--stdio'] },
      {
        documentSelector: [{ scheme: 'file' }, { scheme: 'untitled' }],
        outputChannel: this.log,
        revealOutputChannelOn: RevealOutputChannelOn.Never, // what a person is to know is said
        middleware: this.#middleware(() => client),
      },
    );
    client.registerFeature(announcement);
    this.#client = client;
    this.#parts = [
      ...this.listener.made(client),
      client.onDidChangeState(({ newState }) => {
        if (newState === State.Running) void this.#open(client);
        else this.listener.gone();
        if (newState === State.Stopped && this.#client === client)
          this.listener.failed('the server has ended');
      }),
    ];
    try {
      await client.start();
    } catch (error) {
      this.listener.failed(error instanceof Error ? error.message : String(error));
    }
  }

  async #open(client: LanguageClient): Promise<void> {
    try {
      if (Object.keys(serverSettings()).length > 0) await this.tellSettings();
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
      this.log.warn(error instanceof Error ? error.message : String(error));
    }
    for (const part of this.#parts.splice(0)) part.dispose();
  }

  #middleware(client: () => LanguageClient): Middleware {
    return {
      executeCommand: (command, args) => this.listener.runCommand(client(), command, args),
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
