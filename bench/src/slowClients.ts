import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { atMost, type Benchmark, type Row } from './benchmark.ts';
import { type Crowd, startCrowd } from './measuring/crowd.ts';
import { type LoadProcess, startLoadProcess } from './measuring/loadProcess.ts';
import type { LoadReport } from './measuring/loadProgram.ts';
import { giveOneCore } from './measuring/oneCore.ts';
import type { SlowAsk } from './measuring/slowProgram.ts';
import { percentile, short } from './measuring/statistics.ts';

const SENDERS = 4_000;
const READERS = 4_000;
const QUOTES_PER_SECOND = 300;
const ROUND_MS = 20_000;
const ARRIVAL_MS = 8_000;
const TARGET_RATIO = 2;

/** What callers that send or read slowly do to the quotes of others. */
export const slowClients: Benchmark = {
  name: 'slowClients',
  title: 'Callers that send or read slowly',
  run: async (progress) => {
    const crowd = await startCrowd(4, progress);
    const load = startLoadProcess();
    const slow = fork(fileURLToPath(import.meta.resolve('./measuring/slowProgram.ts')), { execArgv: [] });
    try {
      const cores = giveOneCore(crowd.service.child.pid ?? 0, [load.pid, slow.pid ?? 0]);
      await quotes(crowd, load);
      progress('quiet');
      const quiet = await quotes(crowd, load);
      progress(`${SENDERS} senders and ${READERS} readers arrive`);
      slow.send({ port: crowd.port, senders: SENDERS, readers: READERS } satisfies SlowAsk);
      await sleep(ARRIVAL_MS);
      progress('beside them');
      const before = await crowd.service.cpuUs();
      const beside = await quotes(crowd, load);
      const busy = ((await crowd.service.cpuUs()) - before) / (1000 * ROUND_MS);
      const told = once(slow, 'message') as Promise<[{ cutOff: number }]>;
      slow.send({ port: 0, senders: 0, readers: 0 });
      return rowsOf(
        quiet,
        beside,
        `${(await told)[0].cutOff} cut off so far; core ${short(100 * busy)} % busy; ${cores}`,
      );
    } finally {
      slow.kill();
      load.stop();
      await crowd.service.stop();
    }
  },
};

function quotes({ port, requests }: Crowd, load: LoadProcess): Promise<LoadReport> {
  const pace = QUOTES_PER_SECOND;
  return load.run({ port, requests: requests.quotes, pace, durationMs: ROUND_MS, mostConnections: 500 });
}

function rowsOf(quiet: LoadReport, beside: LoadReport, note: string): Row[] {
  const [before, after] = [quiet, beside].map(({ servedMs }) => percentile(servedMs, 0.99)) as [
    number,
    number,
  ];
  const lost = beside.sent + beside.unsent - (beside.statuses['200'] ?? 0);
  const p50 = short(percentile(beside.servedMs, 0.5));
  return [
    {
      what: `p99 of quotes beside ${SENDERS} senders, ${READERS} readers`,
      measured: `${short(after / before)}×`,
      target: atMost(after / before, TARGET_RATIO, '×'),
      note: `quiet ${short(before)} ms, beside them ${short(after)} ms (p50 ${p50} ms); ${note}`,
    },
    { what: 'quotes not served', measured: String(lost), target: atMost(lost, 0, '') },
  ];
}
