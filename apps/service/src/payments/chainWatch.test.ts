// Tests the watch with a node and a database that are slow, hang, or fail for one plan. Real ones cannot be made to do
// so on demand, so both are simulated here.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  amountOf,
  type Corridor,
  createPlan,
  decide,
  depositStep,
  type Plan,
  type PlanEvent,
  type PlanId,
  type StepId,
  swapStep,
  type Transfer,
} from '@fairway/plan';
import type { ChangedPlan, ScopedPlanId, WatchedPlan } from '@fairway/store';
import pino from 'pino';
import type { ChainService } from '../chains/chainService.ts';
import type { Report } from './stepReport.ts';
import { type ChainWatch, startChainWatch } from './chainWatch.ts';
import type { Acting, PaymentParts } from './paymentParts.ts';
import { recordDeposit } from './planWork.ts';
import { reportOnStep } from './reportOnStep.ts';

const MADE_AT_MS = 1_790_000_000_000;
const CHAIN_ID = 31337;
const SCOPE = { organisationId: 'org_1', environment: 'sandbox' } as const;
const word = (digits: string) => `0x${digits.padStart(64, '0')}` as const;
const addressOf = (index: number) => `0x${(index + 1).toString(16).padStart(40, '0')}` as const;

const corridor: Corridor = {
  id: 'usdc-aud-bank',
  source: { chainId: CHAIN_ID, token: `0x${'0a'.repeat(20)}` },
  target: {
    ...{ type: 'BANK', country: 'AU', currency: 'AUD', custodian: 'Test custodian', chainId: CHAIN_ID },
    ...{ token: `0x${'0b'.repeat(20)}`, settlementAddress: `0x${'0c'.repeat(20)}` },
  },
  status: 'ACTIVE',
  modes: ['STANDARD'],
  recipientTypes: ['bank'],
  minAmountIn: amountOf(1n),
  maxAmountIn: amountOf(1_000_000n),
  minConfirmations: 1,
  settlementTime: { min: 'PT1M', max: 'P1D' },
};

function planWithAddress(index: number): Plan {
  const created = createPlan(
    corridor,
    {
      clientReference: `INV-${index}`,
      amountIn: amountOf(1_000n),
      recipient: {
        type: 'bank',
        name: 'J',
        country: 'AU',
        account: { accountNumberLast4: '78' },
        fingerprint: 'f',
      },
      mode: 'STANDARD',
      options: { slippageBps: 50, collectLifeMs: 1, depositAddress: addressOf(index) },
      metadata: {},
    },
    {
      planId: `plan_${index}` as PlanId,
      stepIds: ['step_1' as StepId, 'step_2' as StepId, 'step_3' as StepId],
      ...{ endToEndId: `E${index}`, nowMs: MADE_AT_MS, lifeMs: 86_400_000, watchFromBlock: 1 },
      swap: {
        kind: 'DERIVED',
        derived: {
          ...{ instructions: [], quote: {}, notAfterMs: MADE_AT_MS + 1_200_000 },
          ...{ amountOut: amountOf(1_500n), minAmountOut: amountOf(1_490n) },
        },
      },
    },
  );
  assert.ok(created.ok);
  return created.plan;
}

/** A plan whose swap was done by a transaction in a block 5 that is not part of the node's chain. */
function swappedPlan(index: number): Plan {
  const block = { chainId: CHAIN_ID, txHash: word('51'), blockNumber: 5, blockHash: word('ee05') };
  const moved: Transfer = { ...block, logIndex: 0, amount: amountOf(1_500n) };
  const whole = amountOf(1_000n);
  const plan = planWithAddress(index);
  const events: PlanEvent[] = [
    {
      ...{ type: 'DEPOSIT_OBSERVED', stepId: depositStep(plan).stepId, transfers: [] },
      ...{ received: whole, confirmed: whole },
    },
    {
      ...{ type: 'SWAP_EVIDENCED', stepId: swapStep(plan).stepId, attemptIndex: 0 },
      evidence: {
        ...{ ...block, sender: addressOf(99), nonce: 1, transfers: [moved], amount: moved.amount },
        status: 'FINAL',
      },
    },
  ];
  return events.reduce((before, event) => {
    const decision = decide(before, event, MADE_AT_MS + 1);
    assert.ok(decision.ok, event.type);
    return decision.plan;
  }, plan);
}

type Call = { readonly method: string; readonly params?: readonly unknown[] };

/** A node whose latest block is 10. `logs` answers eth_getLogs for the addresses in its filter. */
function chainOf(logs: (addresses: readonly string[]) => Promise<unknown>) {
  let salt = 0;
  const headerOf = (number: bigint) => ({
    ...{ number: `0x${number.toString(16)}`, timestamp: '0x1', parentHash: word('0') },
    hash: word(`${salt}${number.toString(16).padStart(4, '0')}`),
  });
  const answers: Record<string, (params: readonly unknown[]) => unknown> = {
    eth_getBlockByNumber: ([number]) => headerOf(number === 'latest' ? 10n : BigInt(String(number))),
    eth_getLogs: ([filter]) => {
      const [, , recipients] = (filter as { topics: [unknown, unknown, string[]] }).topics;
      return logs(recipients.map((topic) => `0x${topic.slice(-40)}`));
    },
    eth_getTransactionByHash: () => null,
    eth_getTransactionReceipt: () => null,
    eth_getTransactionCount: () => '0x0',
  };
  const chain = {
    chainId: CHAIN_ID,
    follower: { head: () => ({ number: 10n, hash: headerOf(10n).hash }) },
    request: async ({ method, params = [] }: Call) => answers[method]?.(params),
    // The watch uses only these members; the others would need a market.
  } as unknown as ChainService;
  return { chain, newHead: () => void (salt += 1) };
}

/** A database of plans, and a list of the events that were recorded. The plans do not change with the events. */
function databaseOf(
  watched: readonly Plan[],
  resting: readonly Plan[],
  refuse: (event: PlanEvent) => ChangedPlan | undefined = () => undefined,
) {
  const plans = new Map([...watched, ...resting].map((plan): [string, Plan] => [plan.planId, plan]));
  const happened: { readonly planId: string; readonly type: PlanEvent['type']; readonly event: PlanEvent }[] =
    [];
  const idOf = ({ planId }: Plan): ScopedPlanId => ({ scope: SCOPE, planId });
  const watchedOf = (plan: Plan): WatchedPlan => ({
    ...{ ...idOf(plan), token: corridor.source.token, depositAddress: plan.options.depositAddress ?? '' },
    ...{ isConfirming: true, lastBlockNumber: undefined },
  });
  const payments = {
    watchedPlans: async () => ({ ok: true, plans: watched.map(watchedOf) }),
    plansWithEvidence: async () => ({ ok: true, plans: resting.map(idOf) }),
    loadPlan: async (_scope: unknown, planId: string) => ({ ok: true, plan: plans.get(planId) }),
    changePlan: async (_scope: unknown, planId: string, event: PlanEvent): Promise<ChangedPlan> => {
      happened.push({ planId, type: event.type, event });
      const plan = plans.get(planId);
      assert.ok(plan);
      return refuse(event) ?? { ok: true, outcome: 'UNCHANGED', plan };
    },
  };
  return { payments, happened };
}

/** Parts of payments over a chain and a database. */
function partsOf(chain: ChainService, { payments }: ReturnType<typeof databaseOf>): PaymentParts {
  const chains = new Map([[CHAIN_ID, chain]]);
  const parts = { chains, store: { payments }, nowMs: () => MADE_AT_MS + 1 };
  // The watch uses only these members.
  return parts as unknown as PaymentParts;
}

/** Starts a watch of a chain and a database; the end of the test closes the watch. */
function watching(
  t: TestContext,
  chain: ChainService,
  database: ReturnType<typeof databaseOf>,
  log = pino({ level: 'silent' }),
): ChainWatch {
  const watch = startChainWatch(partsOf(chain, database), chain, 'sandbox', log);
  t.after(() => watch.close());
  return watch;
}

const deposits = Array.from({ length: 12 }, (_, index) => planWithAddress(index));

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds() && tries < 400; tries += 1) await sleep(10);
  assert.ok(holds(), `It never came true that ${what}`);
}

test('the watch compares four plans at a time', async (t) => {
  let [asked, most] = [0, 0];
  const { chain } = chainOf(async () => {
    asked += 1;
    most = Math.max(most, asked);
    await sleep(5);
    asked -= 1;
    return [];
  });
  const database = databaseOf(deposits, []);
  watching(t, chain, database);
  await until('every deposit is recorded', () => database.happened.length >= deposits.length);
  assert.deepEqual(
    new Set(database.happened.map(({ planId }) => planId)),
    new Set(deposits.map(({ planId }) => planId)),
  );
  assert.equal(most, 4);
});

test('a plan that cannot be compared is logged, delays no other plan, and is retried later', async (t) => {
  let isBroken = true;
  const { chain, newHead } = chainOf(async ([address]) => {
    if (isBroken && address === addressOf(0)) throw new TypeError('Planted');
    return [];
  });
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const database = databaseOf(deposits, []);
  const isRecorded = (plan: Plan | undefined) =>
    database.happened.some(({ planId }) => planId === plan?.planId);
  watching(t, chain, database, log);
  await until('all others are recorded', () => deposits.slice(1).every(isRecorded));
  assert.ok(!isRecorded(deposits[0]));
  const [line] = lines.map((each): unknown => JSON.parse(each));
  assert.partialDeepStrictEqual(line, { chainId: CHAIN_ID, planId: 'plan_0', err: { message: 'Planted' } });
  isBroken = false;
  newHead();
  await until('the plan is compared again', () => isRecorded(deposits[0]));
});

test('the watch records a reorganisation while the node has not answered about deposits', async (t) => {
  const hung = Promise.withResolvers<unknown>();
  t.after(() => hung.resolve([]));
  const { chain } = chainOf(() => hung.promise);
  const resting = swappedPlan(50);
  const database = databaseOf(deposits, [resting]);
  watching(t, chain, database);
  await until('the loss is recorded', () =>
    database.happened.some(({ planId, type }) => planId === resting.planId && type === 'EVIDENCE_LOST'),
  );
  assert.deepEqual(new Set(database.happened.map(({ type }) => type)), new Set(['EVIDENCE_LOST']));
});

test('a lost swap counts as replaced only where the other transaction is seen', async (t) => {
  const rival = { hash: word('52'), from: addressOf(99), nonce: '0x1', input: '0x', value: '0x0', to: null };
  for (const [cause, transactions] of [
    ['REORGANISED', []],
    ['REPLACED', [rival]],
  ] as const) {
    const { chain } = chainOf(async () => []);
    const { request } = chain;
    // Block 7 used the nonce.
    const place = { blockNumber: '0x7', blockHash: word('0007') };
    const answers: Record<string, (params: readonly unknown[]) => unknown> = {
      eth_getTransactionCount: ([, block]) => (block === 'latest' || Number(block) >= 7 ? '0x2' : '0x1'),
      eth_getTransactionByHash: ([hash]) => (hash === rival.hash ? { ...rival, ...place } : null),
      eth_getTransactionReceipt: ([hash]) =>
        hash === rival.hash ? { transactionHash: hash, status: '0x1', logs: [], ...place } : null,
    };
    const used = {
      ...chain,
      request: async (call: Call) => {
        const { method, params = [] } = call;
        if (method === 'eth_getBlockByNumber' && params[1] === true)
          return { ...((await request(call)) as object), transactions };
        return answers[method]?.(params) ?? request(call);
      },
      // As above.
    } as unknown as ChainService;
    const database = databaseOf([], [swappedPlan(50)]);
    watching(t, used, database);
    await until('the loss is recorded', () => database.happened.length > 0);
    assert.partialDeepStrictEqual(database.happened[0]?.event, { type: 'EVIDENCE_LOST', cause });
  }
});

test('the watch logs a loss it cannot record because another plan has the deposit address', async (t) => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const taken: ChangedPlan = { ok: false, reason: 'DEPOSIT_ADDRESS_IN_USE' };
  const database = databaseOf([], [swappedPlan(50)], () => taken);
  watching(t, chainOf(async () => []).chain, database, log);
  await until('a line is logged', () => lines.length > 0);
  assert.match(lines[0] ?? '', /EVIDENCE_LOST would open the plan again.*"planId":"plan_50"/);
});

test('the watch reads a block a second time before it records that evidence is lost', async (t) => {
  const { chain } = chainOf(async () => []);
  const { request } = chain;
  let asked = 0;
  // The node has another block 5 at the first request, and the block of the evidence from then on.
  const settling = {
    ...chain,
    request: async (call: Call) => {
      const answer = (await request(call)) as { readonly hash: string };
      if (call.method !== 'eth_getBlockByNumber' || call.params?.[0] !== '0x5') return answer;
      asked += 1;
      return asked === 1 ? answer : { ...answer, hash: word('ee05') };
    },
    // The type of a node's answer depends on the method, which this function does not model.
  } as unknown as ChainService;
  const database = databaseOf([], [swappedPlan(50)]);
  const watch = watching(t, settling, database);
  await until('the block is asked for twice', () => asked >= 2);
  await watch.close();
  assert.deepEqual(database.happened, []);
});

test('a watch that is closing starts no comparison of another plan', async (t) => {
  const hung = Promise.withResolvers<unknown>();
  t.after(() => hung.resolve([]));
  let asked = 0;
  const { chain } = chainOf(() => {
    asked += 1;
    return hung.promise;
  });
  const database = databaseOf(deposits, []);
  const watch = watching(t, chain, database);
  await until('the node is asked', () => asked === 4);
  const closed = watch.close();
  hung.resolve([]);
  await closed;
  assert.equal(database.happened.length, 4);
});

/** A deposit of 30 transfers. All but the last one settle steps of other plans. */
function sharedDeposit() {
  const transferTo = (logIndex: number) => ({
    ...{ address: corridor.source.token, data: word('64'), logIndex: `0x${logIndex.toString(16)}` },
    ...{ transactionHash: word('77'), blockNumber: '0x7', blockHash: word('0007'), removed: false },
    topics: [
      '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
      word('99'),
      word(addressOf(0).slice(2)),
    ],
  });
  const { chain } = chainOf(async () => Array.from({ length: 30 }, (_, logIndex) => transferTo(logIndex)));
  const claimedAlready = (event: PlanEvent): ChangedPlan | undefined => {
    const transfers = event.type === 'DEPOSIT_OBSERVED' ? event.transfers.slice(0, -1) : [];
    return transfers.length === 0 ? undefined : { ok: false, reason: 'TRANSFER_CLAIMED', transfers };
  };
  const plan = { ...planWithAddress(0), amountIn: amountOf(100n) };
  const database = databaseOf([plan], [], claimedAlready);
  return { plan, database, parts: partsOf(chain, database) };
}

test('a deposit is recorded at the second try when transfers to its address settle other steps', async () => {
  const { plan, database, parts } = sharedDeposit();
  assert.deepEqual(await recordDeposit(parts, SCOPE, plan), { ok: true, value: plan });
  assert.equal(database.happened.length, 2);
});

test('a reported deposit above the latest block is not mined yet, and has not brought nothing', async () => {
  const { chain } = chainOf(async () => []);
  const { request } = chain;
  for (const [blockNumber, detail] of [
    ['0xb', /is not mined yet; report it when it is/],
    ['0x7', /brought nothing to the deposit address/],
  ] as const) {
    const place = { blockNumber, blockHash: word(`000${blockNumber.slice(2)}`) };
    const sent = { hash: word('77'), from: addressOf(9), nonce: '0x0', input: '0x', value: '0x0', to: null };
    const answers: Record<string, unknown> = {
      eth_getTransactionByHash: { ...sent, ...place },
      eth_getTransactionReceipt: { transactionHash: sent.hash, status: '0x1', logs: [], ...place },
    };
    const mined = {
      ...chain,
      request: async (call: Call) => answers[call.method] ?? request(call),
      // As above.
    } as unknown as ChainService;
    const plan = planWithAddress(0);
    const parts = partsOf(mined, databaseOf([plan], []));
    const report: Report = { outcome: 'DONE', txHash: sent.hash };
    const acting: Acting = { scope: SCOPE, actor: 'cred_1' };
    const answer = await reportOnStep(parts, acting, { plan, step: depositStep(plan) }, report);
    assert.ok(!answer.ok);
    assert.match(answer.problem.detail, detail);
  }
});

test('a report of a watched deposit does not count transfers that settle other steps', async () => {
  const { plan, database, parts } = sharedDeposit();
  const acting: Acting = { scope: SCOPE, actor: 'cred_1' };
  const report: Report = { outcome: 'DONE' };
  const answer = await reportOnStep(parts, acting, { plan, step: depositStep(plan) }, report);
  assert.ok(answer.ok, JSON.stringify(answer));
  assert.equal(database.happened.length, 2);
  // Without the transfers that settle other steps, 100 arrived, which is less than this plan expects.
  const more = { ...plan, amountIn: amountOf(101n) };
  const refused = await reportOnStep(parts, acting, { plan: more, step: depositStep(more) }, report);
  assert.ok(!refused.ok && /has received 100 of 101/.test(refused.problem.detail ?? ''));
});
