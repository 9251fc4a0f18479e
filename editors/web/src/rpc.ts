/** JSON-RPC over a WebSocket of this page's own port: requests and notifications, both ways. */

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
/** Takes params of the shape its method has; nobody checks, since they come from our own server. */
type Handler = (params: never) => unknown;

interface Message {
  id?: number | string;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

/** Opens a WebSocket on this port, for whoever has the token. */
export async function openLine(path: string, token: string): Promise<WebSocket> {
  // The page may only speak to this very address, whatever name it was opened by.
  const line = new WebSocket(`ws://127.0.0.1:${location.port}${path}`, TOKEN_PROTOCOL + token);
  return new Promise((resolve, reject) => {
    line.onopen = () => {
      resolve(line);
    };
    line.onclose = () => {
      reject(new Error('twospeed does not answer, or the address has another token'));
    };
  });
}

/** The other end of a line. */
export class Peer {
  readonly #waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  readonly #handlers = new Map<string, Handler>();
  #lastId = 0;

  /** `line` is open; `onClose` is called once, when it is not any more. */
  constructor(
    readonly line: WebSocket,
    onClose: () => void,
  ) {
    line.onmessage = (event: MessageEvent<string>) => {
      this.#receive(JSON.parse(event.data) as Message);
    };
    line.onclose = () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the connection is closed'));
      this.#waiting.clear();
      onClose();
    };
  }

  /** Calls `handler` for a method; a request is answered with what it returns. */
  on(method: string, handler: Handler): void {
    this.#handlers.set(method, handler);
  }

  notify(method: string, params: Params): void {
    this.#send({ method, params });
  }

  request<R>(method: string, params: Params): Promise<R> {
    const id = (this.#lastId += 1);
    return new Promise<R>((resolve, reject) => {
      if (this.line.readyState !== WebSocket.OPEN) {
        reject(new Error('the connection is closed'));
        return;
      }
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  #send(message: object): void {
    if (this.line.readyState === WebSocket.OPEN) {
      this.line.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
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
      // An answer that is there at once goes out before anything that happens later.
      const settled = result instanceof Promise ? ((await result) as unknown) : result;
      if (id !== undefined) this.#send({ id, result: settled ?? null });
    } catch (error) {
      if (id === undefined) throw error;
      this.#send({ id, error: { code: -32603, message: String(error) } });
    }
  }
}
