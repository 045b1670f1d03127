// The second ledger is told what is on the real chain and what the service acknowledged, and every plan of the API is
// compared with it.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MovementList, PaymentPlan } from '@fairway/wire';
import {
  type Expected,
  expected,
  type RefBlock,
  type RefFunds,
  type RefPlan,
  type RefRefund,
  type RefTransfer,
} from '../referenceLedger.ts';
import { SETTLEMENT, type Way } from './corridors.ts';
import { type Ground, PATIENCE_MS } from './ground.ts';

const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** What a batch of swaps sends a unit to between two of them, so that it is seen which one brought what. */
export const MARK = '0x3a2c000000000000000000000000000000000003';
/** What stands between the hash of a transaction and the place of a swap in it. */
export const SENT_BY = ' swap ';

/** The instructions of an attempt, and what tells them apart from all others. */
export type Attempt = { readonly key: string; readonly to: string; readonly data: string };

/** A plan of a run, with all that was acknowledged of it. */
export type Kept = {
  plan: PaymentPlan;
  readonly way: Way;
  /** What makes its addresses its own. */
  readonly own: string;
  readonly address: string;
  /** The first block that can bring its deposit: those before are of the plan that had the address before. */
  readonly from: number;
  /** The wallet that is paid, where one is, and the transactions that pay it. */
  wallet: string | undefined;
  readonly payouts: string[];
  /** Whether a recipient who was e-mailed has chosen. */
  isChosen: boolean;
  readonly attempts: Attempt[];
  /** Transactions that may have executed an attempt, by their hash; of a batch, with the place of the swap. */
  readonly sent: Map<string, string>;
  ended?: 'CANCELLED' | 'CLOSED';
  readonly paid: bigint[];
  readonly deducted: bigint[];
  readonly returned: bigint[];
  readonly refunds: RefRefund[];
  begun: { readonly paid: number; readonly returned: number };
  isShort: boolean;
};

type Log = {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly logIndex: string;
};

/** What the second ledger expects of each plan, as the chain is now. */
export async function expectedNow(
  ground: Ground,
  kept: readonly Kept[],
  fromBlock: number,
): Promise<ReadonlyMap<string, Expected>> {
  const chain = await chainNow(ground, kept, fromBlock);
  const plans: RefPlan[] = [];
  for (const one of kept) plans.push(await refPlanOf(ground, chain, kept, one));
  return expected(chain, plans);
}

/** For each chain the first block that a transaction was seen in. */
const seen = new WeakMap<object, Map<string, number>>();

function firstBlocksOf(chain: object): Map<string, number> {
  const known = seen.get(chain) ?? new Map<string, number>();
  seen.set(chain, known);
  return known;
}

async function chainNow(
  { chain, token }: Ground,
  kept: readonly Kept[],
  fromBlock: number,
): Promise<RefBlock[]> {
  const to = kept.map(({ address }) => `0x${address.slice(2).padStart(64, '0')}`);
  const filter = { fromBlock: `0x${fromBlock.toString(16)}`, toBlock: 'latest' };
  const logs =
    to.length === 0
      ? []
      : await chain.rpc<Log[]>('eth_getLogs', [{ ...filter, topics: [TRANSFER_TOPIC, null, to] }]);
  const firstBlocks = firstBlocksOf(chain);
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
    const { transactionHash: tx, blockNumber } = log;
    if (!firstBlocks.has(tx)) firstBlocks.set(tx, Number(blockNumber));
    blockOf(log).transfers.push({ ...transferOf(log), since: Number(firstBlocks.get(tx)) });
  }
  const target = token('tAUD').toLowerCase();
  for (const { sent, plan } of kept)
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

async function refPlanOf(
  ground: Ground,
  chain: readonly RefBlock[],
  kept: readonly Kept[],
  one: Kept,
): Promise<RefPlan> {
  const { plan, address, from, attempts, ended, deducted, returned, refunds, begun, isChosen } = one;
  // A plan has its address until the next plan there is made.
  const next = kept.find((other) => other.address === address && other.from > from);
  const { token } = ground;
  const { paid, isShort } = one.wallet === undefined ? one : await paidOnChain(ground, chain, one);
  return {
    id: plan.planId,
    address,
    source: token('USDC').toLowerCase(),
    target: token('tAUD').toLowerCase(),
    amountIn: BigInt(plan.amountIn),
    open: [next === undefined ? { from } : { from, to: next.from - 1 }],
    attempts: attempts.map(({ key }) => key),
    ...{ paid, deducted, returned, refunds, begun, isShort, isChosen },
    ...(ended === undefined ? {} : { ended }),
  };
}

/** What the chain says was paid to the wallet of a plan, and whether that is less than its swap brought. */
async function paidOnChain(
  { chain: { rpc }, token }: Ground,
  chain: readonly RefBlock[],
  { payouts, wallet, attempts }: Kept,
): Promise<Pick<RefPlan, 'paid' | 'isShort'>> {
  const paid: bigint[] = [];
  // Sent again after a reorganisation, a transaction may have the hash of before.
  for (const tx of new Set(payouts)) {
    const receipt = await rpc<{ logs: Log[] } | null>('eth_getTransactionReceipt', [tx]);
    for (const { token: of, from, to, amount } of (receipt?.logs ?? []).map(transferIn))
      if (of === token('tAUD').toLowerCase() && from === SETTLEMENT && to === wallet) paid.push(amount);
  }
  const keys = attempts.map(({ key }) => key);
  const [swap] = chain
    .flatMap(({ executions }) => executions)
    .filter(({ attempt }) => keys.includes(attempt));
  const sum = paid.reduce((total, amount) => total + amount, 0n);
  return { paid, isShort: sum < (swap?.brought ?? 0n) };
}

/**
 * Waits until every plan is what the second ledger expects, and remembers the plans so. Nothing else is waited for: what
 * the service does, and when, is its own affair.
 */
export async function settled(ground: Ground, kept: readonly Kept[], fromBlock: number): Promise<void> {
  // Nobody changes the chain meanwhile.
  const due = await expectedNow(ground, kept, fromBlock);
  for (const untilMs = performance.now() + PATIENCE_MS; ; await sleep(100)) {
    try {
      for (const [place, one] of kept.entries())
        await assertBooks(ground, one, place, due.get(one.plan.planId));
      return;
    } catch (cause) {
      if (performance.now() > untilMs) throw cause;
    }
  }
}

/** Compares a plan, as one of the services shows it. */
async function assertBooks(
  ground: Ground,
  one: Kept,
  place: number,
  due: Expected | undefined,
): Promise<void> {
  const { planId } = one.plan;
  const clients = ground.clients();
  const client = clients[place % clients.length];
  assert.ok(client !== undefined && due !== undefined);
  const plan = await client.get(planId);
  one.plan = plan;
  rememberAttempt(one);
  for (const funds of plan.funds) {
    const token = 'address' in funds.asset ? funds.asset.address.toLowerCase() : '';
    assert.deepEqual(toldOf(funds), due.funds.get(token), `${planId}, ${plan.status}: funds of ${token}`);
  }
  const { json } = await client.ask(`/v1/payments/${planId}/movements?limit=100`);
  const movements = (json as MovementList).data;
  const reversed = new Set(movements.map(({ reverses }) => reverses));
  const deposits = movements
    .filter(
      ({ kind, reverses, movementId }) =>
        kind === 'DEPOSIT' && reverses === undefined && !reversed.has(movementId),
    )
    .map(({ transfer }) => `${transfer?.txHash} ${transfer?.logIndex} from ${transfer?.from?.toLowerCase()}`);
  assert.deepEqual(deposits.sort(), due.deposits, `${planId}: each transfer once`);
  assert.ok(
    due.statuses.includes(plan.status),
    `${planId} is ${plan.status}, and not one of ${due.statuses}`,
  );
  assert.notEqual(plan.nextAction?.actor, 'SERVICE', `${planId} waits for the service`);
}

/** Keeps instructions that were given out: they can be executed whenever somebody likes. */
export function rememberAttempt({ plan, attempts }: Kept): void {
  const swap = plan.steps.find(({ type }) => type === 'EXECUTE_SWAP');
  const call = swap?.instructions?.at(-1);
  if (swap?.attemptId === undefined || call === undefined) return;
  if (!attempts.some(({ key }) => key === swap.attemptId))
    attempts.push({ key: swap.attemptId, to: call.to, data: call.data });
}

type Funds = PaymentPlan['funds'][number];

function toldOf(funds: Funds): RefFunds {
  const sumOf = (direction: 'IN' | 'OUT') =>
    funds.unallocated.reduce(
      (sum, entry) => (entry.direction === direction ? sum + BigInt(entry.amount) : sum),
      0n,
    );
  return {
    received: BigInt(funds.received),
    spent: BigInt(funds.swapped.in),
    brought: BigInt(funds.swapped.out),
    paid: BigInt(funds.paidOut),
    returned: BigInt(funds.returned),
    refunded: BigInt(funds.refunded),
    deducted: BigInt(funds.deducted),
    outstanding: BigInt(funds.outstanding),
    surplus: sumOf('IN'),
    excess: sumOf('OUT'),
  };
}
