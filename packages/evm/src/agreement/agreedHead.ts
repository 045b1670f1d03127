import { headerToHead } from '../rpc/head.ts';
import { NodesDisagreeError, RpcBusyError, TooFewNodesError } from '../rpc/errors.ts';
import type { AskedNode } from './askingOrder.ts';
import { sayings } from './ballot.ts';
import { voteOf } from './voteOf.ts';

/** How far below the latest blocks a common block is looked for: nodes rarely differ by more than a block or two. */
const DEPTH = 4n;
/**
 * How long the search waits for single nodes. At first it waits a moment for those that are far slower than others.
 * It waits longer when what the others hold is old, or when they do not agree. A node that lies must not be the only
 * one with time to speak.
 */
const GRACE_MS = 250;
const PATIENCE_MS = 2_000;

/** Below every block. */
const NO_BLOCK = -1n;

type Latest = { readonly node: AskedNode; readonly number: bigint; readonly header: unknown };

/** Finds the newest block that `agreement` nodes hold, as its header. */
export type HeadSearch = () => Promise<unknown>;

/**
 * Prepares the search for the newest block that `agreement` nodes hold. No block above the `agreement`-th highest
 * latest block can be held by so many nodes, so a search starts there. A node that invents a block far ahead counts
 * only for blocks that the others have, too. A slow node is left out only where the result is not below what
 * `agreement` nodes named last. Otherwise a node that names an old block could choose it: a quick honest node has
 * this block, too.
 * @throws (by rejection) NodesDisagreeError, TooFewNodesError
 */
export function createHeadSearch(nodes: readonly AskedNode[], agreement: number): HeadSearch {
  /** The height that each node named last; NO_BLOCK for one that has only failed. */
  const heights = new Map<string, bigint>();

  /** The nodes that limited how often they are asked, when they were asked last. */
  const busy = new Set<string>();

  async function ask(node: AskedNode): Promise<Latest | undefined> {
    busy.delete(node.name);
    const latest = await latestOf(node, () => busy.add(node.name));
    if (latest !== undefined || !heights.has(node.name)) heights.set(node.name, latest?.number ?? NO_BLOCK);
    return latest;
  }

  function isOld(header: unknown): boolean {
    const least = nthHighest([...heights.values()], agreement) ?? NO_BLOCK;
    return heights.size < nodes.length || headerToHead(header).number < least;
  }

  return async () => {
    const asked = nodes.map(ask);
    const quick = await namedBy(asked, agreement, GRACE_MS);
    const found = await newestHeld(quick, agreement, GRACE_MS);
    if (found !== undefined && (quick.length === nodes.length || !isOld(found))) return found;
    const all =
      found === undefined
        ? (await Promise.all(asked)).filter((each) => each !== undefined)
        : await namedBy(asked, agreement, PATIENCE_MS);
    return heldByAll(nodes, all, agreement, busy);
  };
}

/** The newest header that `agreement` nodes hold, after each node had its time to name its latest block. */
async function heldByAll(
  nodes: readonly AskedNode[],
  all: readonly Latest[],
  agreement: number,
  busy: ReadonlySet<string>,
): Promise<unknown> {
  if (all.length < agreement) {
    const answering = new Set(all.map(({ node }) => node));
    const silent = nodes.filter((node) => !answering.has(node)).map(({ name }) => name);
    const [limiting, away] = [
      silent.filter((name) => busy.has(name)),
      silent.filter((name) => !busy.has(name)),
    ];
    throw new TooFewNodesError(agreement, away, limiting);
  }
  const held = await newestHeld(all, agreement, PATIENCE_MS);
  if (held !== undefined) return held;
  const said = all.map(({ node, header }) => ({
    node: node.name,
    vote: voteOf('eth_getBlockByNumber', header) ?? '',
  }));
  throw new NodesDisagreeError('eth_getBlockByNumber', sayings(said));
}

/** The newest header that `agreement` of these nodes hold; undefined when there is none near their latest blocks. */
async function newestHeld(latest: readonly Latest[], agreement: number, waitMs: number): Promise<unknown> {
  const highest = nthHighest(
    latest.map(({ number }) => number),
    agreement,
  );
  if (highest === undefined) return undefined;
  for (let number = highest; number >= 0n && number > highest - DEPTH; number--) {
    const asked = latest.map((each) => headerAt(each, number));
    const winner = await heldByEnough(asked, agreement, waitMs);
    if (winner !== undefined) return winner;
  }
  return undefined;
}

function nthHighest(heights: readonly bigint[], nth: number): bigint | undefined {
  return heights.toSorted((a, b) => (a < b ? 1 : -1))[nth - 1];
}

/** A node's latest block; undefined when it names none. `onBusy`: called when it limits how often it is asked. */
async function latestOf(node: AskedNode, onBusy: () => void): Promise<Latest | undefined> {
  try {
    const header = await node.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
    return { node, number: headerToHead(header).number, header };
  } catch (error) {
    if (error instanceof RpcBusyError) onBusy();
    return undefined;
  }
}

/** What the nodes named, those left out that take `waitMs` longer than the first `agreement` nodes. */
function namedBy(
  asked: readonly Promise<Latest | undefined>[],
  agreement: number,
  waitMs: number,
): Promise<readonly Latest[]> {
  const found: Latest[] = [];
  let open = asked.length;
  return new Promise((resolve) => {
    for (const each of asked)
      void each.then((latest) => {
        if (latest !== undefined) found.push(latest);
        open--;
        if (open === 0) resolve(found);
        else if (found.length === agreement) setTimeout(() => resolve([...found]), waitMs);
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
  // Members that are not compared matter only to the hash. Among equal headers, one whose hash fits is used.
  const proven = most?.find(({ header }) => headerToHead(header).commitments !== undefined) ?? most?.[0];
  return most && proven && { header: proven.header, count: most.length };
}
