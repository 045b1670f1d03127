import type { RpcRequest } from '../rpc/endpoint.ts';
import { type NodeSaid, NodesDisagreeError } from '../rpc/errors.ts';
import type { AskedNode, AskingOrder } from './askingOrder.ts';
import { createBallot, type Reply, replyOf } from './ballot.ts';
import { NOTHING } from './voteOf.ts';

/** What the operator is told of the nodes. `said` holds short texts without URLs. */
export type NodesEvent =
  /** A node said something else than the nodes that agreed. */
  | { readonly type: 'NODE_OUTVOTED'; readonly method: string; readonly said: NodeSaid }
  /** Too few nodes said the same, so the answer was not used. */
  | { readonly type: 'NODES_DISAGREE'; readonly method: string; readonly said: readonly NodeSaid[] }
  /** A node gave no answer. Enough others may have given one. */
  | { readonly type: 'NODE_FAILED'; readonly method: string; readonly node: string; readonly detail: string };

/** Another node is asked as well when the nodes asked first take longer than this. */
const HEDGE_AFTER_MS = 500;
/** The same for requests that can wait: each may wait for its turn at a node that limits how often it is asked. */
const BACKGROUND_HEDGE_AFTER_MS = 15_000;
/** Pauses before nodes that may be a moment behind are asked again. */
const LATE_PAUSES_MS = [150, 350, 700];

/**
 * A request that is answered only with what `agreement` nodes said alike. This many nodes are asked at first, and the
 * others when those do not agree or are slow.
 * @throws (by rejection) NodesDisagreeError when nodes contradict each other; RpcAnswerError when nodes refuse;
 * NodeNonsenseError when answers cannot be read; TooFewNodesError when too few answer.
 */
export function agreedRequest(
  order: AskingOrder,
  agreement: number,
  onEvent: (event: NodesEvent) => void,
): RpcRequest {
  return async (call) => {
    const { method } = call;
    for (const pauseMs of [...LATE_PAUSES_MS, undefined]) {
      const ballot = createBallot(method, agreement);
      const collected = await collectVotes(order.nodes(), call, ballot);
      for (const name of collected.silent) order.distrust(name);
      const winner = ballot.winner();
      if (winner !== undefined) {
        for (const said of ballot.against(winner.vote)) {
          order.distrust(said.node);
          if (said.said !== NOTHING) onEvent({ type: 'NODE_OUTVOTED', method, said });
        }
        return winner.give();
      }
      if (pauseMs !== undefined && ballot.isOnlyLate()) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        continue;
      }
      const failure = ballot.failure();
      if (failure instanceof NodesDisagreeError)
        onEvent({ type: 'NODES_DISAGREE', method, said: failure.said });
      throw failure;
    }
    throw new Error('The last attempt either answers or throws');
  };
}

/**
 * Asks nodes until the ballot has a winner or every node has replied. Resolves to the names of nodes without a reply in
 * time.
 */
function collectVotes(
  order: readonly AskedNode[],
  call: Parameters<RpcRequest>[0],
  ballot: ReturnType<typeof createBallot>,
): Promise<{ readonly silent: readonly string[] }> {
  return new Promise((resolve) => {
    const waiting = new Set<string>();
    const silent: string[] = [];
    let asked = 0;

    function askNext(): void {
      const node = order[asked++];
      if (node === undefined) return;
      waiting.add(node.name);
      void replyOf(call, node.request(call)).then((reply) => take(node.name, reply));
    }

    function take(name: string, reply: Reply): void {
      waiting.delete(name);
      if (reply.kind === 'SILENCE') silent.push(name);
      ballot.add(name, reply);
      proceed();
    }

    function proceed(): void {
      while (ballot.winner() === undefined && waiting.size < ballot.missing() && asked < order.length)
        askNext();
      if (ballot.winner() === undefined && waiting.size > 0) return;
      clearTimeout(hedge);
      resolve({ silent });
    }

    const hedge = setTimeout(
      () => {
        silent.push(...waiting);
        while (asked < order.length) askNext();
      },
      call.isBackground === true ? BACKGROUND_HEDGE_AFTER_MS : HEDGE_AFTER_MS,
    );
    proceed();
  });
}
