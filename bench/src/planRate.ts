import { createCipheriv, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { startTemporaryPostgres } from '@fairway/postgres';
import { openStore, type PlanScope, type Store } from '@fairway/store';
import { Pool } from 'pg';
import type { Benchmark, Progress, Row } from './benchmark.ts';
import { writePlanByHand } from './planByHand.ts';
import { newSamplePlan, SAMPLE_RECIPIENT } from './samplePlan.ts';
import { median, short } from './measuring/statistics.ts';

const ROUNDS = 9;
const ROUND_MS = 2_000;
/** Requests under way at the same time: as many as the store has connections. */
const CONCURRENCY = 10;
const TARGET_SHARE = 0.6;

/**
 * Payment plans written per second by the store, and by a plain transaction of pg for the same rows, in turns on one
 * database. This shows what the store's rules cost in addition to PostgreSQL itself. Both seal the recipient.
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
    // The end of the pool does not wait for its connections: the database may end first.
    pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
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
    // The order changes from turn to turn, because each run leaves some work to the database.
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
      note: 'one query each',
    },
    {
      what: 'the same rows, by hand with pg',
      measured: `${short(median(rates.hand))} a second`,
      note: 'begin, six queries, commit',
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
  const plan = newSamplePlan();
  const bodyFingerprint = store.fingerprint('request', scope.organisationId, plan.clientReference);
  const created = await store.payments.createPlan(scope, {
    plan,
    actor: 'bench',
    bodyFingerprint,
    recipient: SAMPLE_RECIPIENT,
  });
  if (!created.ok || created.outcome !== 'CREATED') throw new Error('A plan was not kept.');
}

async function keepByHand(pool: Pool, scope: PlanScope, key: Buffer): Promise<void> {
  const plan = newSamplePlan();
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = Buffer.concat([
    nonce,
    cipher.update(JSON.stringify(SAMPLE_RECIPIENT)),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  await writePlanByHand(pool, { scope, plan, sealed, bodyFingerprint: randomBytes(32) });
}
