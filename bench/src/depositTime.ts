import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedPostgres, startTemporaryPostgres } from '@fairway/postgres';
import { Pool } from 'pg';
import { atMost, type Benchmark, type Progress, type Row } from './benchmark.ts';
import { copyWatchedPlan } from './manyPlans.ts';
import { type MeasuredService, startMeasuredService } from './measuring/measuredService.ts';
import { percentile, short } from './measuring/statistics.ts';

const SIZES = [1_000, 10_000, 100_000];
const DEPOSITS = 40;
const BLOCK_MS = 2_000;
const LOOK_MS = 10;
const AMOUNT = '5000000';

/**
 * How long a deposit takes from its block to its plan, as the integrator sees it, while 1,000, 10,000 and 100,000
 * plans wait for theirs. The service runs as a user starts it, with its chain and its PostgreSQL, and a block every
 * two seconds. `FC_PLANS`: the most plans.
 */
export const depositTime: Benchmark = {
  name: 'depositTime',
  title: 'From a deposit to its plan',
  run: async (progress) => {
    const cacheDirectory = fileURLToPath(new URL('../../node_modules/.cache/fairway', import.meta.url));
    const postgres = await startTemporaryPostgres({ cacheDirectory, log: () => {} });
    const pool = new Pool({ ...postgres.connection, max: 1 });
    // The end of the pool does not wait for its connections: the database may end first.
    pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
    try {
      const service = await startMeasuredService({ DATABASE_URL: urlOf(postgres) });
      try {
        return await measure(service, pool, progress);
      } finally {
        await service.stop();
      }
    } finally {
      await pool.end();
      await postgres.close();
    }
  },
};

function urlOf({ connection: { user, database, host } }: EmbeddedPostgres): string {
  return `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}`;
}

type Asked = { readonly planId: string; readonly address: string };

async function measure(service: MeasuredService, pool: Pool, progress: Progress): Promise<Row[]> {
  const ask = callerOf(service);
  const { tokens } = (await ask('/v1/sandbox')) as { tokens: { symbol: string; address: string }[] };
  const token = tokens.find(({ symbol }) => symbol === 'USDC')?.address ?? '';
  const most = Number(process.env['FC_PLANS'] ?? SIZES.at(-1));
  const { planId: model } = await makePlan(ask);
  const rows: Row[] = [];
  let count = 0;
  for (const size of SIZES.filter((each) => each <= most)) {
    progress(`making ${size} plans`);
    await copyWatchedPlan(pool, model, count, size);
    count = size;
    const asked: Asked[] = [];
    for (let made = 0; made < DEPOSITS; made += 1) asked.push(await makePlan(ask));
    // The reader of the chain learns of new addresses with the next block.
    await deposit(ask, token, asked[0]?.address ?? '');
    await sleep(2 * BLOCK_MS);
    progress(`${size} plans: ${DEPOSITS} deposits`);
    const cpuBeforeUs = await service.cpuUs();
    const startedMs = performance.now();
    const times: number[] = [];
    for (const one of asked.slice(1)) {
      const beganMs = performance.now();
      times.push(await timeOf(ask, token, one));
      await sleep(Math.max(0, BLOCK_MS - (performance.now() - beganMs)));
    }
    const core = ((await service.cpuUs()) - cpuBeforeUs) / 10 / (performance.now() - startedMs);
    rows.push(...rowsOf(size, times, core));
  }
  return rows;
}

function rowsOf(size: number, times: readonly number[], core: number): Row[] {
  const p95 = percentile(times, 0.95);
  return [
    {
      what: `${size} plans: a deposit is on its plan`,
      measured: `p95 ${short(p95)} ms`,
      note: `p50 ${short(percentile(times, 0.5))} ms, most ${short(Math.max(...times))} ms, of ${times.length}`,
      target: atMost(p95, BLOCK_MS, 'ms'),
    },
    {
      what: `${size} plans: CPU of the service`,
      measured: `${short(core)} % of a core`,
      note: `all of it: following the market, ${1000 / LOOK_MS} looks at the plan a second, and the jobs; not PostgreSQL`,
    },
  ];
}

/** How long after a transfer was mined its plan shows it, in milliseconds. */
async function timeOf(ask: Ask, token: string, { planId, address }: Asked): Promise<number> {
  await deposit(ask, token, address);
  const minedMs = performance.now();
  for (;;) {
    const { steps } = (await ask(`/v1/payments/${planId}?expand=executions`)) as {
      steps: { deposit?: { transfers: unknown[] } }[];
    };
    if ((steps[0]?.deposit?.transfers.length ?? 0) > 0) return performance.now() - minedMs;
    if (performance.now() - minedMs > 60_000) throw new Error('A deposit was not seen within a minute.');
    await sleep(LOOK_MS);
  }
}

/** Answers once the transfer is in a block. */
async function deposit(ask: Ask, token: string, address: string): Promise<void> {
  await ask('/v1/sandbox/faucet', {
    address,
    asset: { chainId: 31337, address: token },
    amount: AMOUNT,
  });
}

async function makePlan(ask: Ask): Promise<Asked> {
  const address = `0x${randomBytes(20).toString('hex')}`;
  const { planId } = (await ask('/v1/payments', {
    clientReference: randomBytes(8).toString('hex'),
    corridorId: 'usdc-aud-bank',
    amountIn: AMOUNT,
    recipient: {
      type: 'bank',
      name: 'Orla Finch',
      country: 'AU',
      account: { bsb: '062-000', accountNumber: '12345678' },
    },
    options: { mode: 'STANDARD', depositAddress: address },
  })) as { planId: string };
  return { planId, address };
}

type Ask = (path: string, body?: object) => Promise<unknown>;

function callerOf({ url, demo: { username, password } }: MeasuredService): Ask {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return async (path, body) => {
    const sent =
      body === undefined
        ? { headers: { authorization } }
        : {
            method: 'POST',
            headers: { authorization, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          };
    const answer = await fetch(`${url}${path}`, sent);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
}
