import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { leastPlanId } from '@fairway/plan';
import { startTemporaryPostgres } from '@fairway/postgres';
import { openStore, type PlanFilter, type PlanScope, type Store } from '@fairway/store';
import { Pool } from 'pg';
import { atMost, type Benchmark, type Progress, type Row } from './benchmark.ts';
import { copyPlan, type ManyPlans } from './manyPlans.ts';
import { createNumbers, type Numbers } from './measuring/numbers.ts';
import { newSamplePlan, SAMPLE_RECIPIENT } from './samplePlan.ts';
import { median, percentile, short } from './measuring/statistics.ts';

const PAGE = 20;
const QUERIES = 3_000;
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
/** Bounds at p95: with up to this many filters, and with any number. */
const FEW = { filters: 3, ms: 20 };
const ANY_MS = 100;

/**
 * Pages of lists over many plans, by random combinations of all filters, from the newest plan on or from a random place.
 * `FC_PLANS` says how many plans, 100,000 unless given.
 */
export const lists: Benchmark = {
  name: 'lists',
  title: 'Lists of payment plans',
  run: async (progress) => {
    const cacheDirectory = fileURLToPath(new URL('../../node_modules/.cache/fairway', import.meta.url));
    const postgres = await startTemporaryPostgres({ cacheDirectory, log: () => {} });
    const sealingKeys = [{ id: 'bench', key: randomBytes(32) }];
    const opened = await openStore({ connection: postgres.connection, sealingKeys });
    if (!opened.ok) throw new Error(opened.detail);
    const pool = new Pool({ ...postgres.connection, max: 1 });
    // The end of the pool does not wait for its connections: the database may end first.
    pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
    try {
      return await measure(opened.store, pool, Number(process.env['FC_PLANS'] ?? 100_000), progress);
    } finally {
      await pool.end();
      await opened.store.close();
      await postgres.close();
    }
  },
};

async function measure(store: Store, pool: Pool, count: number, progress: Progress): Promise<Row[]> {
  const own = await newScope(store, 'Bench');
  const other = await newScope(store, 'Other');
  const lastMs = Date.now();
  const many: ManyPlans = { count, firstMs: lastMs - YEAR_MS, lastMs };
  progress(`making ${count} plans`);
  const plan = newSamplePlan();
  const bodyFingerprint = store.fingerprint('request', own.organisationId, plan.clientReference);
  const created = await store.payments.createPlan(own, {
    ...{ plan, actor: 'bench', bodyFingerprint, recipient: SAMPLE_RECIPIENT },
  });
  if (!created.ok) throw new Error(created.reason);
  const built = await copyPlan(pool, plan, { own, other }, many);
  progress(`asking for ${QUERIES} pages`);
  const numbers = createNumbers(7);
  const took = new Map<number, number[]>();
  for (let query = 0; query < QUERIES; query += 1) {
    const filter = randomFilter(numbers, many);
    const after =
      numbers.below(2) === 0 ? undefined : leastPlanId(many.firstMs + numbers.below(365) * DAY_MS);
    const startedAt = performance.now();
    await store.payments.listPlans(own, filter, { limit: PAGE, after });
    const ms = performance.now() - startedAt;
    const filters = Object.values(filter).filter((value) => value !== undefined).length;
    took.set(filters, [...(took.get(filters) ?? []), ms]);
  }
  const few = [...took].filter(([filters]) => filters <= FEW.filters).flatMap(([, times]) => times);
  const all = [...took.values()].flat();
  return [
    rowOf(`up to ${FEW.filters} filters`, few, FEW.ms),
    rowOf('any number of filters', all, ANY_MS),
    ...[...took].sort(([a], [b]) => a - b).map(([filters, times]) => rowOf(`${filters} filters`, times)),
    ...built.map(({ name, seconds, megabytes }) => ({
      what: `building ${name}`,
      measured: `${short(seconds)} s`,
      note: `over ${count} plans, ${short(megabytes)} MB; no plan can be written meanwhile`,
    })),
  ];
}

function rowOf(what: string, times: readonly number[], boundMs?: number): Row {
  const p95 = percentile(times, 0.95);
  return {
    what,
    measured: `p95 ${short(p95)} ms`,
    note: `median ${short(median(times))} ms, most ${short(Math.max(...times))} ms, ${times.length} pages of ${PAGE}, as the store answers them`,
    ...(boundMs === undefined ? {} : { target: atMost(p95, boundMs, 'ms') }),
  };
}

async function newScope(store: Store, organisation: string): Promise<PlanScope> {
  const made = await store.createCredential({ organisation, environment: 'sandbox', permissions: [] });
  if (!made.ok) throw new Error('The organisation cannot be made.');
  return { organisationId: made.organisationId, environment: 'sandbox' };
}

/** Values of all frequencies, and one that no plan has. */
const STATUSES = ['COMPLETED', 'ENDED', 'ACTION_REQUIRED', 'IN_PROGRESS', 'RETURNED'] as const;
const MODES = ['STANDARD', 'DIGITAL_COLLECT'] as const;
const CORRIDORS = ['usdc-aud-bank', 'usdc-php-emoney', 'usdc-eur-bank', 'seldom', 'none'] as const;

function randomFilter(numbers: Numbers, { count, firstMs }: ManyPlans): PlanFilter {
  const oneOf = <Value>(values: readonly Value[]) => values[numbers.below(values.length)];
  // A reference leaves one plan at most: it is asked for seldom, so that the other filters have something to do.
  const has = (oneIn: number) => numbers.below(oneIn) === 0;
  const from = firstMs + numbers.below(365) * DAY_MS;
  return {
    status: has(2) ? oneOf(STATUSES) : undefined,
    mode: has(2) ? oneOf(MODES) : undefined,
    corridorId: has(2) ? oneOf(CORRIDORS) : undefined,
    clientReference: has(10) ? `R-${numbers.below(count)}` : undefined,
    createdFrom: has(2) ? new Date(from) : undefined,
    createdTo: has(2) ? new Date(from + (1 + numbers.below(60)) * DAY_MS) : undefined,
  };
}
