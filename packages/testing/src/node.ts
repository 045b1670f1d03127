/** Asks a node for one answer. Rejects with the node's own message. */
export type AskNode = <Result>(method: string, params?: readonly unknown[]) => Promise<Result>;

/** The node answered with an error: it did nothing. `message`: the method and the node's own message. */
export class NodeRefusal extends Error {
  override readonly name = 'NodeRefusal';
}

/** A plain JSON-RPC port to the node at an HTTP address. Rejects with NodeRefusal, or as `fetch` does. */
export function nodeAt(url: string): AskNode {
  return async <Result>(method: string, params: readonly unknown[] = []) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const answer = (await response.json()) as { result: Result; error?: { message: string } };
    if (answer.error !== undefined) throw new NodeRefusal(`${method}: ${answer.error.message}`);
    return answer.result;
  };
}
