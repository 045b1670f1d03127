import { createCipheriv, randomBytes, randomUUIDv7 } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import {
  type Address,
  amountOf,
  type Corridor,
  createPlan,
  type Plan,
  type PlanId,
  type Recipient,
  type StepId,
} from '@fairway/plan';
import { openStore, type PlanScope, type Store, startTemporaryPostgres } from '@fairway/store';
import { Pool } from 'pg';
import type { Benchmark, Progress, Row } from './benchmark.ts';
import { writePlanByHand } from './planByHand.ts';
import { median, short } from './statistics.ts';

const ROUNDS = 9;
const ROUND_MS = 2_000;
/** Requests under way at once: as many as the store has connections. */
const CONCURRENCY = 10;
const TARGET_SHARE = 0.6;

/**
 * Payment plans kept per second, and the same rows written by a plain transaction of pg, in turns on one database: what
 * the store's rules cost beside what PostgreSQL itself takes. The sealing of the recipient is part of both.
 */
export const planRate: Benchmark = {
  name: 'plans',
  title: 'Payment plans kept per second',
  run: async (progress) => {
    progress('starting PostgreSQL');
    const cacheDirectory = fileURLToPath(new URL('../../node_modules/.cache/fairway', import.meta.url));
    const postgres = await startTemporaryPostgres({ cacheDirectory, log: () => {} });
    const sealingKey = { id: 'bench', key: randomBytes(32) };
    const opened = await openStore({ connection: postgres.connection, sealingKeys: [sealingKey] });
    if (!opened.ok) throw new Error(opened.detail);
    const pool = new Pool({ ...postgres.connection, max: CONCURRENCY });
    pool.on('error', (error) => progress(error.message));
    try {
      return await compare(opened.store, pool, sealingKey.key, progress);
    } finally {
      await pool.end();
      await opened.store.close();
      await postgres.close();
    }
  },
};

async function compare(store: Store, pool: Pool, sealingKey: Buffer, progress: Progress): Promise<Row[]> {
  const made = await store.createCredential({
    organisation: 'Bench',
    environment: 'sandbox',
    permissions: [],
  });
  if (!made.ok) throw new Error('The organisation cannot be made.');
  const scope: PlanScope = { organisationId: made.organisationId, environment: 'sandbox' };
  const byStore = () => keepByStore(store, scope);
  const byHand = () => keepByHand(pool, scope, sealingKey);
  const rates = { store: [] as number[], hand: [] as number[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    progress(round === 0 ? 'warming up' : `round ${round} of ${ROUNDS}`);
    // In turns that change places, as what ran before leaves the database work to do.
    const isStoreFirst = round % 2 === 0;
    const first = await ratePerSecond(isStoreFirst ? byStore : byHand);
    const second = await ratePerSecond(isStoreFirst ? byHand : byStore);
    const [storeRate, handRate] = isStoreFirst ? [first, second] : [second, first];
    if (round === 0) continue;
    rates.store.push(storeRate);
    rates.hand.push(handRate);
  }
  const share = median(rates.store.map((rate, index) => rate / (rates.hand[index] ?? Number.NaN)));
  return [
    {
      what: 'plans of the store',
      measured: `${short(median(rates.store))} a second`,
      note: 'one statement each',
    },
    {
      what: 'the same rows, by hand with pg',
      measured: `${short(median(rates.hand))} a second`,
      note: 'begin, six statements, commit',
    },
    {
      what: 'share',
      measured: `${short(100 * share)} %`,
      note: `median of ${ROUNDS} rounds in turns, ${CONCURRENCY} at once`,
      target: { text: `≥ ${100 * TARGET_SHARE} %`, met: share >= TARGET_SHARE },
    },
  ];
}

async function ratePerSecond(keep: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  const until = startedAt + ROUND_MS;
  let count = 0;
  const line = async () => {
    while (performance.now() < until) {
      await keep();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, line));
  return (1000 * count) / (performance.now() - startedAt);
}

async function keepByStore(store: Store, scope: PlanScope): Promise<void> {
  const plan = newPlan();
  const bodyFingerprint = store.fingerprint('request', scope.organisationId, plan.clientReference);
  const created = await store.payments.createPlan(scope, {
    plan,
    actor: 'bench',
    bodyFingerprint,
    recipient,
  });
  if (!created.ok || created.outcome !== 'CREATED') throw new Error('A plan was not kept.');
}

async function keepByHand(pool: Pool, scope: PlanScope, key: Buffer): Promise<void> {
  const plan = newPlan();
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = Buffer.concat([
    nonce,
    cipher.update(JSON.stringify(recipient)),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  await writePlanByHand(pool, { scope, plan, sealed, bodyFingerprint: randomBytes(32) });
}

const address = (byte: string): Address => `0x${byte.repeat(20)}`;

const corridor: Corridor = {
  id: 'usdc-aud-bank',
  source: { chainId: 31337, token: address('01') },
  target: {
    type: 'BANK',
    country: 'AU',
    currency: 'AUD',
    chainId: 31337,
    token: address('02'),
    custodian: 'Custodian',
    settlementAddress: address('03'),
  },
  status: 'ACTIVE',
  modes: ['STANDARD'],
  recipientTypes: ['bank'],
  minAmountIn: amountOf(1n),
  maxAmountIn: amountOf(10n ** 30n),
  minConfirmations: 1,
  settlementTime: { min: 'PT1M', max: 'P1D' },
};

const recipient: Recipient = {
  type: 'bank',
  name: 'Jo Citizen',
  country: 'AU',
  account: { bsb: '062000', accountNumber: '12345678' },
};

/** Calldata of a swap over two pools, and a quote with two legs: what a plan of the sandbox carries. */
const data = `0x${'5ae401dc'.padEnd(2 * 900, '0')}`;
const leg = {
  pool: address('04'),
  kind: 'UNISWAP_V3',
  source: 'uniswap-v3',
  feeBps: 5,
  amountIn: '1000000000',
};
const quote = {
  chainId: 31337,
  amountIn: '1000000000',
  amountOut: '1537592317',
  route: { legs: [leg, leg] },
};

function newPlan(): Plan {
  const nowMs = Date.now();
  const id = () => randomUUIDv7().replaceAll('-', '');
  const stepId = () => `step_${id()}` as StepId;
  const created = createPlan(
    corridor,
    {
      clientReference: `INV-${id()}`,
      amountIn: amountOf(1_000_000_000n),
      recipient: {
        type: 'bank',
        name: 'J. C.',
        country: 'AU',
        account: { accountNumberLast4: '5678' },
        fingerprint: 'pKjAJNKbYYbJN7CSzLy10X1zDKQWd89VkmPv7znoJic',
      },
      mode: 'STANDARD',
      options: { slippageBps: 50, collectLifeMs: 1_209_600_000 },
      metadata: { order: '42' },
    },
    {
      planId: `plan_${id()}` as PlanId,
      stepIds: [stepId(), stepId(), stepId()],
      endToEndId: `FW${id()}`,
      nowMs,
      lifeMs: 604_800_000,
      watchFromBlock: 1,
      swap: {
        kind: 'DERIVED',
        derived: {
          instructions: [
            { kind: 'EVM_CALL', chainId: 31337, to: address('05'), data, value: '0', constraints: {} },
          ],
          quote,
          amountOut: amountOf(1_537_592_317n),
          minAmountOut: amountOf(1_529_904_356n),
          notAfterMs: nowMs + 1_200_000,
        },
      },
    },
  );
  if (!created.ok) throw new Error(created.refusal.reason);
  return created.plan;
}
