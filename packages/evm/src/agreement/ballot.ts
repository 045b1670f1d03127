import { cutText } from '@fairway/values';
import { isProvenTransaction } from '../evidence/signedTransaction.ts';
import { gasText, withoutGas } from '../evidence/receiptGas.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { refusalOf } from '../rpc/refusal.ts';
import {
  AnswerTooLongError,
  NodeNonsenseError,
  NodesDisagreeError,
  type NodeSaid,
  revertData,
  RpcAnswerError,
  RpcBusyError,
  TooFewNodesError,
} from '../rpc/errors.ts';
import { isProvenHeader, NOTHING, voteOf } from './voteOf.ts';

/** What one node made of a request. A reverted call is an answer, too: all nodes revert it. */
export type Reply =
  | {
      readonly kind: 'ANSWER';
      readonly vote: string;
      readonly give: () => unknown;
      /** Whether it is a block's header, or a waiting transaction, with everything that its hash is computed from. */
      readonly isProven: boolean;
      /** What a receipt says of gas, and how the receipt is given without it. */
      readonly gas?: { readonly said: string; readonly giveWithout: () => unknown };
    }
  /** The node does not offer the method, or does not have the block. */
  | { readonly kind: 'REFUSAL'; readonly error: RpcAnswerError }
  /** The node answers what cannot be read. */
  | { readonly kind: 'NONSENSE' }
  /** The node gives no answer in time, or one that is too long to be read, or limits how often it is asked. */
  | { readonly kind: 'SILENCE'; readonly why: 'AWAY' | 'TOO_LONG' | 'BUSY' };

/** What a log line says of an answer that cannot be read. */
const UNREADABLE = 'an answer that cannot be read';
/** The longest part of a node's words in a log line, and how much of it may stand before the first difference. */
const LONGEST_SAYING = 120;
const LEADING = 40;

/** Asks a node and classifies what comes back. Never rejects. */
export async function replyOf(
  { method, params }: Parameters<RpcRequest>[0],
  asked: Promise<unknown>,
): Promise<Reply> {
  try {
    const answer = await asked;
    const vote = voteOf(method, answer, params);
    if (vote === undefined) return { kind: 'NONSENSE' };
    const isProven =
      isProvenHeader(method, answer) || (vote === NOTHING && isProvenTransaction(method, answer));
    const given = vote === NOTHING && !isProven ? withoutContent(answer) : answer;
    return { kind: 'ANSWER', vote, give: () => given, isProven, ...gasPart(method, given) };
  } catch (error) {
    if (!(error instanceof RpcAnswerError)) return { kind: 'SILENCE', why: silenceOf(error) };
    const data = revertData(error);
    if (data === undefined) return { kind: 'REFUSAL', error };
    const vote = `reverted ${data}`.toLowerCase();
    const give = () => {
      throw error;
    };
    return { kind: 'ANSWER', vote, give, isProven: false };
  }
}

function silenceOf(error: unknown): Extract<Reply, { kind: 'SILENCE' }>['why'] {
  if (error instanceof AnswerTooLongError) return 'TOO_LONG';
  return error instanceof RpcBusyError ? 'BUSY' : 'AWAY';
}

/**
 * The contents of a waiting transaction were not compared between nodes. Where its hash does not prove them, only the fact
 * that it waits is handed on.
 */
function withoutContent(answer: unknown): unknown {
  return answer === null ? null : { hash: (answer as { readonly hash: unknown }).hash, blockHash: null };
}

function gasPart(method: string, given: unknown): Pick<Extract<Reply, { kind: 'ANSWER' }>, 'gas'> {
  if (method !== 'eth_getTransactionReceipt' || given === null) return {};
  const receipt = given as Readonly<Record<string, unknown>>;
  return { gas: { said: gasText(receipt), giveWithout: () => withoutGas(receipt) } };
}

/** The replies of the nodes to one request. */
export type Ballot = {
  add(node: string, reply: Reply): void;
  /** The reply that `agreement` nodes gave, once there is one. */
  winner(): Extract<Reply, { kind: 'ANSWER' }> | undefined;
  /** How many more nodes have to say what most said so far. */
  missing(): number;
  /** The nodes that said something else than a vote, or what cannot be read. */
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
  const namesOf = (kind: Reply['kind']) =>
    replies.flatMap(({ node, reply }) => (reply.kind === kind ? [node] : []));
  const countOf = (vote: string) => answers().filter((answer) => answer.vote === vote).length;

  return {
    add(node, reply) {
      replies.push({ node, reply });
    },
    winner() {
      const first = answers().find(({ vote }) => countOf(vote) >= agreement);
      const alike = answers().filter(({ vote }) => vote === first?.vote);
      // Members that are not compared matter to the hash alone: of equal headers, one whose hash fits is used. A node that
      // has a transaction waiting knows more than one that does not have it.
      return alike.find(({ isProven }) => isProven) ?? withAgreedGas(alike, agreement) ?? first;
    },
    missing: () => agreement - Math.max(0, ...answers().map(({ vote }) => countOf(vote))),
    against: (vote) => [
      ...answers()
        .filter((answer) => answer.vote !== vote)
        .map(({ node, vote: other }) => ({ node, said: cutSaying(other, [vote]) })),
      ...namesOf('NONSENSE').map((node) => ({ node, said: UNREADABLE })),
    ],
    isOnlyLate() {
      const distinct = new Set(answers().map(({ vote }) => vote));
      if (distinct.delete(NOTHING)) return distinct.size <= 1;
      return (
        distinct.size === 1 &&
        replies.some(({ reply }) => reply.kind === 'REFUSAL' && refusalOf(reply.error) === 'BLOCK_UNKNOWN')
      );
    },
    failure() {
      if (new Set(answers().map(({ vote }) => vote)).size > 1)
        return new NodesDisagreeError(method, sayings(answers()));
      const silentBecause = (why: 'TOO_LONG' | 'BUSY') =>
        replies.flatMap(({ node, reply }) => (reply.kind === 'SILENCE' && reply.why === why ? [node] : []));
      if (silentBecause('TOO_LONG').length >= agreement) return new AnswerTooLongError();
      const refusal = replies.map(({ reply }) => reply).find((reply) => reply.kind === 'REFUSAL');
      const senseless = namesOf('NONSENSE');
      const silent = namesOf('SILENCE');
      // Where enough others refuse or are silent, nonsense of one node must not hide that.
      const isExplained = namesOf('REFUSAL').length + silent.length >= agreement;
      if (senseless.length > 0 && !isExplained)
        return new NodeNonsenseError(
          `What these nodes answered to ${method} cannot be read: ${senseless.join(', ')}`,
        );
      const busy = silentBecause('BUSY');
      const away = silent.filter((name) => !busy.includes(name));
      return refusal?.error ?? new TooFewNodesError(agreement, away, busy);
    },
  };
}

/**
 * Finds among answers with one vote one whose gas enough of them say. When they differ, it gives one without gas.
 * Undefined where they are no receipts.
 */
function withAgreedGas<Answer extends Extract<Reply, { kind: 'ANSWER' }>>(
  alike: readonly Answer[],
  agreement: number,
): Answer | undefined {
  const countOf = (said: string) => alike.filter(({ gas }) => gas?.said === said).length;
  const [first] = alike;
  if (first?.gas === undefined) return undefined;
  const agreed = alike.find(({ gas }) => gas !== undefined && countOf(gas.said) >= agreement);
  return agreed ?? { ...first, give: first.gas.giveWithout };
}

/** The votes of nodes, each short enough for a log line and cut so that their difference shows. */
export function sayings(votes: readonly { readonly node: string; readonly vote: string }[]): NodeSaid[] {
  const distinct = [...new Set(votes.map(({ vote }) => vote))];
  return votes.map(({ node, vote }) => ({ node, said: cutSaying(vote, distinct) }));
}

/** A vote as it is. A long vote is cut to the part where it differs from the most similar other one. */
function cutSaying(vote: string, others: readonly string[]): string {
  if (vote.length <= LONGEST_SAYING) return vote;
  const shared = Math.max(
    0,
    ...others.filter((other) => other !== vote).map((other) => sharedLength(vote, other)),
  );
  const start = Math.min(Math.max(0, shared - LEADING), vote.length - LONGEST_SAYING);
  const end = start + LONGEST_SAYING;
  const place = start === 0 ? '' : `from character ${start + 1} of `;
  return `${start === 0 ? '' : '...'}${cutText(vote.slice(start), LONGEST_SAYING)}${end < vote.length ? '...' : ''} (${place}${vote.length} characters)`;
}

/** How many characters two texts have in common at their beginnings. */
function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
