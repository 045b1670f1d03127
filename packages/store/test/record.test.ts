// The record of a chain: one writer, one query, and nothing written by a process that was cut off.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, amountOf, dustBelow, type Plan } from '@fairway/plan';
import { sql } from 'kysely';
import type {
  ChainKey,
  Lease,
  RecordedBlock,
  RecordedBlocks,
  ReadTransfer,
  RecordStore,
} from '../src/index.ts';
import { deposit, hashOf, newPlan, stepId } from './plans.ts';
import { openTestStore, type TestStore } from './storeOfTest.ts';

let bench: TestStore;
let store: RecordStore;
/** A chain of its own for each test. */
let chain: ChainKey;
let chainId = 1000;

before(async () => {
  bench = await openTestStore();
  store = bench.store.record;
});
after(() => bench?.close());
beforeEach(() => {
  chainId += 1;
  chain = { environment: 'sandbox', chainId };
});

const DEPOSITS = `0x${'d1'.repeat(20)}`;
const TIME_MS = 1_790_000_000_000;

/** A block by its number and the letter of its fork. */
const block = (number: number, fork = 'a'): RecordedBlock => ({
  number,
  hash: hashOf(`${fork}${number}`),
  timeMs: TIME_MS + 1000 * number,
});

function transferIn(
  { number, hash, timeMs }: RecordedBlock,
  changes: Partial<ReadTransfer> = {},
): ReadTransfer {
  const place = {
    blockHash: hash,
    blockNumber: number,
    blockTimeMs: timeMs,
    logIndex: 0,
    txHash: hashOf(`t${hash}`),
  };
  const moved = { token: `0x${'01'.repeat(20)}`, from: `0x${'0f'.repeat(20)}`, to: DEPOSITS, amount: 5n };
  return { ...place, ...moved, ...changes };
}

async function take(holder = 'one', of = chain): Promise<Lease> {
  const { taken } = await store.takeLease(of, holder);
  assert.ok(taken, `${holder} did not get the lease`);
  return taken.lease;
}

/** Blocks from one number to another of a fork, the first of them after `believed`. */
function read(
  believed: RecordedBlock | undefined,
  tip: RecordedBlock,
  changes: Partial<RecordedBlocks> = {},
) {
  return {
    believed: believed?.hash,
    ancestorNumber: believed?.number ?? -1,
    tip,
    targetNumber: tip.number,
    toleratedBlocks: 8,
    verifiedNumber: 0,
    watchedXmin: '0',
    transfers: [],
    blocks: [],
    ...changes,
  };
}

async function record(lease: Lease, ...[believed, tip, changes]: Parameters<typeof read>) {
  const advanced = await store.advance(lease, read(believed, tip, changes));
  assert.equal(advanced.outcome, 'RECORDED');
  return advanced;
}

/** All that is on record of the test's chain, as text. */
async function contents(): Promise<string> {
  const tables = ['chain_records', 'chain_blocks', 'chain_transfers'];
  const rows = await Promise.all(
    tables.map((table) =>
      sql<{
        row: string;
      }>`select t::text as row from ${sql.table(table)} t where chain_id = ${chainId} order by 1`.execute(
        bench.database,
      ),
    ),
  );
  return JSON.stringify(rows.map((each) => each.rows));
}

async function canonicalTransfers(): Promise<string[]> {
  const { rows } = await sql<{ block_hash: string }>`select block_hash from chain_transfers
    where chain_id = ${chainId} and canonical order by block_number`.execute(bench.database);
  return rows.map(({ block_hash }) => block_hash);
}

const endLease = () =>
  sql`update chain_records set lease_until = clock_timestamp() - interval '1 ms' where chain_id = ${chainId}`.execute(
    bench.database,
  );

test('of many processes one gets the lease, and another only after it was given back or ran out', async () => {
  const tries = await Promise.all(['one', 'two', 'three'].map((holder) => store.takeLease(chain, holder)));
  assert.equal(tries.filter((each) => each.taken !== undefined).length, 1);
  const [lease] = tries.flatMap((each) => each.taken?.lease ?? []);
  assert.ok(lease);
  assert.equal((await store.takeLease(chain, 'other')).taken, undefined);
  await store.releaseLease(lease);
  assert.equal((await take('other')).epoch, lease.epoch + 1n);
  await endLease();
  assert.equal((await take('third')).epoch, lease.epoch + 2n);
});

test('a lease ends three seconds after its last renewal', async () => {
  const lease = await take();
  await sleep(1_500);
  const renewed = await store.renewLease(lease);
  assert.equal(renewed.held, true);
  await sleep(2_000);
  assert.equal((await store.takeLease(chain, 'other')).taken, undefined);
  await sleep(1_500);
  await take('other');
  assert.equal((await store.renewLease(lease)).held, false);
});

test('a holder that was cut off writes nothing, and neither does its epoch in other hands', async () => {
  const former = await take('former');
  await record(former, undefined, block(1));
  await endLease();
  const holder = await take('holder');
  const before = await contents();
  const late = read(block(1), block(2), { transfers: [transferIn(block(2))], blocks: [block(2)] });
  assert.equal((await store.advance(former, late)).outcome, 'LEASE_LOST');
  // After an older copy of the database was put back, another holder has the very epoch.
  const copied = { ...holder, holder: 'former' };
  assert.equal((await store.advance(copied, late)).outcome, 'LEASE_LOST');
  assert.equal((await store.renewLease(copied)).held, false);
  await store.releaseLease(copied);
  assert.equal(await contents(), before);
  assert.equal((await store.advance(holder, late)).outcome, 'RECORDED');
});

test('blocks that do not follow the recorded one are not written', async () => {
  const lease = await take();
  await record(lease, undefined, block(1));
  const before = await contents();
  for (const believed of [undefined, block(1, 'b'), block(2)]) {
    const wrong = read(believed, block(3), { transfers: [transferIn(block(3))], blocks: [block(3)] });
    assert.equal((await store.advance(lease, wrong)).outcome, 'LEASE_LOST');
  }
  assert.equal(await contents(), before);
});

test('what a reorganisation removes stays on record and is no longer canonical', async () => {
  const lease = await take();
  const [one, two, three] = [block(1), block(2), block(3)];
  const all = { transfers: [one, two, three].map((each) => transferIn(each)), blocks: [one, two, three] };
  assert.equal((await record(lease, undefined, three, all)).added, 3);
  const other = [block(2, 'b'), block(4, 'b')] as const;
  const moved = { ancestorNumber: 1, transfers: other.map((each) => transferIn(each)), blocks: [...other] };
  const advanced = await record(lease, three, other[1], moved);
  assert.deepEqual([advanced.gone, advanced.added], [2, 2]);
  assert.deepEqual(
    await canonicalTransfers(),
    [one, ...other].map(({ hash }) => hash),
  );
  const stored = (await store.storedBlocks(chain, 1_000, 10)).blocks;
  assert.deepEqual(stored, [other[1], other[0], one]);
  // The former blocks are canonical again, and one of them was so all the time.
  const back = { ancestorNumber: 0, transfers: all.transfers, blocks: all.blocks };
  const again = await record(lease, other[1], three, back);
  assert.deepEqual([again.gone, again.added], [2, 2]);
  assert.deepEqual(
    await canonicalTransfers(),
    [one, two, three].map(({ hash }) => hash),
  );
  const below = (await store.storedBlocks(chain, 3, 1)).blocks;
  assert.deepEqual(below, [two]);
});

test('a transfer that was missed is added without a new block, and counted once', async () => {
  const lease = await take();
  await record(lease, undefined, block(5));
  const missed = { transfers: [transferIn(block(3))], blocks: [block(3)], verifiedNumber: 4 };
  assert.equal((await record(lease, block(5), block(5), missed)).added, 1);
  assert.equal((await record(lease, block(5), block(5), missed)).added, 0);
  assert.deepEqual(await canonicalTransfers(), [block(3).hash]);
  await endLease();
  const { taken } = await store.takeLease(chain, 'other');
  assert.deepEqual(taken?.record, { tip: block(5), verifiedNumber: 4, watchedXmin: '0' });
});

test('amounts, tags and times are kept as they are', async () => {
  const lease = await take();
  const tag = `0x${'ab'.repeat(16)}`;
  const large = transferIn(block(1), { amount: 2n ** 256n - 1n, tag, untraced: true });
  await record(lease, undefined, block(1), { transfers: [large], blocks: [block(1)] });
  const { rows } = await sql`select amount, encode(tag, 'hex') as tag, untraced, block_time
    from chain_transfers where chain_id = ${chainId}`.execute(bench.database);
  const kept = { amount: String(2n ** 256n - 1n), tag: 'ab'.repeat(16), untraced: true };
  assert.deepEqual(rows, [{ ...kept, block_time: new Date(block(1).timeMs) }]);
});

test('the record is at the head near the newest block, not before that of its lease was read', async () => {
  const stateOf = async () => (await store.position(chain)).moment.state;
  assert.equal(await stateOf(), 'NOT_SERVED');
  const lease = await take();
  const to = (tip: number, targetNumber: number, from?: number) =>
    record(lease, from === undefined ? undefined : block(from), block(tip), { targetNumber });
  assert.equal((await to(95, 100)).state, 'CATCHING_UP');
  assert.equal(await stateOf(), 'CATCHING_UP');
  assert.equal((await to(99, 101, 95)).state, 'CATCHING_UP');
  assert.equal((await to(100, 108, 99)).state, 'AT_HEAD');
  assert.deepEqual((await store.position(chain)).moment, {
    chainId,
    state: 'AT_HEAD',
    readNumber: 100,
    readTimeMs: block(100).timeMs,
    unread: 0,
  });
  assert.equal((await to(101, 110, 100)).state, 'CATCHING_UP');
  assert.equal((await to(110, 110, 101)).state, 'AT_HEAD');
  await endLease();
  assert.equal(await stateOf(), 'CATCHING_UP');
  await take('other');
  assert.equal(await stateOf(), 'CATCHING_UP');
});

/** A plan with this deposit address on the test's chain, and one of the other organisation if so told. */
async function planAt(depositAddress: string, scope = bench.scope, changes: Partial<Plan> = {}) {
  const options = { slippageBps: 50, collectLifeMs: 86_400_000, depositAddress: depositAddress as Address };
  const plan = { ...newPlan({ options }), ...changes };
  const { source, target } = plan.corridor;
  const corridor = { ...plan.corridor, source: { ...source, chainId }, target: { ...target, chainId } };
  return bench.create({ ...plan, corridor }, scope);
}

const watchedNow = async () => (await store.watchedPage(chain, { limit: 100 })).watched;

test('a new plan’s address is watched with it, and for a year after its end', async () => {
  await take();
  const address = `0x${'A1'.repeat(20)}`;
  const plan = await planAt(address);
  const watched = { address: address.toLowerCase(), purpose: 'DEPOSIT', fromBlock: 100, isUnmatched: true };
  assert.deepEqual(await watchedNow(), [watched]);
  const daysLeft = async () => {
    const { rows } = await sql<{ days: number | null }>`
      select extract(day from until - clock_timestamp())::int4 as days from watched_addresses
      where plan_id = ${plan.planId}`.execute(bench.database);
    return rows.map(({ days }) => days);
  };
  assert.deepEqual(await daysLeft(), [null]);
  await bench.change(plan, { type: 'TIME_PASSED' }, plan.expiresAtMs);
  assert.deepEqual(await daysLeft(), [364]);
  await bench.change(plan, { type: 'STEP_RETRIED', stepId: stepId(plan, 'AWAIT_DEPOSIT') });
  assert.deepEqual(await daysLeft(), [null]);
  await sql`update watched_addresses set until = clock_timestamp() where plan_id = ${plan.planId}`.execute(
    bench.database,
  );
  assert.deepEqual(await watchedNow(), []);
});

test('pages hold each watched address once, and the contracts are those of all plans', async () => {
  await take();
  const none = await store.watchedContracts(chain);
  assert.deepEqual([none.tokens, none.settlementAddresses], [[], []]);
  const addresses = ['a1', 'a2', 'a3', 'a4', 'a5'].map((byte) => `0x${byte.repeat(20)}`);
  for (const address of addresses) await planAt(address);
  const found: string[] = [];
  let after: Parameters<RecordStore['watchedPage']>[1]['after'];
  do {
    const page = await store.watchedPage(chain, { after, limit: 2 });
    found.push(...page.watched.map(({ address }) => address));
    after = page.next;
  } while (after !== undefined);
  assert.deepEqual(found, addresses);
  const { tokens, settlementAddresses } = await store.watchedContracts(chain);
  assert.deepEqual(
    tokens,
    ['01', '02'].map((byte) => `0x${byte.repeat(20)}`),
  );
  assert.deepEqual(settlementAddresses, [`0x${'03'.repeat(20)}`]);
});

test('addresses that are committed out of order are all learnt', async () => {
  await take();
  const plan = await planAt(`0x${'b0'.repeat(20)}`);
  const insert = (address: string) => sql`
    insert into watched_addresses (environment, chain_id, address, organisation_id, plan_id, purpose, source_token,
      target_token, settlement_address, from_block)
    values ('sandbox', ${chainId}, ${address}, ${bench.scope.organisationId}, ${plan.planId}, 'DEPOSIT', 't', 't', 's', 7)`;
  let { xmin } = await store.watchedContracts(chain);
  const learn = async () => {
    const learnt = await store.watchedSince(chain, xmin);
    xmin = learnt.xmin;
    return learnt.added.map(({ address }) => address).sort();
  };
  assert.deepEqual(await learn(), []);
  const slow = await bench.database.startTransaction().execute();
  await insert('0xb1').execute(slow);
  await insert('0xb2').execute(bench.database);
  assert.deepEqual(await learn(), ['0xb2']);
  await slow.commit().execute();
  assert.deepEqual(await learn(), ['0xb1', '0xb2']);
  assert.deepEqual(await learn(), []);
});

test('an address is unmatched when it came after what the last reader knew', async () => {
  const lease = await take();
  await planAt(`0x${'c1'.repeat(20)}`);
  const { xmin } = await store.watchedContracts(chain);
  await record(lease, undefined, block(500), { watchedXmin: xmin });
  const unmatched = async () =>
    (await watchedNow()).flatMap(({ address, isUnmatched }) => (isUnmatched ? [address.slice(2, 4)] : []));
  assert.deepEqual(await unmatched(), []);
  await planAt(`0x${'c2'.repeat(20)}`);
  assert.deepEqual(await unmatched(), ['c2']);
  // Restored from its rows, the database counts its transactions from a lower number on.
  const later = String(BigInt(xmin) + 10n ** 9n);
  await record(lease, block(500), block(150), { ancestorNumber: 0, watchedXmin: later });
  assert.deepEqual(await unmatched(), ['c1', 'c2']);
  await sql`update watched_addresses set added_xid = ${later}::xid8 where chain_id = ${chainId}`.execute(
    bench.database,
  );
  assert.deepEqual((await store.watchedSince(chain, '0')).added, []);
});

test('to a busy address only what a plan may have a use for is recorded, the rest is counted', async () => {
  const lease = await take();
  const plan = await planAt(DEPOSITS);
  const limit = BigInt(plan.amountIn) / 1000n;
  const sent = (at: RecordedBlock, amounts: readonly bigint[], changes: Partial<ReadTransfer> = {}) =>
    amounts.map((amount, logIndex) => transferIn(at, { logIndex, amount, ...changes }));
  const first = sent(block(1), Array<bigint>(1000).fill(1n));
  const kept = await record(lease, undefined, block(1), { transfers: first, blocks: [block(1)] });
  assert.deepEqual([kept.added, kept.ignored], [1000, 0]);
  const later = sent(block(2), [limit, 1n, limit - 1n, limit + 1n]);
  const busy = await record(lease, block(1), block(2), { transfers: later, blocks: [block(2)] });
  assert.deepEqual([busy.added, busy.ignored], [2, 2]);
  const other = sent(block(3), [limit], { token: `0x${'0e'.repeat(20)}` });
  const tagged = sent(block(3), [1n], { logIndex: 1, tag: `0x${'ab'.repeat(16)}` });
  const elsewhere = sent(block(3), [1n], { logIndex: 2, to: `0x${'d8'.repeat(20)}` });
  // A plan that pays this address has a use only for transfers from a custodian.
  const recipient = { type: 'wallet', chainId, address: DEPOSITS as Address, fingerprint: 'busy' } as const;
  await planAt(`0x${'d9'.repeat(20)}`, bench.scope, { recipient });
  const paid = sent(block(3), [1n], { logIndex: 3, isPayout: true });
  const dust = sent(block(3), [1n], { logIndex: 4 });
  const transfers = [...other, ...tagged, ...elsewhere, ...paid, ...dust];
  const mixed = await record(lease, block(2), block(3), { transfers, blocks: [block(3)] });
  assert.deepEqual([mixed.added, mixed.ignored], [4, 1]);
  // What is on record comes back with its block.
  await record(lease, block(3), block(1, 'b'), { ancestorNumber: 0 });
  const again = await record(lease, block(1, 'b'), block(1), {
    ...{ ancestorNumber: 0, transfers: first, blocks: [block(1)] },
  });
  assert.deepEqual([again.added, again.ignored], [1000, 0]);
});

test('to a busy address dust of another token hides no larger transfer of it', async () => {
  const lease = await take();
  await planAt(DEPOSITS);
  const token: Partial<ReadTransfer> = { token: `0x${'0e'.repeat(20)}` };
  const sent = (at: RecordedBlock, amounts: readonly bigint[]) =>
    amounts.map((amount, logIndex) => transferIn(at, { logIndex, amount, ...token }));
  const dust = sent(block(1), Array<bigint>(1_000).fill(1n));
  await record(lease, undefined, block(1), { transfers: dust, blocks: [block(1)] });
  const addedIn = async (number: number, amounts: readonly bigint[]) => {
    const read = { transfers: sent(block(number), amounts), blocks: [block(number)] };
    return (await record(lease, block(number - 1), block(number), read)).added;
  };
  assert.equal(await addedIn(2, [1n, 1_000n, 7n]), 0, 'no more than all before');
  assert.equal(await addedIn(3, [1_001n]), 1);
  assert.equal(await addedIn(4, [2_001n, 2_002n, 10n ** 12n, 10n ** 12n]), 1, 'a storm in one block');
  assert.equal(await addedIn(5, [10n ** 12n]), 0);
  assert.equal(await addedIn(6, [10n ** 15n]), 1);
});

test('an address is busy when a thousand transfers to it are on record', async () => {
  const lease = await take();
  await planAt(DEPOSITS);
  const dust = Array.from({ length: 999 }, (_, logIndex) => transferIn(block(1), { logIndex }));
  await record(lease, undefined, block(1), { transfers: dust, blocks: [block(1)] });
  for (const [number, added] of [
    [2, 1],
    [3, 0],
  ] as const) {
    const one = { transfers: [transferIn(block(number))], blocks: [block(number)] };
    assert.equal((await record(lease, block(number - 1), block(number), one)).added, added);
  }
});

for (const [amountIn, least] of [
  [999n, undefined],
  [1_000n, undefined],
  [250_000_999n, undefined],
  [250_000_999n, 0n],
  [250_000_999n, 3n],
  [1_000n, 10n ** 30n],
] as const)
  test(`dust at a busy address, of ${amountIn} and dustBelow ${least ?? 'absent'}`, async () => {
    const lease = await take();
    const { dustBelow: _, ...corridor } = newPlan().corridor;
    const own = least === undefined ? corridor : { ...corridor, dustBelow: amountOf(least) };
    const plan = await planAt(DEPOSITS, bench.scope, { amountIn: amountOf(amountIn), corridor: own });
    const filling = Array.from({ length: 1_000 }, (_, logIndex) => transferIn(block(1), { logIndex }));
    await record(lease, undefined, block(1), { transfers: filling, blocks: [block(1)] });
    const dust = BigInt(dustBelow(plan));
    const amounts = [1n, dust - 1n, dust, dust + 1n].filter((amount) => amount > 0n);
    const transfers = amounts.map((amount, logIndex) => transferIn(block(2), { logIndex, amount }));
    const { added } = await record(lease, block(1), block(2), { transfers, blocks: [block(2)] });
    assert.equal(added, amounts.filter((amount) => amount >= dust).length);
  });

test('a transfer touches the plan that has its address, and those that rest on it', async () => {
  const lease = await take();
  const [former, older] = [await planAt(DEPOSITS), await planAt(`0x${'d3'.repeat(20)}`)];
  await sql`update plans set status = 'ENDED', is_unfunded = false, holds_address = false
    where plan_id = any(${[former.planId, older.planId]})`.execute(bench.database);
  const holder = await planAt(DEPOSITS, bench.otherScope);
  await planAt(`0x${'d2'.repeat(20)}`);
  const transfer = transferIn(block(101));
  const late = transferIn(block(101), { logIndex: 1, to: `0x${'d3'.repeat(20)}`, txHash: hashOf('late') });
  const { touched } = await record(lease, undefined, block(101), {
    transfers: [transfer, late],
    blocks: [block(101)],
  });
  const ids = (plans: readonly { planId: string }[]) => plans.map(({ planId }) => planId).sort();
  assert.deepEqual(ids(touched), ids([holder, older]));
  // A plan that counts a transfer learns that it is gone, whatever address it was to.
  const claiming = await bench.create();
  await bench.change(claiming, deposit(claiming, transfer.txHash as `0x${string}`));
  await sql`update movements set chain_id = ${chainId} where plan_id = ${claiming.planId}`.execute(
    bench.database,
  );
  const taken = await record(lease, block(101), block(102, 'b'), { ancestorNumber: 0 });
  assert.equal(taken.gone, 2);
  assert.ok(taken.touched.some(({ planId }) => planId === claiming.planId));
  // It learns, too, that the transaction is there again, in whatever block.
  const again = await record(lease, block(102, 'b'), block(103, 'b'), {
    transfers: [transferIn(block(103, 'b'), { txHash: transfer.txHash })],
    blocks: [block(103, 'b')],
  });
  assert.deepEqual(ids(again.touched), ids([holder, claiming]));
});
