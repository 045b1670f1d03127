import type { Address, Pool } from '@fairway/engine';
import { encodeFunctionData, parseAbi } from 'viem';
import { createBatchRead, mapInBatches } from '../rpc/multicall.ts';
import { withinTimeout } from '../rpc/withinTimeout.ts';
import type { Head, TokenBehaviour } from '../types.ts';
import { type Holder, measureTransfers, type TransferProbe } from './measureTransfers.ts';
import { behaviourOf, type MeasuredTransfer } from './tokenBehaviour.ts';

const ABI = parseAbi(['function balanceOf(address owner) view returns (uint256)']);

/**
 * Pools whose transfers are measured for each token: those that hold most of it. The second number is for the pools
 * of a failed swap.
 */
const POOLS_PER_TOKEN = 2;
const POOLS_OF_A_SWAP = 6;
/** Tokens measured at the same time. */
const WIDTH = 8;

/** What tokens do with transfers, kept up to date. */
export type TokenWatch = {
  readonly behaviours: ReadonlyMap<Address, TokenBehaviour>;
  /** Measures all tokens of pools, as far as that is possible within the time. Never rejects. */
  begin(block: Head, pools: readonly Pool[], patienceMs: number): Promise<void>;
  /** Measures the token that was measured longest ago, those first that never were. Rejects as `request` does. */
  turn(block: Head, pools: readonly Pool[]): Promise<void>;
  /** Measures tokens at these pools, whose swap moved something else than was quoted. Rejects as `request` does. */
  examine(block: Head, pools: readonly Pool[]): Promise<void>;
};

/**
 * Makes a watch that knows nothing yet. `onChange` is called when a token stops moving the requested amounts, or
 * moves them again.
 */
export function createTokenWatch(
  probe: TransferProbe,
  onChange: (token: Address, behaviour: TokenBehaviour) => void,
): TokenWatch {
  const record = createRecord(probe, onChange);
  let examining: Promise<unknown> = Promise.resolve();
  let examined: { readonly hash: string; readonly keys: Set<string> } | undefined;

  async function examine(block: Head, pools: readonly Pool[]): Promise<void> {
    if (examined?.hash !== block.hash) examined = { hash: block.hash, keys: new Set() };
    const { keys } = examined;
    const unseen = [...poolsByToken(pools)].map(([token, own]) => {
      const fresh = own.filter(({ address }) => !keys.has(`${token} ${address}`));
      for (const { address } of fresh) keys.add(`${token} ${address}`);
      return [token, fresh] as const;
    });
    const asked = new Map(unseen.filter(([, own]) => own.length > 0));
    await mapInBatches([...(await holdersOf(probe, block, asked))], WIDTH, ([token, holders]) =>
      record.measure(block, token, most(holders, POOLS_OF_A_SWAP)),
    );
  }

  return {
    behaviours: record.behaviours,
    async begin(block, pools, patienceMs) {
      let isOver = false;
      // A failed measurement is tried again in the tokens' turns. Until then swaps are simulated all the same.
      const work = measureAll(probe, record, block, pools, () => isOver).catch(() => undefined);
      await (patienceMs === Infinity ? work : withinTimeout(patienceMs, work));
      isOver = true;
    },
    async turn(block, pools) {
      const byToken = poolsByToken(pools);
      const next =
        [...byToken.keys()].find((token) => !record.asked.has(token)) ??
        [...record.asked].find((token) => byToken.has(token));
      if (next === undefined) return;
      const holders = [
        ...(await holdersOf(probe, block, new Map([[next, byToken.get(next) ?? []]]))).values(),
      ];
      const known = record.behaviours.get(next);
      const suspects = holders.flat().filter(({ pool }) => known?.kind === 'TAXED' && pool === known.pool);
      await record.measure(block, next, [...new Set([...suspects, ...most(holders.flat())])]);
    },
    examine(block, pools) {
      const result = examining.then(() => examine(block, pools));
      examining = result.catch(() => undefined);
      return result;
    },
  };
}

/** What is known, and the tokens in the order in which they were asked about last. */
function createRecord(probe: TransferProbe, onChange: (token: Address, behaviour: TokenBehaviour) => void) {
  const behaviours = new Map<Address, TokenBehaviour>();
  const asked = new Set<Address>();
  return {
    behaviours,
    asked,
    /** Returns whether the node simulates. */
    async measure(block: Head, token: Address, holders: readonly Holder[]): Promise<boolean> {
      asked.delete(token);
      asked.add(token);
      const transfers = await measureTransfers(probe, block, token, holders);
      if (transfers === undefined) return false;
      const before = behaviours.get(token);
      const now = nowKnown(before, transfers);
      if (now === undefined || now.kind === before?.kind) return true;
      behaviours.set(token, now);
      // Until then it was traded as a token that moves the requested amounts.
      if (before !== undefined || now.kind !== 'PLAIN') onChange(token, now);
      return true;
    },
  };
}

/** Measures every token of pools. `isOver`: whether to begin nothing more. */
async function measureAll(
  probe: TransferProbe,
  { measure }: ReturnType<typeof createRecord>,
  block: Head,
  pools: readonly Pool[],
  isOver: () => boolean,
): Promise<void> {
  const waiting = [...(await holdersOf(probe, block, poolsByToken(pools)))];
  let simulates = true;
  while (simulates && !isOver() && waiting.length > 0) {
    const answers = await mapInBatches(waiting.splice(0, WIDTH), WIDTH, ([token, holders]) =>
      measure(block, token, most(holders)),
    );
    simulates = answers.some(Boolean);
  }
}

/**
 * What is known of a token after more transfers were measured. A token that has rounded once does so again. A taxed one trades again
 * only when the pool that showed the tax shows none.
 */
function nowKnown(
  before: TokenBehaviour | undefined,
  transfers: readonly MeasuredTransfer[],
): TokenBehaviour | undefined {
  const found = behaviourOf(transfers);
  if (found === undefined || found.kind === 'TAXED') return found ?? before;
  if (before?.kind === 'TAXED' && !transfers.some(({ pool }) => pool === before.pool)) return before;
  return before?.kind === 'SHARES' ? before : found;
}

function poolsByToken(pools: Iterable<Pool>): Map<Address, Pool[]> {
  const found = new Map<Address, Pool[]>();
  for (const pool of pools)
    for (const token of pool.tokens) {
      const own = found.get(token);
      if (own === undefined) found.set(token, [pool]);
      else own.push(pool);
    }
  return found;
}

async function holdersOf(
  { request, multicall3 }: TransferProbe,
  block: Head,
  byToken: ReadonlyMap<Address, readonly Pool[]>,
): Promise<Map<Address, readonly Holder[]>> {
  const places = [...byToken].flatMap(([token, pools]) => pools.map(({ address }) => ({ token, address })));
  const answers = await createBatchRead(
    request,
    multicall3,
    block.hash,
  )(
    places.map(({ token, address }) => ({
      target: token,
      callData: encodeFunctionData({ abi: ABI, functionName: 'balanceOf', args: [address] }),
    })),
  );
  let next = 0;
  return new Map(
    [...byToken].map(([token, pools]) => [
      token,
      pools.map(({ address: pool }) => {
        const answer = answers[next++];
        return { pool, balance: answer?.length === 66 ? BigInt(answer) : 0n };
      }),
    ]),
  );
}

function most(holders: readonly Holder[], count = POOLS_PER_TOKEN): Holder[] {
  return holders
    .toSorted((a, b) => (a.balance < b.balance ? 1 : a.balance > b.balance ? -1 : 0))
    .slice(0, count);
}
