import type { RpcRequest } from '../rpc/endpoint.ts';
import {
  NodesDisagreeError,
  type NodeSaid,
  revertData,
  RpcAnswerError,
  RpcUnreachableError,
} from '../rpc/rpcErrors.ts';
import { isProvenHeader, NOTHING, voteOf } from './voteOf.ts';

/** What one node made of a request. A reverted call is an answer, too: all nodes revert it. */
export type Reply =
  | {
      readonly kind: 'ANSWER';
      readonly vote: string;
      readonly give: () => unknown;
      /** Whether it is a block's header with everything that its hash is computed from. */
      readonly isProven: boolean;
    }
  /** The node does not offer the method, does not have the block, or answers what cannot be read. */
  | { readonly kind: 'REFUSAL'; readonly error: RpcAnswerError }
  | { readonly kind: 'SILENCE' };

const METHOD_MISSING = -32_601;
/** A node's words in a log line are cut after so many characters. */
const LONGEST_SAYING = 120;

/** Asks a node and classifies what comes back. Never rejects. */
export async function replyOf(
  { method, params }: Parameters<RpcRequest>[0],
  asked: Promise<unknown>,
): Promise<Reply> {
  try {
    const answer = await asked;
    const vote = voteOf(method, answer, params);
    if (vote !== undefined)
      return { kind: 'ANSWER', vote, give: () => answer, isProven: isProvenHeader(method, answer) };
    const error = new RpcAnswerError(-32_603, 'The node sent something that cannot be read', undefined);
    return { kind: 'REFUSAL', error };
  } catch (error) {
    if (!(error instanceof RpcAnswerError)) return { kind: 'SILENCE' };
    const data = revertData(error);
    if (data === undefined) return { kind: 'REFUSAL', error };
    const vote = `reverted ${data}`.toLowerCase();
    const give = () => {
      throw error;
    };
    return { kind: 'ANSWER', vote, give, isProven: false };
  }
}

/** Each maker of nodes words it differently and has other codes: "header not found", "unknown block". */
function lacksBlock({ code, message }: RpcAnswerError): boolean {
  return code !== METHOD_MISSING && /block|header/i.test(message);
}

/** The replies of the nodes to one request. */
export type Ballot = {
  add(node: string, reply: Reply): void;
  /** The reply that `agreement` nodes gave, once there is one. */
  winner(): Extract<Reply, { kind: 'ANSWER' }> | undefined;
  /** How many more nodes have to say what most said so far. */
  missing(): number;
  /** The nodes that said something else than a vote. */
  against(vote: string): NodeSaid[];
  /** Whether nodes that have something contradict only nodes that have nothing: those may be a moment behind. */
  isOnlyLate(): boolean;
  /** Why there is no winner, after every node was asked. */
  failure(): Error;
};

/** Starts to count the replies to a request: `agreement` nodes must say the same. */
export function createBallot(method: string, agreement: number): Ballot {
  const replies: { readonly node: string; readonly reply: Reply }[] = [];

  const answers = () =>
    replies.flatMap(({ node, reply }) => (reply.kind === 'ANSWER' ? [{ node, ...reply }] : []));
  const countOf = (vote: string) => answers().filter((answer) => answer.vote === vote).length;
  const said = (): NodeSaid[] => answers().map(({ node, vote }) => nodeSaid(node, vote));

  return {
    add(node, reply) {
      replies.push({ node, reply });
    },
    winner() {
      const first = answers().find(({ vote }) => countOf(vote) >= agreement);
      // Members that are not compared matter to the hash alone: of equal headers, one whose hash fits is used.
      return answers().find(({ vote, isProven }) => isProven && vote === first?.vote) ?? first;
    },
    missing: () => agreement - Math.max(0, ...answers().map(({ vote }) => countOf(vote))),
    against: (vote) =>
      answers()
        .filter((answer) => answer.vote !== vote)
        .map((answer) => nodeSaid(answer.node, answer.vote)),
    isOnlyLate() {
      const distinct = new Set(answers().map(({ vote }) => vote));
      if (distinct.delete(NOTHING)) return distinct.size <= 1;
      return (
        distinct.size === 1 &&
        replies.some(({ reply }) => reply.kind === 'REFUSAL' && lacksBlock(reply.error))
      );
    },
    failure() {
      if (new Set(answers().map(({ vote }) => vote)).size > 1) return new NodesDisagreeError(method, said());
      const refusal = replies.map(({ reply }) => reply).find((reply) => reply.kind === 'REFUSAL');
      return refusal?.error ?? new RpcUnreachableError('too few of the configured nodes answered');
    },
  };
}

/** What a node said with a vote, short enough for a log line. */
export function nodeSaid(node: string, vote: string): NodeSaid {
  if (vote.length <= LONGEST_SAYING) return { node, said: vote };
  return { node, said: `${vote.slice(0, LONGEST_SAYING)}... (${vote.length} characters)` };
}
