// What is on the real chain: transfers to the addresses of plans and from them, executed swaps, and payments to wallets.
import type { TestChain } from '@fairway/testing';
import type { RefBlock, RefTransfer } from '../referenceLedger.ts';
import type { Kept, Sent } from './keptTypes.ts';
import { SETTLEMENT, targetOf } from './corridors.ts';
import type { Ground } from './ground.ts';

const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** A batch of swaps sends one unit to this address between two swaps, so that the logs show what each swap brought. */
export const MARK = '0x3a2c000000000000000000000000000000000003';
/** The text between the hash of a transaction and the position of a swap in it. */
export const SENT_BY = ' swap ';

type Log = {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly logIndex: string;
};

/** For each chain the first block that a transaction was seen in. */
const seen = new WeakMap<object, Map<string, number>>();

/** The first blocks of transactions, as far as the services know of them. */
export function firstBlocksOf(chain: TestChain): ReadonlyMap<string, number> {
  return seen.get(chain) ?? new Map<string, number>();
}

/** Forgets the blocks that a restored database does not know: a transaction that is mined again is new to it. */
export function forgetBlocks(chain: TestChain, known: ReadonlyMap<string, number>): void {
  seen.set(chain, new Map(known));
}

/** The blocks with all deposits and executions of plans, as the chain is now. */
export async function chainNow(
  { chain, token }: Ground,
  kept: readonly Kept[],
  fromBlock: number,
): Promise<RefBlock[]> {
  const to = kept.map(({ address }) => address);
  const logs = to.length === 0 ? [] : await transferLogs(chain, fromBlock, [null, to.map(topicOf)]);
  const firstBlocks = new Map(firstBlocksOf(chain));
  seen.set(chain, firstBlocks);
  const blocks = new Map<
    number,
    { hash: string; transfers: RefTransfer[]; executions: RefBlock['executions'][number][] }
  >();
  const blockOf = ({ blockNumber, blockHash: hash }: Log) => {
    const number = Number(blockNumber);
    const block = blocks.get(number) ?? { hash, transfers: [], executions: [] };
    blocks.set(number, block);
    return block;
  };
  for (const log of logs) {
    const { transactionHash: tx } = log;
    const [number, transfer] = [Number(log.blockNumber), transferOf(log)];
    // Transfers to an address from before its first plan are not read. So such a transfer is new when it is mined
    // again.
    const isRead = kept.some(({ address, from }) => address === transfer.to && from <= number);
    if (isRead && !firstBlocks.has(tx)) firstBlocks.set(tx, number);
    blockOf(log).transfers.push({ ...transfer, since: firstBlocks.get(tx) ?? number });
  }
  for (const { sent, plan, way } of kept) {
    const target = token(targetOf(way)).toLowerCase();
    for (const [name, attempt] of sent) {
      const [tx = '', place = '0'] = name.split(SENT_BY);
      const receipt = await chain.rpc<{ logs: Log[] } | null>('eth_getTransactionReceipt', [tx]);
      const arrivals = swapAt(receipt?.logs ?? [], Number(place)).filter(
        (log) => transferIn(log).token === target && transferIn(log).to === SETTLEMENT,
      );
      const [first] = arrivals;
      if (first === undefined) continue;
      const brought = arrivals.reduce((sum, { data }) => sum + BigInt(data), 0n);
      const log = Number(first.logIndex);
      blockOf(first).executions.push({ tx, log, attempt, spent: BigInt(plan.amountIn), brought });
    }
  }
  return [...blocks]
    .map(([number, { hash, transfers, executions }]) => ({
      number,
      hash,
      transfers: transfers.toSorted((a, b) => a.log - b.log),
      executions: executions.toSorted((a, b) => a.log - b.log),
    }))
    .toSorted((a, b) => a.number - b.number);
}

/** The logs of one swap of a batch, which are between two marks. */
function swapAt(logs: readonly Log[], place: number): readonly Log[] {
  let marks = 0;
  return logs.filter((log) => {
    if (transferIn(log).to === MARK) marks += 1;
    return marks === place;
  });
}

const transferIn = (log: Log) => (log.topics[0] === TRANSFER_TOPIC ? transferOf(log) : NO_TRANSFER);
const NO_TRANSFER = { token: '', to: '', from: '', amount: 0n };

function transferOf({ address, topics, data, transactionHash, logIndex }: Log): RefTransfer {
  const accountOf = (topic = '') => `0x${topic.slice(26)}`;
  return {
    tx: transactionHash,
    log: Number(logIndex),
    token: address.toLowerCase(),
    from: accountOf(topics[1]),
    to: accountOf(topics[2]),
    amount: BigInt(data),
  };
}

/** The payments to wallets that the chain has, or of which something came back. */
export async function standingOf(
  { chain: { rpc } }: Ground,
  target: string,
  { payouts }: Kept,
): Promise<readonly Sent[]> {
  const standing: Sent[] = [];
  for (const payout of payouts) {
    // A transaction that is sent again after a reorganisation may have the same hash.
    const isKnown = ({ txHash, amount }: Sent) => txHash === payout.txHash && amount === payout.amount;
    if (standing.some(isKnown)) continue;
    const receipt = await rpc<{ logs: Log[] } | null>('eth_getTransactionReceipt', [payout.txHash]);
    const isPaid = (receipt?.logs ?? [])
      .map(transferIn)
      .some(
        ({ token, from, to, amount }) =>
          token === target && from === SETTLEMENT && to === payout.to && amount === payout.amount,
      );
    if (isPaid || payout.isBack === true) standing.push(payout);
  }
  return standing;
}

const topicOf = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;

function transferLogs(
  { rpc }: TestChain,
  fromBlock: number,
  accounts: readonly (string | readonly string[] | null)[],
): Promise<Log[]> {
  const filter = { fromBlock: `0x${fromBlock.toString(16)}`, toBlock: 'latest' };
  return rpc<Log[]>('eth_getLogs', [{ ...filter, topics: [TRANSFER_TOPIC, ...accounts] }]);
}

/** All transfers of a token to an address and from it, except those that move nothing. */
export async function movedAt(
  { chain }: Ground,
  token: string,
  address: string,
  fromBlock: number,
): Promise<{ readonly to: readonly RefTransfer[]; readonly from: readonly RefTransfer[] }> {
  const of = (logs: readonly Log[]) =>
    logs
      .map(transferOf)
      .filter((each) => each.token === token.toLowerCase() && each.from !== each.to && each.amount > 0n);
  return {
    to: of(await transferLogs(chain, fromBlock, [null, topicOf(address)])),
    from: of(await transferLogs(chain, fromBlock, [topicOf(address)])),
  };
}
