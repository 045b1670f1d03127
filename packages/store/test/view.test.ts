// What the record of a chain shows of a plan, and how plans get jobs from it.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { amountOf, type Plan, type PlanCommand, type RecordedTransfer, swapStep } from '@fairway/plan';
import { sql } from 'kysely';
import type { Lease, PlanScope, PlanView, RecordedBlock, ReadTransfer, RecordStore } from '../src/index.ts';
import { deposit, evidence, hashOf, instructions, newPlan, stepId, swap } from './plans.ts';
import { jobKeys, openTestStore, type TestStore } from './storeOfTest.ts';

const CHAIN = { environment: 'sandbox', chainId: 31337 } as const;
const TIME_MS = 1_790_000_000_000;
const [TOKEN, SETTLEMENT] = [`0x${'01'.repeat(20)}`, `0x${'03'.repeat(20)}`] as const;
const TAG = 'ab'.repeat(16);
/** A tenth of what the instructions of a test plan have to bring: a transaction that brings less is not looked at. */
const LEAST = 149n;
/** What a settlement address gets. */
const PAYOUT_TOKEN = `0x${'02'.repeat(20)}`;

let bench: TestStore;
let store: RecordStore;
let lease: Lease;
let addresses = 0;
let tip: RecordedBlock | undefined;

before(async () => {
  bench = await openTestStore();
  store = bench.store.record;
  lease = await take();
});
after(() => bench?.close());
beforeEach(async () => {
  await sql`select graphile_worker.remove_job(key) from graphile_worker.jobs`.execute(bench.database);
});

async function take(): Promise<Lease> {
  const { taken } = await store.takeLease(CHAIN, 'reader');
  assert.ok(taken);
  return taken.lease;
}

const block = (number: number, fork = 'a'): RecordedBlock => ({
  number,
  hash: hashOf(`${fork}${number}`),
  timeMs: TIME_MS + 1000 * number,
});

let logs = 0;
function transferIn(
  { number, hash, timeMs }: RecordedBlock,
  to: string,
  changes: Partial<ReadTransfer> = {},
) {
  const logIndex = (logs += 1);
  return {
    ...{
      blockHash: hash,
      blockNumber: number,
      blockTimeMs: timeMs,
      logIndex,
      txHash: hashOf(`t${logIndex}`),
    },
    ...{ token: TOKEN, from: `0x${'0f'.repeat(20)}`, to, amount: 5n },
    ...changes,
  };
}

/** Reads up to a block, from the last one on or from `ancestor` on. */
async function read(
  to: RecordedBlock,
  transfers: readonly ReadTransfer[] = [],
  { ancestor = tip?.number ?? -1, target = to.number } = {},
): Promise<void> {
  const advanced = await store.advance(lease, {
    ...{ believed: tip?.hash, ancestorNumber: ancestor, tip: to, targetNumber: target, toleratedBlocks: 0 },
    ...{ verifiedNumber: 0, watchedXmin: '0', transfers, blocks: [to] },
  });
  assert.equal(advanced.outcome, 'RECORDED');
  tip = to;
}

const freshAddress = () => `0x${(0xa000 + (addresses += 1)).toString(16).padStart(40, '0')}` as const;

function planAt(depositAddress = freshAddress()): Promise<Plan> {
  const options = { slippageBps: 50, collectLifeMs: 86_400_000, depositAddress };
  return bench.create(newPlan({ options, amountIn: amountOf(1_000n) }));
}

const next = () => (tip?.number ?? 199) + 1;
const chainJobs = async () => (await jobKeys(bench.database)).filter((key) => key.startsWith('chain:'));

async function viewOf(plan: Plan, ask: Partial<Parameters<RecordStore['view']>[2]> = {}): Promise<PlanView> {
  return (await store.view(bench.scope, plan, { tags: [], payoutAddresses: [], ...ask })).view;
}

const amountsOf = (transfers: readonly RecordedTransfer[]) => transfers.map(({ amount }) => amount);

test('a plan gets one job when its block was read, and one that waits for the head when that is', async () => {
  const [soon, atHead] = [await planAt(), await planAt()];
  const { jobs } = bench.store;
  const due = next() + 1;
  await jobs.awaitBlock(bench.scope, soon.planId, { chainId: 31337, dueBlock: due + 50 });
  await jobs.awaitBlock(bench.scope, soon.planId, { chainId: 31337, dueBlock: due });
  await jobs.awaitBlock(bench.scope, soon.planId, { chainId: 31337, dueBlock: due + 70, tries: 3 });
  await jobs.awaitBlock(bench.scope, atHead.planId, { chainId: 31337, dueBlock: 0 });
  await read(block(next()), [], { target: due + 100 });
  assert.deepEqual(await chainJobs(), []);
  await read(block(next()), [], { target: due + 100 });
  assert.deepEqual(await chainJobs(), [`chain:${soon.planId}`]);
  const { rows } = await sql<{ payload: object }>`
    select payload from graphile_worker._private_jobs where key = ${`chain:${soon.planId}`}`.execute(
    bench.database,
  );
  assert.deepEqual(rows[0]?.payload, { ...bench.scope, planId: soon.planId, tries: 3 });
  await read(block(next()));
  lease = await take();
  await read(block(next()));
  assert.deepEqual((await chainJobs()).sort(), [soon, atHead].map(({ planId }) => `chain:${planId}`).sort());
});

test('a plan that begins to wait for a block which was just read is not forgotten', async () => {
  const plan = await planAt();
  await read(block(next()));
  await bench.store.jobs.awaitBlock(bench.scope, plan.planId, { chainId: 31337, dueBlock: 1 });
  assert.deepEqual(await chainJobs(), []);
  await store.renewLease(lease);
  assert.deepEqual(await chainJobs(), [`chain:${plan.planId}`]);
});

test('a tag on the chain gives the plan a job whose instructions end with it', async () => {
  const plan = await planAt();
  const told = instructions(await bench.change(plan, reported(plan)));
  assert.ok(told.type === 'INSTRUCTED' && 'derived' in told);
  const calls = told.derived.instructions.map((call) => ({ ...call, data: `0x04e45aaf${TAG}` }));
  const derived = await bench.change(plan, {
    ...told,
    derived: { ...told.derived, instructions: calls },
  });
  const at = block(next());
  await read(at, [
    transferIn(at, SETTLEMENT, { tag: `0x${TAG}`, token: PAYOUT_TOKEN, amount: LEAST }),
    transferIn(at, SETTLEMENT, { tag: `0x${'cd'.repeat(16)}`, amount: LEAST }),
  ]);
  assert.deepEqual(await chainJobs(), [`chain:${plan.planId}`]);
  assert.equal((await viewOf(derived, { tags: [`0x${TAG}`] })).executions.length, 1);
  assert.equal((await viewOf(derived)).executions.length, 0);
});

test('transactions with the tag of a plan that bring too little are not shown as executions', async () => {
  const made = await planAt();
  const plan = await bench.change(made, instructions(await bench.change(made, reported(made))));
  const tag = `0x${'ac'.repeat(16)}` as const;
  const at = block(next());
  const [split, dust] = [hashOf('in two transfers'), hashOf('too little in two transfers')];
  const parts = (txHash: string, amounts: readonly bigint[]) =>
    amounts.map((amount) => transferIn(at, SETTLEMENT, { tag, txHash, token: PAYOUT_TOKEN, amount }));
  await read(at, [
    ...parts(split, [LEAST - 1n, 1n]),
    ...parts(dust, [LEAST - 2n, 1n]),
    // Another token than the plan pays out brings nothing, however much of it there is.
    transferIn(at, SETTLEMENT, { tag, token: `0x${'0e'.repeat(20)}`, amount: LEAST }),
  ]);
  const { executions } = await viewOf(plan, { tags: [tag] });
  assert.deepEqual([...new Set(executions.map(({ txHash }) => txHash))], [split]);
});

test('the tag of a lost attempt gives its plan a job; a foreign tag counts where it is of a plan', async () => {
  const plan = await planAt();
  const { planTag } = bench.store;
  const lost = block(next());
  await read(lost, [transferIn(lost, SETTLEMENT, { tag: planTag(plan.planId, 9) })]);
  assert.deepEqual(await chainJobs(), [`chain:${plan.planId}`]);
  await sql`select graphile_worker.remove_job(key) from graphile_worker.jobs`.execute(bench.database);
  const tags = [planTag(plan.planId, 3), `0x${'ef'.repeat(16)}`] as const;
  const at = block(next());
  const foreign = tags.map((tag) => transferIn(at, SETTLEMENT, { tag, isForeignTag: true }));
  await read(at, foreign);
  assert.deepEqual(await chainJobs(), [`chain:${plan.planId}`]);
  const kept = await sql<{ log_index: number }>`
    select log_index from chain_transfers where block_hash = ${at.hash}`.execute(bench.database);
  assert.deepEqual(kept.rows, [{ log_index: foreign[0]?.logIndex }]);
});

function reported(plan: Plan): PlanCommand {
  const told = { amount: plan.amountIn, verification: 'REPORTED', transfers: [] } as const;
  return { type: 'DEPOSIT_REPORTED', stepId: stepId(plan, 'AWAIT_DEPOSIT'), ...told };
}

test('what comes to an address is of the open plan, after its end of the plan that had it last', async () => {
  const address = freshAddress();
  const first = await planAt(address);
  const at = block(next());
  await read(at, [transferIn(at, address, { amount: 1n })]);
  const ended = await bench.change(first, { type: 'PLAN_ENDED', force: false });
  const late = block(next());
  await read(late, [transferIn(late, address, { amount: 2n })]);
  assert.deepEqual(amountsOf((await viewOf(ended)).deposits), ['1', '2']);
  const heir = await bench.create({
    ...newPlan({ options: { slippageBps: 50, collectLifeMs: 1, depositAddress: address } }),
    watchFromBlock: next(),
  });
  const last = block(next());
  await read(last, [transferIn(last, address, { amount: 3n })]);
  assert.deepEqual(amountsOf((await viewOf(heir)).deposits), ['3']);
  assert.deepEqual(amountsOf((await viewOf(ended)).deposits), ['1', '2']);
});

test('what came before the next plan of an address stays with the one that ended', async () => {
  const address = freshAddress();
  const first = await planAt(address);
  const ended = await bench.change(first, { type: 'PLAN_ENDED', force: false });
  const at = block(next());
  const late = transferIn(at, address, { amount: 4n });
  await read(at, [late]);
  const heir = await bench.create({
    ...newPlan({ options: { slippageBps: 50, collectLifeMs: 1, depositAddress: address } }),
    watchFromBlock: next(),
  });
  assert.deepEqual(amountsOf((await viewOf(heir)).deposits), []);
  assert.deepEqual(amountsOf((await viewOf(ended)).deposits), ['4']);
  const counted = await bench.change(ended, recorded(ended, late));
  assert.equal(counted.ledger?.at(-1)?.actual, '4');
  const own = block(next());
  const later = transferIn(own, address, { amount: 3n });
  await read(own, [later]);
  const { payments } = bench.store;
  const context = { actor: 'test', atMs: TIME_MS };
  const refused = await payments.changePlan(bench.scope, ended.planId, recorded(ended, later), context);
  assert.ok(!refused.ok && refused.reason === 'TRANSFER_CLAIMED', 'it is the open plan’s');
});

test('a plan that is paid again takes no deposit of the plan that has its address now', async () => {
  const address = freshAddress();
  const first = await planAt(address);
  const at = block(next());
  const paid = transferIn(at, address, { amount: 1_000n });
  await read(at, [paid]);
  const returned = await returnedAfter(first, paid);
  const heir = await bench.create(
    {
      ...newPlan({ options: { slippageBps: 50, collectLifeMs: 1, depositAddress: address } }),
      watchFromBlock: next(),
    },
    bench.otherScope,
  );
  const again = await bench.change(returned, {
    type: 'STEP_RETRIED',
    stepId: stepId(returned, 'CUSTODIAN_PAYOUT'),
    endToEndId: 'FW2',
  });
  const own = block(next());
  const theirs = transferIn(own, address, { amount: 3n });
  await read(own, [theirs]);
  assert.deepEqual(amountsOf((await viewOf(again)).deposits), ['1000']);
  const refused = await bench.store.payments.changePlan(bench.scope, again.planId, recorded(again, theirs), {
    actor: 'test',
    atMs: TIME_MS,
  });
  assert.ok(!refused.ok && refused.reason === 'TRANSFER_CLAIMED', 'it is of the plan that has the address');
  const { view } = await store.view(bench.otherScope, heir, { tags: [], payoutAddresses: [] });
  assert.deepEqual(amountsOf(view.deposits), ['3']);
});

/** The plan after its deposit was swapped, paid out and came back. */
async function returnedAfter(plan: Plan, paid: ReadTransfer): Promise<Plan> {
  const deposited = await bench.change(plan, recorded(plan, paid));
  const confirmed = await bench.change(deposited, {
    type: 'RECORD_READ',
    added: [],
    stepId: stepId(plan, 'AWAIT_DEPOSIT'),
    readNumber: paid.blockNumber + 100,
  });
  const told = await bench.change(confirmed, instructions(confirmed));
  const swapped = await bench.change(
    told,
    swap(told, evidence(hashOf(`swap ${plan.planId}`), 1_500n, 'FINAL')),
  );
  const payoutId = stepId(swapped, 'CUSTODIAN_PAYOUT');
  const reference = { stepId: payoutId, providerReference: `PO-${plan.planId}` };
  const done = await bench.change(swapped, { type: 'PAYOUT_DONE', ...reference, verification: 'REPORTED' });
  return bench.change(done, {
    type: 'PAYOUT_RETURNED',
    stepId: payoutId,
    providerReference: `RT-${plan.planId}`,
  });
}

test('a transfer that settles another plan is not shown, nor is one that the chain lost', async () => {
  const address = freshAddress();
  const plan = await planAt(address);
  const other = await planAt();
  const at = block(next());
  const [own, taken] = [transferIn(at, address, { amount: 7n }), transferIn(at, address, { amount: 8n })];
  await read(at, [own, taken]);
  await bench.change(other, recorded(other, taken));
  assert.deepEqual(amountsOf((await viewOf(plan)).deposits), ['7']);
  const after = await bench.change(plan, recorded(plan, own));
  assert.deepEqual(amountsOf((await viewOf(after)).deposits), ['7']);
  await read(block(at.number, 'b'), [], { ancestor: at.number - 1 });
  const { deposits, gone, unrecorded } = await viewOf(after);
  assert.deepEqual([deposits, gone.map(({ logIndex }) => logIndex), unrecorded], [[], [own.logIndex], []]);
});

function recorded(plan: Plan, transfer: ReadTransfer): PlanCommand {
  const { untraced: _untraced, tag: _tag, ...place } = transfer;
  const added = [{ ...place, chainId: 31337, amount: amountOf(transfer.amount) } as RecordedTransfer];
  const id = stepId(plan, 'AWAIT_DEPOSIT');
  return { type: 'RECORD_READ', stepId: id, readNumber: transfer.blockNumber, added };
}

const openRequests = async () => (await store.openRequests(CHAIN, tip?.number ?? 0, 10)).requests;

test('a transaction is asked for again when its plan rests on another log of it, too', async () => {
  const plan = await planAt();
  const at = block(next());
  await read(at);
  const asked = { txHash: hashOf('two logs'), blockHash: at.hash, blockNumber: at.number, logIndexes: [1] };
  await store.request(bench.scope, plan.planId, 31337, asked);
  await store.endRequests(CHAIN, [asked]);
  assert.deepEqual(await openRequests(), []);
  const both = { ...asked, logIndexes: [1, 2] };
  await store.request(bench.scope, plan.planId, 31337, both);
  assert.deepEqual(await openRequests(), [both]);
  await store.endRequests(CHAIN, [both]);
});

test('a transaction that a plan rests on is asked for once, and anew when it is in another block', async () => {
  const plan = await planAt();
  const at = block(next());
  const moved = transferIn(at, freshAddress());
  const after = await bench.change(plan, recorded(plan, moved));
  const asked = {
    txHash: moved.txHash,
    blockHash: at.hash,
    blockNumber: at.number,
    logIndexes: [moved.logIndex],
  };
  assert.deepEqual(
    (await viewOf(after)).unrecorded.map(({ blockHash }) => blockHash),
    [at.hash],
  );
  const ask = () => store.request(bench.scope, plan.planId, 31337, asked);
  await ask();
  // Not before its block was read.
  assert.deepEqual([(await store.renewLease(lease)).isAsked, await openRequests()], [false, []]);
  await read(at);
  assert.deepEqual([(await store.renewLease(lease)).isAsked, await openRequests()], [true, [asked]]);
  await read(at, [moved]);
  await store.endRequests(CHAIN, [asked]);
  assert.deepEqual(await chainJobs(), [`chain:${plan.planId}`]);
  await ask();
  assert.deepEqual([await openRequests(), (await viewOf(after)).unrecorded], [[], []]);
  await sql`select graphile_worker.remove_job(${`chain:${plan.planId}`})`.execute(bench.database);
  await read(block(at.number, 'c'), [], { ancestor: at.number - 1 });
  assert.deepEqual(await chainJobs(), [`chain:${plan.planId}`], 'the reorganisation concerns the plan');
  // Its block may be back: then the record has to read it once more.
  assert.deepEqual(
    (await viewOf(after)).gone.map(({ blockNumber }) => blockNumber),
    [at.number],
  );
  await ask();
  assert.deepEqual(await openRequests(), [asked]);
  const again = { ...asked, blockHash: hashOf(`c${at.number}`) };
  await store.request(bench.scope, plan.planId, 31337, again);
  assert.deepEqual(await openRequests(), [again]);
});

test('nothing in a block before a plan began is its deposit or its swap', async () => {
  const address = freshAddress();
  const options = { slippageBps: 50, collectLifeMs: 1, depositAddress: address };
  const plan = await bench.create({ ...newPlan({ options }), watchFromBlock: next() + 1 });
  const tag = `0x${'ba'.repeat(16)}` as const;
  for (const amount of [LEAST, LEAST + 1n]) {
    const at = block(next());
    const swapped = transferIn(at, SETTLEMENT, { tag, token: PAYOUT_TOKEN, amount });
    await read(at, [transferIn(at, address, { amount }), swapped]);
  }
  const { deposits, executions } = await viewOf(plan, { tags: [tag] });
  assert.deepEqual([amountsOf(deposits), amountsOf(executions)], [['150'], ['150']]);
});

test('what a swap brings to the deposit address of its own plan is no deposit', async () => {
  const address = freshAddress();
  const made = newPlan({ options: { slippageBps: 50, collectLifeMs: 1, depositAddress: address } });
  const target = { ...made.corridor.target, settlementAddress: address };
  const plan = await bench.create({ ...made, corridor: { ...made.corridor, target } });
  const at = block(next());
  const brought = evidence(hashOf('swap to itself'), 1_500n, 'FINAL', at.number);
  const swapped = { txHash: brought.txHash, logIndex: 3, amount: 1_500n, token: target.token };
  await read(at, [transferIn(at, address, swapped), transferIn(at, address, { amount: 4n })]);
  const paid = await bench.change(plan, reported(plan));
  assert.deepEqual(amountsOf((await viewOf(paid)).deposits), ['1500', '4']);
  assert.deepEqual(amountsOf((await viewOf(await bench.change(paid, swap(paid, brought)))).deposits), ['4']);
});

test('what a wallet was paid before the block of the swap is not the payout', async () => {
  const [wallet, custodian] = [freshAddress(), freshAddress()];
  const recipient = { type: 'wallet', chainId: 31337, address: wallet, fingerprint: 'f6' } as const;
  const plan = await bench.create(newPlan({ recipient }));
  const sent = { from: custodian, token: plan.corridor.target.token };
  const before = block(next());
  await read(before, [transferIn(before, wallet, { ...sent, amount: 7n })]);
  const at = block(next());
  await read(at, [transferIn(at, wallet, { ...sent, amount: 8n })]);
  const deposited = await bench.change(plan, deposit(plan, hashOf('early in')));
  const brought = evidence(hashOf('early out'), 1_500n, 'FINAL', at.number);
  const due = await bench.change(deposited, swap(deposited, brought));
  assert.deepEqual(amountsOf((await viewOf(due, { payoutAddresses: [custodian] })).payouts), ['8']);
});

test('a transfer told as a refund is shown as no payout, unless a stranger tells it', async () => {
  const [wallet, custodian] = [freshAddress(), freshAddress()];
  const recipient = { type: 'wallet', chainId: 31337, address: wallet, fingerprint: 'f5' } as const;
  const swapped = async (name: string, scope: PlanScope, made = newPlan()) => {
    const plan = await bench.create(made, scope);
    await tell(scope, plan, deposit(plan, hashOf(`${name} in`)));
    await tell(scope, plan, swap(plan, evidence(hashOf(`${name} out`), 1_500n)));
    return plan;
  };
  const tell = async (scope: PlanScope, { planId }: Plan, event: PlanCommand) => {
    const context = { actor: 'test', atMs: TIME_MS };
    const changed = await bench.store.payments.changePlan(scope, planId, event, context);
    assert.ok(changed.ok, JSON.stringify(changed));
    return changed.plan;
  };
  const { planId } = await swapped('due', bench.scope, newPlan({ recipient }));
  const at = block(next());
  const { target } = newPlan().corridor;
  const sent = { from: custodian, token: target.token };
  const paid = [7n, 8n, 9n].map((amount) => transferIn(at, wallet, { ...sent, amount }));
  await read(at, paid);
  const shown = async () => {
    const { plan } = await bench.store.payments.loadPlan(bench.scope, planId);
    return amountsOf((await viewOf(plan ?? assert.fail(), { payoutAddresses: [custodian] })).payouts);
  };
  assert.deepEqual(await shown(), ['7', '8', '9']);
  const refund = async (index: number, scope: PlanScope, verification: 'VERIFIED' | 'REPORTED') => {
    const moved = paid[index] ?? assert.fail();
    const money = { amount: amountOf(moved.amount), asset: { chainId: 31337, address: target.token } };
    const { amount: _amount, token: _token, ...place } = moved;
    const told = { type: 'REFUND_RECORDED', money, verification, transfer: { ...place, chainId: 31337 } };
    await tell(scope, await swapped(`refund ${index}`, scope), told as PlanCommand);
  };
  await refund(0, bench.otherScope, 'REPORTED');
  assert.deepEqual(await shown(), ['7', '8', '9']);
  await refund(1, bench.otherScope, 'VERIFIED');
  assert.deepEqual(await shown(), ['7', '9']);
  await refund(2, bench.scope, 'REPORTED');
  assert.deepEqual(await shown(), ['7']);
});

test('a payment that no node traces may have executed instructions that were given out', async () => {
  const plan = await planAt();
  const untracedOf = async (of: Plan) => (await store.untracedExecution(bench.scope, of)).txHash;
  const paid = (at: RecordedBlock, amount: bigint, changes: Partial<ReadTransfer> = {}) =>
    transferIn(at, SETTLEMENT, { token: PAYOUT_TOKEN, amount, untraced: true, ...changes });
  const given = swapStep(plan).attempts.at(-1);
  assert.ok(given);
  const least = BigInt(given.minAmountOut);
  const after = (number: number): RecordedBlock => ({ ...block(number), timeMs: given.derivedAtMs + 1000 });
  const earlier = { ...block(next()), timeMs: given.derivedAtMs - 3_600_000 };
  await read(earlier, [paid(earlier, least)]);
  const second = after(next());
  await read(second, [
    paid(second, least - 1n),
    transferIn(second, SETTLEMENT, { token: PAYOUT_TOKEN, amount: least, tag: `0x${TAG}` }),
    paid(second, least, { token: TOKEN }),
  ]);
  assert.equal(await untracedOf(plan), undefined, 'too early, too little, traced, or of another token');
  const third = after(next());
  const halves = [paid(third, least - 1n), paid(third, 1n)].map((each) => ({
    ...each,
    txHash: hashOf('both'),
  }));
  await read(third, halves);
  assert.equal(await untracedOf(plan), hashOf('both'));
  const later = newPlan({}, third.timeMs + 3_600_000);
  assert.equal(await untracedOf(later), undefined, 'its instructions were given out later');
});
