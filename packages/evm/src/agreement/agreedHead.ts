import { headerToHead } from '../rpc/head.ts';
import { NodesDisagreeError, TooFewNodesError } from '../rpc/rpcErrors.ts';
import type { AskedNode } from './askingOrder.ts';
import { sayings } from './ballot.ts';
import { voteOf } from './voteOf.ts';

/** How far below the latest blocks a common block is looked for: nodes rarely differ by more than a block or two. */
const DEPTH = 4n;
/**
 * How long the search does not wait for single nodes: first for those that are far slower than others, then, when the
 * others do not agree, for those that do not answer. A node that lies must not be the only one with time to speak.
 */
const GRACE_MS = 250;
const PATIENCE_MS = 2_000;

type Latest = { readonly node: AskedNode; readonly number: bigint; readonly header: unknown };

/**
 * The newest block that `agreement` nodes hold, as its header. No block above the `agreement`-th highest latest block
 * can be held by so many, so that the search starts there: a node that invents a block far ahead only counts for blocks
 * that the others have, too.
 * @throws (by rejection) NodesDisagreeError, TooFewNodesError
 */
export async function agreedHead(nodes: readonly AskedNode[], agreement: number): Promise<unknown> {
  const asked = nodes.map(latestOf);
  const quick = await quickOf(asked, agreement);
  const found = await newestHeld(quick, agreement, GRACE_MS);
  if (found !== undefined) return found;
  const all = (await Promise.all(asked)).filter((each) => each !== undefined);
  if (all.length < agreement) {
    const answering = new Set(all.map(({ node }) => node));
    const silent = nodes.filter((node) => !answering.has(node)).map(({ name }) => name);
    throw new TooFewNodesError(agreement, silent);
  }
  const late = await newestHeld(all, agreement, PATIENCE_MS);
  if (late !== undefined) return late;
  throw new NodesDisagreeError(
    'eth_getBlockByNumber',
    sayings(
      all.map(({ node, header }) => ({
        node: node.name,
        vote: voteOf('eth_getBlockByNumber', header) ?? '',
      })),
    ),
  );
}

/** The newest header that `agreement` of these nodes hold; undefined when there is none near their latest blocks. */
async function newestHeld(latest: readonly Latest[], agreement: number, waitMs: number): Promise<unknown> {
  const highest = latest.map(({ number }) => number).toSorted((a, b) => (a < b ? 1 : -1))[agreement - 1];
  if (highest === undefined) return undefined;
  for (let number = highest; number >= 0n && number > highest - DEPTH; number--) {
    const asked = latest.map((each) => headerAt(each, number));
    const winner = await heldByEnough(asked, agreement, waitMs);
    if (winner !== undefined) return winner;
  }
  return undefined;
}

/** A node's latest block; undefined when it names none. */
async function latestOf(node: AskedNode): Promise<Latest | undefined> {
  try {
    const header = await node.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
    return { node, number: headerToHead(header).number, header };
  } catch {
    return undefined;
  }
}

/** What the nodes named, slow nodes left out where there are enough without them. */
function quickOf(
  asked: readonly Promise<Latest | undefined>[],
  agreement: number,
): Promise<readonly Latest[]> {
  const found: Latest[] = [];
  let open = asked.length;
  return new Promise((resolve) => {
    for (const each of asked)
      void each.then((latest) => {
        if (latest !== undefined) found.push(latest);
        open--;
        if (open === 0) resolve(found);
        else if (found.length === agreement) setTimeout(() => resolve([...found]), GRACE_MS);
      });
  });
}

/** A node's header of a height: its latest, or one below; undefined where it has none that can be read. */
async function headerAt({ node, number: top, header }: Latest, number: bigint): Promise<unknown> {
  if (top === number) return header;
  if (top < number) return undefined;
  const params = [`0x${number.toString(16)}`, false];
  try {
    const answer = await node.request({ method: 'eth_getBlockByNumber', params });
    return headerToHead(answer).number === number ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** The header that `agreement` nodes hold; the others are not waited for. Undefined: none was held by so many in time. */
function heldByEnough(
  asked: readonly Promise<unknown>[],
  agreement: number,
  waitMs: number,
): Promise<unknown> {
  const held: unknown[] = [];
  let open = asked.length;
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(undefined), waitMs);
    function settle(header: unknown): void {
      clearTimeout(late);
      resolve(header);
    }
    for (const each of asked)
      void each.then((header) => {
        held.push(header);
        open--;
        const winner = mostHeld(held);
        if (winner !== undefined && winner.count >= agreement) settle(winner.header);
        else if (open === 0) settle(undefined);
      });
  });
}

function mostHeld(
  headers: readonly unknown[],
): { readonly header: unknown; readonly count: number } | undefined {
  const votes = headers.flatMap((header) => {
    const vote = header === undefined || header === null ? undefined : voteOf('eth_getBlockByNumber', header);
    return vote === undefined ? [] : [{ vote, header }];
  });
  const counted = votes.map(({ vote }) => votes.filter((other) => other.vote === vote));
  const most = counted.toSorted((a, b) => b.length - a.length)[0];
  // Members that are not compared matter to the hash alone: of equal headers, one whose hash fits is used.
  const proven = most?.find(({ header }) => headerToHead(header).commitments !== undefined) ?? most?.[0];
  return most && proven && { header: proven.header, count: most.length };
}
