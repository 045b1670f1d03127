// A chain in memory, as unkind as chains and nodes are: it loses, forgets, reorganises, and hides receipts.
import type { Random } from '@fairway/testing';
import type { Call, Fees, FoundTransaction, Hex, Inclusion, Look } from '../src/index.ts';

/** A transaction as its signed bytes say. */
export type Transaction = Fees &
  Pick<Call, 'to' | 'data' | 'valueWei'> & { readonly hash: Hex; readonly raw: Hex; readonly nonce: number };

type Block = {
  readonly number: number;
  readonly hash: Hex;
  readonly timestampMs: number;
  readonly transactions: readonly Transaction[];
};

export type Unkindness = {
  /** How many of a hundred. */
  readonly sendsLost: number;
  readonly repliesLost: number;
  readonly forgotten: number;
  readonly receiptsHidden: number;
};

/** Blocks that can still be replaced. */
export const DEPTH = 7;
export const BLOCK_MS = 12_000;

export type TestChain = ReturnType<typeof createTestChain>;

/** The blocks of a chain and what waits for them, kept as one node keeps them. */
function createBlocks(random: Random, unkindness: Unkindness) {
  const blocks: Block[] = [{ number: 0, hash: '0xb0', timestampMs: 0, transactions: [] }];
  let waiting: Transaction[] = [];
  let blocksMade = 0;
  const fee = { baseFeeWei: 100n };

  const head = () => blocks.at(-1) as Block;
  const chance = (percent: number) => random.integer(1, 100) <= percent;
  const mined = (upTo = head().number) =>
    blocks.filter(({ number }) => number <= upTo).flatMap(({ transactions }) => transactions);

  function mine(): void {
    const taken: Transaction[] = [];
    for (let nonce = mined().length; ; nonce += 1) {
      const next = waiting.find((each) => each.nonce === nonce && each.maxFeePerGasWei >= fee.baseFeeWei);
      if (next === undefined) break;
      taken.push(next);
    }
    waiting = waiting.filter((each) => !taken.includes(each));
    blocksMade += 1;
    const { number, timestampMs } = head();
    blocks.push({
      number: number + 1,
      hash: `0xb${blocksMade}`,
      timestampMs: timestampMs + BLOCK_MS,
      transactions: taken,
    });
  }

  return {
    ...{ blocks, fee, head, chance, mined, mine },
    finalNumber: () => Math.max(0, head().number - DEPTH),
    waitingCount: () => waiting.length,
    /** What nodes do with a transaction: the replacement of another one costs a tenth more. */
    take(transaction: Transaction): void {
      if (transaction.nonce < mined().length) throw new Error('nonce too low');
      const other = waiting.find(({ nonce }) => nonce === transaction.nonce);
      if (other?.hash === transaction.hash) throw new Error('already known');
      if (other !== undefined && transaction.maxFeePerGasWei * 10n < other.maxFeePerGasWei * 11n)
        throw new Error('replacement transaction underpriced');
      waiting = [...waiting.filter((each) => each !== other), transaction];
    },
    /** Another block takes the place of each of the last ones. Their transactions wait again, or are forgotten. */
    reorganise(depth: number): void {
      const most = Math.min(depth, DEPTH - 1, head().number - 1);
      const removed = most > 0 ? blocks.splice(-most) : [];
      for (const { transactions } of removed)
        waiting.push(...transactions.filter(() => !chance(unkindness.forgotten * 3)));
      for (const _ of removed) {
        const count = mined().length;
        waiting = waiting.filter(({ nonce }) => nonce >= count);
        mine();
      }
    },
    forget(which: () => boolean): void {
      waiting = waiting.filter(() => !which());
    },
  };
}

/** `reverts`: whether a call fails when it is executed. */
export function createTestChain(
  random: Random,
  unkindness: Unkindness,
  reverts: (transaction: Transaction) => boolean,
) {
  const chain = createBlocks(random, unkindness);
  const { blocks, fee, head, chance, mined, finalNumber, take } = chain;
  return {
    mine: chain.mine,
    reorganise: chain.reorganise,
    forget: (which = (): boolean => chance(unkindness.forgotten)) => chain.forget(which),
    set baseFee(wei: bigint) {
      fee.baseFeeWei = wei;
    },
    /** The judge: every transaction that the chain has. */
    transactions: () => mined(),
    /** What a naive sender asks for. */
    nonceAt: (tag: 'latest' | 'pending') => mined().length + (tag === 'pending' ? chain.waitingCount() : 0),
    async send(raw: Hex): Promise<void> {
      if (chance(unkindness.sendsLost)) throw new Error('timed out before it arrived');
      const isReplyLost = chance(unkindness.repliesLost);
      try {
        take(transactionOf(raw));
      } catch (error) {
        if (!isReplyLost) throw error;
      }
      if (isReplyLost) throw new Error('timed out');
    },
    look(hashes: readonly Hex[]): Look {
      const inclusions = new Map<Hex, Inclusion>();
      for (const { number, hash: blockHash, transactions } of blocks)
        for (const transaction of transactions)
          if (hashes.includes(transaction.hash) && !chance(unkindness.receiptsHidden))
            inclusions.set(transaction.hash, {
              hash: transaction.hash,
              blockNumber: number,
              blockHash,
              succeeded: !reverts(transaction),
            });
      const { number, hash, timestampMs } = head();
      return {
        head: { number, hash, timestampMs, baseFeePerGasWei: fee.baseFeeWei },
        balanceWei: 10n ** 18n,
        finalBlockNumber: finalNumber(),
        nonceLatest: mined(number).length,
        nonceFinal: mined(finalNumber()).length,
        inclusions,
        marketFees: { maxFeePerGasWei: fee.baseFeeWei * 2n + 2n, maxPriorityFeePerGasWei: 2n },
      };
    },
    find(nonce: number): FoundTransaction | undefined {
      for (const { number, transactions } of blocks) {
        const found = transactions.find((each) => each.nonce === nonce && number <= finalNumber());
        if (found === undefined) continue;
        const { hash, raw, to, data, valueWei, ...fees } = found;
        return { hash, raw, to, data, valueWei, fees, blockNumber: number };
      }
      return undefined;
    },
  };
}

/** Signs: here the bytes are the words themselves, and the hash is of them. */
export function signed(fields: Omit<Transaction, 'hash' | 'raw'>): { readonly hash: Hex; readonly raw: Hex } {
  const text = JSON.stringify(fields, (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  const raw: Hex = `0x${Buffer.from(text).toString('hex')}`;
  return { raw, hash: `0xh${raw.slice(2)}` };
}

function transactionOf(raw: Hex): Transaction {
  const fields = JSON.parse(Buffer.from(raw.slice(2), 'hex').toString(), (_, value: unknown) =>
    typeof value === 'string' && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  ) as Omit<Transaction, 'hash' | 'raw'>;
  return { ...fields, raw, hash: `0xh${raw.slice(2)}` };
}
