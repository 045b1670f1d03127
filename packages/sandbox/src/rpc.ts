/** A JSON-RPC connection to one node over HTTP. */
export type Rpc = {
  /** Sends one request. Rejects with RpcError when the node refuses, with NodeUnreachable when it does not answer. */
  request<T>(method: string, params?: readonly unknown[]): Promise<T>;
  /** Sends many requests in one body; answers in their order. Rejects with the first refusal. */
  batch<T>(calls: readonly RpcCall[]): Promise<T[]>;
};

/** One call of a batch. */
export type RpcCall = { readonly method: string; readonly params: readonly unknown[] };

/** The node answered and refused; `message` is the node's own reason. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
}

/** The node did not answer: it is down, restarting, or too slow. */
export class NodeUnreachable extends Error {
  override readonly name = 'NodeUnreachable';
}

type Answer = { id: number; result?: unknown; error?: { message: string } };

/** The default timeout: long enough for the dump of a large chain. */
const LONGEST_ANSWER_MS = 30_000;

/**
 * Makes a connection to the node at `url`; nothing is sent before the first request. A node that takes longer
 * than `timeoutMs` for one answer counts as unreachable.
 */
export function createRpc(url: string, timeoutMs: number = LONGEST_ANSWER_MS): Rpc {
  const post = (body: unknown) => postWithin(timeoutMs, url, body);
  return {
    async request<T>(method: string, params: readonly unknown[] = []) {
      const answer = (await post({ jsonrpc: '2.0', id: 0, method, params })) as Answer;
      return resultOf(answer, method) as T;
    },
    async batch<T>(calls: readonly RpcCall[]) {
      if (calls.length === 0) return [];
      const body = calls.map((call, id) => ({
        jsonrpc: '2.0',
        id,
        method: call.method,
        params: call.params,
      }));
      const answers = (await post(body)) as Answer[];
      const byId = new Map(answers.map((answer) => [answer.id, answer]));
      return calls.map((call, id) => resultOf(byId.get(id), call.method) as T);
    },
  };
}

async function postWithin(timeoutMs: number, url: string, body: unknown): Promise<unknown> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return await response.json();
  } catch (cause) {
    throw new NodeUnreachable(`The sandbox chain at ${url} does not answer`, { cause });
  }
}

function resultOf(answer: Answer | undefined, method: string): unknown {
  if (answer === undefined) throw new RpcError(`${method}: the node gave no answer`);
  if (answer.error !== undefined) throw new RpcError(`${method}: ${answer.error.message}`);
  return answer.result;
}
