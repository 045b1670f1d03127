import { type ChainRpc } from '../rpc/chainRpc.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { NodesDisagreeError, RpcUnreachableError } from '../rpc/errors.ts';
import { createHeadSearch } from './agreedHead.ts';
import { agreedRequest, type NodesEvent } from './agreedRequest.ts';
import { type AskedNode, createAskingOrder } from './askingOrder.ts';
import { agreedFeeHistory } from './agreedFeeHistory.ts';
import { inLowerCase } from './inLowerCase.ts';
import { provenReceipts } from './provenReceipts.ts';
import { subscribeToAll } from './pushedHeads.ts';

/** One node of a chain, whose URLs are all of the same provider. `name` is the operator's and appears in logs. */
export type NodeRpc = { readonly name: string; readonly rpc: ChainRpc };

/** How many nodes gave the answer that is used, and how many nodes are configured. */
export type Trust = { readonly agreed: number; readonly of: number };

/** The nodes to ask, and how many of them must say the same. */
export type AgreementOptions = {
  readonly nodes: readonly NodeRpc[];
  readonly agreement: number;
  readonly onEvent: (event: NodesEvent) => void;
};

/** Methods that are asked at "latest", too. Their second parameter is the block at which state is read. */
const ASKED_AT_LATEST: ReadonlySet<string> = new Set(['eth_call', 'eth_getCode']);

/**
 * Nodes as one: everything that is believed of a chain goes through this port. An answer is given only when
 * `agreement` nodes say the same, an answer to "latest" only about the newest block that `agreement` nodes hold. An
 * answer that proves itself, such as a block's receipts, may come from any node. From several fee histories, one in
 * the middle is given. A single node is asked as it is.
 *
 * @example
 * ```ts
 * import { createAgreedRpc, createChainRpc } from '@fairway/evm';
 *
 * const node = (name: string, url: string) => ({ name, rpc: createChainRpc([url], 5000) });
 * const rpc = createAgreedRpc({
 *   nodes: [node('own', '/run/geth.ipc'), node('second', 'https://node.example'), node('third', 'https://rpc.example')],
 *   agreement: 2,
 *   onEvent: (event) => console.warn(event.type, event.method),
 * });
 * const head = await rpc.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
 * rpc.close();
 * ```
 */
export function createAgreedRpc({ nodes, agreement, onEvent }: AgreementOptions): ChainRpc {
  const [only, ...others] = nodes;
  if (only !== undefined && others.length === 0) return only.rpc;
  let isClosed = false;
  const asked = nodes.map(
    ({ name, rpc }): AskedNode => ({
      name,
      async request(call) {
        try {
          return inLowerCase(await rpc.request(call));
        } catch (error) {
          if (error instanceof RpcUnreachableError && !isClosed)
            onEvent({ type: 'NODE_FAILED', method: call.method, node: name, detail: error.message });
          throw error;
        }
      },
    }),
  );
  const order = createAskingOrder(asked);
  const ask = agreedRequest(order, agreement, onEvent);
  const searchHead = createHeadSearch(asked, agreement);

  async function head(): Promise<unknown> {
    try {
      return await searchHead();
    } catch (error) {
      if (error instanceof NodesDisagreeError)
        onEvent({ type: 'NODES_DISAGREE', method: error.method, said: error.said });
      throw error;
    }
  }

  async function receipts(call: Parameters<RpcRequest>[0]): Promise<unknown> {
    const { method, params: [blockHash] = [] } = call;
    const askForHeader = () => ask({ ...call, method: 'eth_getBlockByHash', params: [blockHash, false] });
    const proven = await provenReceipts(order, call, askForHeader, (said) =>
      onEvent({ type: 'NODE_OUTVOTED', method, said }),
    );
    return proven ?? ask(call);
  }

  const request: RpcRequest = async (call) => {
    const { method, params = [] } = call;
    if (method === 'eth_getBlockReceipts') return receipts(call);
    if (method === 'eth_feeHistory') return agreedFeeHistory(asked, agreement, call);
    if (method === 'eth_getBlockByNumber' && params[0] === 'latest') return head();
    if (!ASKED_AT_LATEST.has(method) || params[1] !== 'latest') return ask(call);
    // Nodes are never at the same block for long, so that "latest" has to mean one block.
    const { hash } = (await head()) as { readonly hash: string };
    return ask({ ...call, params: params.with(1, { blockHash: hash }) });
  };

  return {
    request,
    subscribeHeads: (onHead) => subscribeToAll(nodes, head, onHead),
    close() {
      isClosed = true;
      for (const { rpc } of nodes) rpc.close();
    },
  };
}
