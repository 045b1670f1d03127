import { type ChainRpc, createAgreedRpc, createChainRpc, type NodeRpc } from '@fairway/evm';
import type { Logger } from 'pino';
import { createTokens, type Tokens } from './tokens.ts';

/** A chain, and how its nodes are asked. The relayers of the chain share it. */
export type ChainConnection = {
  readonly chainId: number;
  readonly confirmations: number;
  readonly maxFeePerGasCapWei: bigint;
  /** All nodes as one: what it answers is believed. */
  readonly request: ChainRpc['request'];
  /** Each node by itself. */
  readonly nodes: readonly NodeRpc[];
  readonly tokens: Tokens;
  close(): void;
};

/** What a chain is connected with. */
export type ConnectOptions = Omit<ChainConnection, 'request' | 'nodes' | 'tokens' | 'close'> & {
  readonly nodeUrls: readonly string[];
  readonly log: Pick<Logger, 'warn'>;
};

const RPC_TIMEOUT_MS = 5_000;

/** Connects to the nodes of a chain. Nothing is asked yet. */
export function connectChain({ nodeUrls, log, ...chain }: ConnectOptions): ChainConnection {
  const nodes = nodeUrls.map((url, index) => ({
    name: `node ${index + 1}`,
    rpc: createChainRpc([url], RPC_TIMEOUT_MS),
  }));
  const rpc = createAgreedRpc({
    nodes,
    agreement: (nodes.length >> 1) + 1,
    onEvent: (event) => log.warn({ chainId: chain.chainId, ...event }, 'The nodes of the chain'),
  });
  const { request } = rpc;
  return { ...chain, nodes, request, tokens: createTokens(request), close: () => rpc.close() };
}

/** The errors of nodes that do not answer, or not alike. */
const AWAY: ReadonlySet<string> = new Set([
  ...['RpcAnswerError', 'RpcUnreachableError', 'RpcBusyError'],
  ...['TooFewNodesError', 'NodesDisagreeError', 'NodeNonsenseError'],
]);

/** Whether an error says that the nodes of a chain do not answer, or not alike. */
export function areNodesAway(error: unknown): boolean {
  return error instanceof Error && AWAY.has(error.name);
}
