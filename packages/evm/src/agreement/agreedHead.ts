import { headerToHead } from '../rpc/head.ts';
import { NodesDisagreeError, RpcUnreachableError } from '../rpc/rpcErrors.ts';
import type { AskedNode } from './agreedRequest.ts';
import { voteOf } from './voteOf.ts';

/** How far below the latest blocks a common block is looked for: nodes rarely differ by more than a block or two. */
const DEPTH = 4n;
/** Nodes that have not named their latest block so long after enough others are not waited for. */
const GRACE_MS = 250;

type Latest = { readonly node: AskedNode; readonly number: bigint; readonly header: unknown };

/**
 * The newest block that `agreement` nodes hold, as its header. No block above the `agreement`-th highest latest block can be
 * held by so many, so that the search starts there: a node that invents a block far ahead only counts for blocks that the others have, too.
 * @throws (by rejection) NodesDisagreeError, RpcUnreachableError
 */
export async function agreedHead(nodes: readonly AskedNode[], agreement: number): Promise<unknown> {
  const latest = await latestOf(nodes, agreement);
  const highest = latest.map(({ number }) => number).toSorted((a, b) => (a < b ? 1 : -1))[agreement - 1];
  if (highest === undefined) throw new RpcUnreachableError('too few of the configured nodes answered');
  for (let number = highest; number >= 0n && number > highest - DEPTH; number--) {
    const winner = await heldByEnough(
      latest.map((each) => headerAt(each, number)),
      agreement,
    );
    if (winner !== undefined) return winner;
  }
  throw new NodesDisagreeError(
    'eth_getBlockByNumber',
    latest.map(({ node, header }) => ({
      node: node.name,
      said: voteOf('eth_getBlockByNumber', header) ?? '',
    })),
  );
}

/** The latest blocks of the nodes that name one, slow nodes left out where there are enough without them. */
function latestOf(nodes: readonly AskedNode[], agreement: number): Promise<readonly Latest[]> {
  const found: Latest[] = [];
  let open = nodes.length;
  return new Promise((resolve) => {
    for (const node of nodes) {
      const asked = node.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
      asked
        .then((header) => found.push({ node, number: headerToHead(header).number, header }))
        .catch(() => undefined)
        .finally(() => {
          open--;
          if (open === 0) resolve(found);
          else if (found.length === agreement) setTimeout(() => resolve([...found]), GRACE_MS);
        });
    }
  });
}

/** A node's header of a height: its latest, or one below; undefined where it has none. */
async function headerAt({ node, number: top, header }: Latest, number: bigint): Promise<unknown> {
  if (top === number) return header;
  if (top < number) return undefined;
  const params = [`0x${number.toString(16)}`, false];
  return node.request({ method: 'eth_getBlockByNumber', params }).catch(() => undefined);
}

/** The header that `agreement` nodes hold; the others are not waited for. Undefined: no header is held by so many. */
function heldByEnough(asked: readonly Promise<unknown>[], agreement: number): Promise<unknown> {
  const held: unknown[] = [];
  let open = asked.length;
  return new Promise((resolve) => {
    for (const each of asked)
      void each.then((header) => {
        held.push(header);
        open--;
        const winner = mostHeld(held);
        if (winner !== undefined && winner.count >= agreement) resolve(winner.header);
        else if (open === 0) resolve(undefined);
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
