/** JSON-RPC over a WebSocket to the port of this page: requests and notifications in both directions. */

const TOKEN_PROTOCOL = 'twospeed.token.';

export class RpcError extends Error {
  constructor(
    message: string,
    readonly code: number,
  ) {
    super(message);
  }
}

type Params = object | null;
/** The params are not validated: they come from twospeed's own server. */
type Handler = (params: never) => unknown;

interface Message {
  id?: number | string;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

/** Opens a WebSocket to this port with the token. */
export async function openSocket(path: string, token: string): Promise<WebSocket> {
  // The Content-Security-Policy allows this address only, even if the page was opened as localhost.
  const socket = new WebSocket(`ws://127.0.0.1:${location.port}${path}`, TOKEN_PROTOCOL + token);
  return new Promise((resolve, reject) => {
    socket.onopen = () => {
      resolve(socket);
    };
    socket.onclose = () => {
      reject(new Error('twospeed does not answer, or the token is wrong. Open the address that it printed.'));
    };
  });
}

/** The server at the other end of a WebSocket. */
export class Peer {
  readonly #waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  readonly #handlers = new Map<string, Handler>();
  #lastId = 0;

  /** `socket` is open; `onClose` is called once, when it closes. */
  constructor(
    readonly socket: WebSocket,
    onClose: () => void,
  ) {
    socket.onmessage = (event: MessageEvent<string>) => {
      this.#receive(JSON.parse(event.data) as Message);
    };
    socket.onclose = () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the connection is closed'));
      this.#waiting.clear();
      onClose();
    };
  }

  /** Registers the handler of a method. Its return value is the result of a request. */
  on(method: string, handler: Handler): void {
    this.#handlers.set(method, handler);
  }

  notify(method: string, params: Params): void {
    this.#send({ method, params });
  }

  /** Sends a request; `signal` cancels it. */
  request<R>(method: string, params: Params, signal?: AbortSignal): Promise<R> {
    const id = (this.#lastId += 1);
    signal?.addEventListener('abort', () => {
      if (this.#waiting.has(id)) this.notify('$/cancelRequest', { id });
    });
    return new Promise<R>((resolve, reject) => {
      if (this.socket.readyState !== WebSocket.OPEN) {
        reject(new Error('the connection is closed'));
        return;
      }
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  #send(message: object): void {
    if (this.socket.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
    }
  }

  #receive({ id, method, params, result, error }: Message): void {
    if (method !== undefined) {
      void this.#answer(id, method, params);
      return;
    }
    const waiting = this.#waiting.get(Number(id));
    this.#waiting.delete(Number(id));
    if (error) waiting?.reject(new RpcError(error.message, error.code));
    else waiting?.resolve(result as never);
  }

  async #answer(id: Message['id'], method: string, params: unknown): Promise<void> {
    const handler = this.#handlers.get(method);
    if (handler === undefined) {
      if (id !== undefined) this.#send({ id, error: { code: -32601, message: `no such method: ${method}` } });
      return;
    }
    try {
      const result = handler(params as never);
      // Without a promise there is no await: the result is sent before any later message.
      const settled = result instanceof Promise ? ((await result) as unknown) : result;
      if (id !== undefined) this.#send({ id, result: settled ?? null });
    } catch (error) {
      if (id === undefined) throw error;
      this.#send({ id, error: { code: -32603, message: String(error) } });
    }
  }
}
