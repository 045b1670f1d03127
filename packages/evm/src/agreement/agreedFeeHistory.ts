import type { RpcRequest } from '../rpc/endpoint.ts';
import { priorityFeeOf } from '../rpc/feeHistory.ts';
import { TooFewNodesError } from '../rpc/errors.ts';
import type { AskedNode } from './askingOrder.ts';

/**
 * A fee history that no liar chose. Nodes are at different blocks and differ in how they take percentiles, so equal
 * answers cannot be asked for. From all readable answers the one with the median priority fee is given. When too few
 * nodes answer, a lower one is given. While fewer than `agreement` nodes lie, an honest node says as much or more.
 */
export async function agreedFeeHistory(
  nodes: readonly AskedNode[],
  agreement: number,
  call: Parameters<RpcRequest>[0],
): Promise<unknown> {
  const replies = await Promise.allSettled(
    nodes.map(async ({ request }) => {
      const history = await request(call);
      return { history, fee: priorityFeeOf(history) };
    }),
  );
  const said = replies.flatMap((reply) => (reply.status === 'fulfilled' ? [reply.value] : []));
  said.sort((a, b) => (a.fee < b.fee ? -1 : a.fee > b.fee ? 1 : 0));
  const chosen = said[Math.min((said.length - 1) >> 1, said.length - agreement)];
  if (chosen !== undefined) return chosen.history;
  const silent = nodes.filter((_, index) => replies[index]?.status === 'rejected').map(({ name }) => name);
  throw new TooFewNodesError(agreement, silent);
}
