// Transfers to settlement addresses are written before it is known whose swaps they were. Nobody waits for those that are no
// swap of theirs, and none is lost.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type Address, amountOf, type Plan, swapStep } from '@fairway/plan';
import { sql } from 'kysely';
import type { ChainKey, Lease, ReadPlace, RecordedBlock, RecordStore, ReadTransfer } from '../src/index.ts';
import { hashOf, newPlan } from './plans.ts';
import { openTestStore, type TestStore } from './storeOfTest.ts';

let bench: TestStore;
let store: RecordStore;
/** A chain of its own for each test, its lease and its last block. */
let chain: ChainKey;
let chainId = 7_000;
let lease: Lease;
let tip: RecordedBlock | undefined;
/** The plan whose instructions have to bring the least there. */
let plan: Plan;
let least: bigint;

before(async () => {
  bench = await openTestStore();
  store = bench.store.record;
});
after(() => bench?.close());
beforeEach(async () => {
  chainId += 1;
  chain = { environment: 'sandbox', chainId };
  tip = undefined;
  plan = await planWith();
  least = BigInt(swapStep(plan).attempts[0]?.minAmountOut ?? '0');
  assert.ok(least > 10n);
  const { taken } = await store.takeLease(chain, 'one');
  assert.ok(taken);
  lease = taken.lease;
});

async function planWith(changes: Partial<Plan> = {}): Promise<Plan> {
  const made = newPlan();
  const { source, target } = made.corridor;
  const corridor = { ...made.corridor, source: { ...source, chainId }, target: { ...target, chainId } };
  return bench.create({ ...made, ...changes, corridor });
}

const settlement = () => plan.corridor.target.settlementAddress.toLowerCase() as Address;
const token = () => plan.corridor.target.token.toLowerCase() as Address;
const timeMs = () => (swapStep(plan).attempts[0]?.derivedAtMs ?? 0) + 1_000;
const block = (number: number, fork = 'a'): RecordedBlock => ({
  ...{ number, hash: hashOf(`${chainId} ${fork}${number}`), timeMs: timeMs() + 1000 * number },
});

let logs = 0;

/** A transfer to the settlement address in a transaction of its own. */
function paid(
  { number, hash, timeMs: blockTimeMs }: RecordedBlock,
  amount: bigint,
  changes: Partial<ReadTransfer> = {},
): ReadTransfer {
  logs += 1;
  const place = { blockHash: hash, blockNumber: number, blockTimeMs, logIndex: logs };
  const moved = { token: token(), from: `0x${'0f'.repeat(20)}`, to: settlement(), amount };
  return { ...place, txHash: hashOf(`${chainId} ${logs}`), ...moved, ...changes };
}

/** Reads up to a block. */
async function read(
  to: RecordedBlock,
  { unread = [] as readonly ReadTransfer[], transfers = [] as readonly ReadTransfer[], ancestor = -1 } = {},
): Promise<void> {
  const ancestorNumber = ancestor === -1 ? (tip?.number ?? -1) : ancestor;
  const advanced = await store.advance(lease, {
    ...{ believed: tip?.hash, ancestorNumber, tip: to, targetNumber: to.number, toleratedBlocks: 0 },
    ...{ verifiedNumber: 0, watchedXmin: '0', transfers, unread, blocks: [to] },
  });
  assert.equal(advanced.outcome, 'RECORDED');
  tip = to;
}

async function unreadNow(limit = 100): Promise<readonly ReadTransfer[]> {
  const contracts = { settlementAddresses: [settlement()], tokens: [token(), OTHER_TOKEN] };
  return (await store.unreadTransfers(chain, contracts, limit)).transfers;
}

const OTHER_TOKEN = `0x${'77'.repeat(20)}` as const;
const amounts = (transfers: readonly ReadTransfer[]) => transfers.map(({ amount }) => amount);
const TAG = `0x${'7e'.repeat(16)}`;

async function answered(places: readonly ReadPlace[], transfers: readonly ReadTransfer[]) {
  return store.answerUnread(lease, { answered: places, transfers });
}

async function recorded() {
  const { rows } = await sql<{ amount: string; tag: string | null; untraced: boolean; canonical: boolean }>`
    select amount::text, encode(tag, 'hex') as tag, untraced, canonical from chain_transfers
    where chain_id = ${chainId} order by amount`.execute(bench.database);
  return rows;
}

test('what no instructions can bring is not asked about, in whatever token', async () => {
  const at = block(10);
  const tenth = (least + 9n) / 10n;
  const together = [paid(at, tenth - 1n), paid(at, 1n, { txHash: hashOf(`${chainId} both`) })];
  await read(at, {
    unread: [
      paid(at, tenth - 1n),
      paid(at, 10n ** 30n, { token: OTHER_TOKEN }),
      paid(at, 10n ** 30n, { to: `0x${'78'.repeat(20)}` }),
      ...together.map((each) => ({ ...each, txHash: hashOf(`${chainId} both`) })),
      paid(at, tenth),
    ],
  });
  assert.deepEqual(amounts(await unreadNow()), [tenth, tenth - 1n, 1n]);
});

test('lesser instructions make smaller transfers matter, and after a restore all do', async () => {
  const at = block(10);
  await read(at, { unread: [paid(at, 1n)] });
  assert.deepEqual(await unreadNow(), []);
  await sql`update least_swaps set least = least + 1000000 where chain_id = ${chainId}`.execute(
    bench.database,
  );
  const larger = await planWith();
  assert.equal(swapStep(larger).attempts.length, 1);
  const { rows } = await sql<{
    least: string;
  }>`select least::text from least_swaps where chain_id = ${chainId}`.execute(bench.database);
  assert.deepEqual(rows, [{ least: String(least) }]);
  await sql`insert into recoveries values (1, now(), now())`.execute(bench.database);
  const next = block(11);
  await read(next, { unread: [paid(next, 1n, { token: OTHER_TOKEN })] });
  assert.equal((await unreadNow()).length, 1);
  await sql`delete from recoveries`.execute(bench.database);
});

test('the largest of each token come first, with all transfers of their transactions', async () => {
  const [one, two] = [block(10), block(11)];
  await sql`insert into least_swaps values ('sandbox', ${chainId}, ${settlement()}, ${OTHER_TOKEN}, 1)`.execute(
    bench.database,
  );
  const swap = paid(two, 5n * least);
  const other = paid(two, 1n, { token: OTHER_TOKEN });
  const small = paid(one, least, { txHash: swap.txHash, blockHash: two.hash, blockNumber: 11 });
  await read(one, { unread: Array.from({ length: 30 }, (_, index) => paid(one, least + BigInt(index))) });
  await read(two, { unread: [small, swap, other] });
  const first = await unreadNow(1);
  assert.deepEqual(amounts(first).toSorted(), [1n, 5n * least, least].toSorted());
  assert.equal((await unreadNow()).length, 33);
  assert.equal((await store.position(chain)).moment.unread, 33);
});

test('what a transaction turns out to be is recorded once, and it is unread no more', async () => {
  const at = block(10);
  const [swap, none, hidden, foreign] = [7n, 8n, 9n, 10n].map((times) => paid(at, times * least));
  assert.ok(swap && none && hidden && foreign);
  await read(at, { unread: [swap, none, hidden, foreign] });
  const found = [
    { ...swap, tag: TAG },
    { ...hidden, untraced: true as const },
    { ...foreign, tag: `0x${'ee'.repeat(16)}`, isForeignTag: true as const },
  ];
  const written = await answered([swap, none, hidden, foreign], found);
  assert.ok(written.outcome === 'RECORDED' && written.added === 2);
  assert.deepEqual(await unreadNow(), []);
  const kept = [
    { amount: String(7n * least), tag: TAG.slice(2), untraced: false, canonical: true },
    { amount: String(9n * least), tag: null, untraced: true, canonical: true },
  ];
  assert.deepEqual(await recorded(), kept);
  // Read again with its block: what is known is not unread again, what nobody could trace is.
  await read(at, { unread: [swap, hidden], ancestor: 10 });
  assert.deepEqual(amounts(await unreadNow()), [9n * least]);
  await answered([hidden], []);
  assert.deepEqual(await recorded(), kept.with(1, { ...kept[1], untraced: false } as (typeof kept)[number]));
});

test('a deposit is recorded at once, and gets its tag later', async () => {
  const at = block(10);
  const both = paid(at, least);
  await read(at, { transfers: [both], unread: [both] });
  assert.deepEqual(
    (await recorded()).map(({ tag }) => tag),
    [null],
  );
  await answered([both], [{ ...both, tag: TAG }]);
  assert.deepEqual(
    (await recorded()).map(({ tag }) => tag),
    [TAG.slice(2)],
  );
});

test('what a reorganisation removed is unread no more, and a late answer records nothing', async () => {
  const [one, two] = [block(10), block(11)];
  const [kept, gone] = [paid(one, least), paid(two, least)];
  await read(one, { unread: [kept] });
  await read(two, { unread: [gone] });
  const other = block(11, 'b');
  const again = paid(other, least, { txHash: gone.txHash, logIndex: gone.logIndex });
  await read(other, { ancestor: 10, unread: [again] });
  assert.deepEqual(
    (await unreadNow()).map(({ blockHash }) => blockHash).toSorted(),
    [one.hash, other.hash].toSorted(),
  );
  await answered([gone], [{ ...gone, tag: TAG }]);
  assert.deepEqual([await recorded(), (await unreadNow()).length], [[], 2]);
  await answered([again, again], [{ ...again, tag: TAG }]);
  assert.equal((await recorded()).length, 1);
});

test('who was cut off answers nothing', async () => {
  const at = block(10);
  const swap = paid(at, least);
  await read(at, { unread: [swap] });
  await store.releaseLease(lease);
  await store.takeLease(chain, 'two');
  assert.equal((await answered([swap], [{ ...swap, tag: TAG }])).outcome, 'LEASE_LOST');
  assert.deepEqual([await recorded(), (await unreadNow()).length], [[], 1]);
});

test('a plan waits only for transactions that may have executed its own instructions', async () => {
  const ask = { tags: [], payoutAddresses: [] };
  const isUnread = async (of: Plan) => (await store.view(bench.scope, of, ask)).view.isUnread;
  const at = block(plan.watchFromBlock + 10);
  await read(at, { unread: [paid(at, least - 1n), paid({ ...at, timeMs: 0 }, least)] });
  assert.equal((await unreadNow()).length, 2);
  assert.equal(await isUnread(plan), false, 'too little, or too early');
  const next = block(plan.watchFromBlock + 11);
  const halves = [paid(next, least - 1n), paid(next, 1n)].map((each) => ({
    ...each,
    txHash: hashOf(`${chainId} halves`),
  }));
  await read(next, { unread: halves });
  assert.equal(await isUnread(plan), true);
  const large = { ...plan, amountIn: amountOf(10n ** 20n) };
  const attempts = swapStep(plan).attempts.map((each) => ({ ...each, minAmountOut: amountOf(least + 1n) }));
  const steps = plan.steps.map((step) => (step.type === 'EXECUTE_SWAP' ? { ...step, attempts } : step));
  assert.equal(await isUnread({ ...large, steps }), false, 'less than its instructions bring');
  await answered(halves, []);
  assert.equal(await isUnread(plan), false);
});

test('after a restore, a plan waits for what may have executed instructions that it has lost', async () => {
  const ask = { tags: [], payoutAddresses: [] };
  const isUnread = async (of: Plan) => (await store.view(bench.scope, of, ask)).view.isUnread;
  const estimate = amountOf(2n * least);
  const steps = plan.steps.map((step) =>
    step.type === 'EXECUTE_SWAP' ? { ...step, expected: estimate, attempts: [] } : step,
  );
  const without: Plan = { ...plan, steps };
  const half = (least + 1n) / 2n;
  // The instructions that the plan knows have ended long before.
  const at = { ...block(plan.watchFromBlock + 10), timeMs: timeMs() + 86_400_000 };
  await read(at, { unread: [paid(at, half)] });
  assert.deepEqual([await isUnread(plan), await isUnread(without)], [false, false]);
  await sql`insert into recoveries values (1, now(), now())`.execute(bench.database);
  assert.deepEqual([await isUnread(plan), await isUnread(without)], [true, false]);
  const next = { ...block(plan.watchFromBlock + 11), timeMs: timeMs() + 86_400_000 };
  await read(next, { unread: [paid(next, least)] });
  assert.equal(await isUnread(without), true);
  const early = { ...without, watchFromBlock: plan.watchFromBlock + 12 };
  assert.equal(await isUnread(early), false, 'before the plan');
  await sql`delete from recoveries`.execute(bench.database);
  assert.equal(await isUnread(plan), false);
});

test('logs of one index in two transactions are two transfers', async () => {
  const at = block(10);
  const [one, two] = [paid(at, least, { logIndex: 0 }), paid(at, least, { logIndex: 0 })];
  await read(at, { transfers: [one, two] });
  assert.equal((await recorded()).length, 2);
});

test('a record that does not follow what its reader has seen is not at the head', async () => {
  await read(block(10));
  const stateAfter = async (targetNumber: number) => {
    await store.renewLease(lease, { targetNumber, toleratedBlocks: 8 });
    return (await store.position(chain)).moment.state;
  };
  assert.equal(await stateAfter(18), 'AT_HEAD');
  assert.equal(await stateAfter(19), 'CATCHING_UP');
  await read(block(19));
  assert.equal((await store.position(chain)).moment.state, 'AT_HEAD');
});
