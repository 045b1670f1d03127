import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startTemporaryPostgres } from '@fairway/postgres';
import { LIMITS } from '@fairway/wire';
import { Pool } from 'pg';
import { atMost, type Benchmark, type Progress, type Row } from './benchmark.ts';
import { copyMovedPlan, MOVEMENTS_A_PLAN } from './manyPlans.ts';
import { type Login, startMeasuredService } from './measuring/measuredService.ts';
import { short } from './measuring/statistics.ts';

/** How much memory a report of any length may take above what the idle service has. */
const MOST_MEGABYTES = 200;

/**
 * Reports over many movements: how long one is made and downloaded, and how much memory the service takes meanwhile. `FC_PLANS` says
 * of how many plans, 50,000 unless given, with 20 movements each. Workbooks are measured where they hold so many rows.
 */
export const reports: Benchmark = {
  name: 'reports',
  title: 'Reports of movements',
  run: async (progress) => {
    const cacheDirectory = fileURLToPath(new URL('../../node_modules/.cache/fairway', import.meta.url));
    const postgres = await startTemporaryPostgres({ cacheDirectory, log: () => {} });
    const { host, user, database } = postgres.connection;
    const url = `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}`;
    const service = await startMeasuredService({ DATABASE_URL: url });
    const pool = new Pool({ ...postgres.connection, max: 1 });
    // The end of the pool does not wait for its connections: the database may end first.
    pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
    try {
      const plans = Number(process.env['FC_PLANS'] ?? 50_000);
      const ask = askerOf(service.url, service.demo);
      progress(`making ${plans} plans`);
      await copyMovedPlan(pool, await paidPlan(ask), plans);
      return await measure(ask, service.child.pid ?? 0, plans, progress);
    } finally {
      await pool.end();
      await service.stop();
      await postgres.close();
    }
  },
};

type Asker = (path: string, body?: object) => Promise<Response>;

function askerOf(url: string, { username, password }: Login): Asker {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return async (path, body) => {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };
}

const CORRIDOR = 'usdc-aud-bank';
/** Each fourth movement is a payout, which a statement has alone. */
const PAYOUTS_A_PLAN = MOVEMENTS_A_PLAN / 4;

type SamplePlan = { readonly planId: string; readonly steps: readonly { readonly stepId: string }[] };

/** A plan that was paid: four movements. */
async function paidPlan(ask: Asker): Promise<string> {
  const recipient = {
    ...{ type: 'bank', name: 'Jo Citizen', country: 'AU' },
    account: { bsb: '062-000', accountNumber: '12345678' },
  };
  const payment = { clientReference: 'BENCH', corridorId: CORRIDOR, amountIn: '70000000', recipient };
  const made = await ask('/v1/payments', { ...payment, options: { mode: 'STANDARD' } });
  const { planId, steps } = (await made.json()) as SamplePlan;
  for (const [index, event] of ['deposit.exact', 'swap.done', 'payout.done'].entries())
    await ask(`/v1/sandbox/payments/${planId}/steps/${steps[index]?.stepId}/simulate`, { event });
  return planId;
}

type Made = {
  readonly reportId: string;
  readonly status: string;
  readonly rows: number;
  readonly sha256: string;
};

/** What is measured over any number of movements. */
const ANY_SIZE = [
  ['movements', 'csv'],
  ['movements', 'json'],
  ['execution-quality', 'csv'],
  ['plans', 'csv'],
  ['movements', 'camt.053'],
] as const;

async function measure(ask: Asker, pid: number, plans: number, progress: Progress): Promise<Row[]> {
  await sleep(2_000);
  const idle = megabytesOf(pid);
  const rows: Row[] = [];
  const isSmall = (plans + 1) * MOVEMENTS_A_PLAN <= LIMITS.spreadsheetRows;
  for (const [type, format] of isSmall ? [...ANY_SIZE, ['movements', 'xlsx'] as const] : ANY_SIZE) {
    progress(`making ${type} in ${format}`);
    const memory = watchMemory(pid);
    const startedAt = performance.now();
    const ordered = await ask('/v1/reports', {
      ...{ type, format, from: '2020-01-01T00:00:00Z' },
      ...(format === 'camt.053' ? { filter: { corridorId: CORRIDOR } } : {}),
      to: new Date(Date.now() - 5_000).toISOString(),
    });
    const made = await untilMade(ask, ((await ordered.json()) as Made).reportId);
    const madeSeconds = (performance.now() - startedAt) / 1_000;
    const making = memory.most() - idle;
    progress(`downloading ${made.rows} rows`);
    const download = await downloaded(ask, made);
    const most = memory.end() - idle;
    const note = `${plans} plans, ${made.rows} rows, ${short(download.megabytes)} MB`;
    if (
      made.rows <
      plans * (type !== 'movements' ? 1 : format === 'camt.053' ? PAYOUTS_A_PLAN : MOVEMENTS_A_PLAN)
    )
      throw new Error(`The report has ${made.rows} rows alone.`);
    const what = `${type}, ${format}`;
    rows.push(
      { what: `${what}: made`, measured: `${short(madeSeconds)} s`, note },
      {
        what: `${what}: downloaded`,
        measured: `${short(download.seconds)} s`,
        note: 'its SHA-256 is right',
      },
      {
        what: `${what}: memory above idle`,
        measured: `${short(most)} MB`,
        note: `idle ${short(idle)} MB; while it was made ${short(making)} MB`,
        target: atMost(most, MOST_MEGABYTES, 'MB'),
      },
    );
  }
  return rows;
}

async function untilMade(ask: Asker, reportId: string): Promise<Made> {
  for (;;) {
    const made = (await (await ask(`/v1/reports/${reportId}`)).json()) as Made;
    if (made.status === 'COMPLETE') return made;
    if (made.status === 'FAILED') throw new Error(JSON.stringify(made));
    await sleep(100);
  }
}

async function downloaded(ask: Asker, { reportId, sha256 }: Made) {
  const startedAt = performance.now();
  const { body } = await ask(`/v1/reports/${reportId}/download`);
  const hash = createHash('sha256');
  let bytes = 0;
  const parts: AsyncIterable<Uint8Array> | null = body;
  for await (const part of parts ?? []) {
    hash.update(part);
    bytes += part.length;
  }
  if (hash.digest('hex') !== sha256) throw new Error('The file is not what the report says.');
  return { seconds: (performance.now() - startedAt) / 1_000, megabytes: bytes / 1e6 };
}

/** How much memory a process has at the moment, as Linux counts it. */
function megabytesOf(pid: number): number {
  const [, kilobytes = ''] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_000;
}

function watchMemory(pid: number) {
  let most = megabytesOf(pid);
  const look = () => {
    most = Math.max(most, megabytesOf(pid));
    return most;
  };
  const timer = setInterval(look, 20);
  return {
    most: look,
    end: () => {
      clearInterval(timer);
      return look();
    },
  };
}
