import { type ChainRpc, createAgreedRpc, createChainRpc, type NodesEvent } from '@fairway/evm';
import type { ChainConfig } from '../config/file.ts';

/**
 * Connects to the nodes of a chain, which answer as one from then on. `timeoutMs` bounds one answer of one URL.
 * `onEvent` is told which node contradicted the others.
 */
export function connectNodes(
  { nodes, agreement }: Pick<ChainConfig, 'nodes' | 'agreement'>,
  timeoutMs: number,
  onEvent: (event: NodesEvent) => void,
): ChainRpc {
  const connected = nodes.map(({ name, urls }) => ({ name, rpc: createChainRpc(urls, timeoutMs) }));
  return createAgreedRpc({ nodes: connected, agreement, onEvent });
}
