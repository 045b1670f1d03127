import { atMost, type Benchmark, type Progress, type Row } from './benchmark.ts';
import { type Crowd, type Kind, startCrowd } from './measuring/crowd.ts';
import { sendAll } from './measuring/httpClient.ts';
import { type LoadProcess, startLoadProcess } from './measuring/loadProcess.ts';
import type { LoadReport } from './measuring/loadProgram.ts';
import { giveOneCore } from './measuring/oneCore.ts';
import { percentile, short } from './measuring/statistics.ts';

/** Enough organisations that their rate limits of 1,000 requests a second do not decide. */
const ORGANISATIONS = 16;
const CAPACITY_MS = 5_000;
const OVERLOAD_MS = 10_000;
/** How many times the capacity is sent. */
const FACTORS: readonly (readonly [Kind, number])[] = [
  ['lists', 10],
  ['payments', 10],
  ['swaps', 10],
  ['quotes', 2],
];
const TARGET_GOODPUT = 0.8;
const TARGET_REFUSAL = 0.1;

/** How many answers a service still gives, open loop, when another process sends many times what it can answer. */
export const overload: Benchmark = {
  name: 'overload',
  title: 'More requests than the service can answer',
  run: async (progress) => {
    const crowd = await startCrowd(ORGANISATIONS, progress);
    const load = startLoadProcess();
    try {
      const cores = giveOneCore(crowd.service.child.pid ?? 0, [load.pid]);
      const rows: Row[] = [];
      for (const [kind, factor] of FACTORS)
        rows.push(...(await measureKind(crowd, load, kind, factor, cores, progress)));
      progress('refusals');
      rows.push(await refusalCost(crowd));
      return rows;
    } finally {
      load.stop();
      await crowd.service.stop();
    }
  },
};

async function measureKind(
  { port, requests }: Crowd,
  load: LoadProcess,
  kind: Kind,
  factor: number,
  cores: string,
  progress: Progress,
): Promise<Row[]> {
  const own = { port, requests: requests[kind] };
  progress(`${kind}: capacity`);
  const closed = { ...own, pace: 'ON_ANSWER', mostConnections: 2 * ORGANISATIONS } as const;
  await load.run({ ...closed, durationMs: CAPACITY_MS });
  const capacity = perSecond(await load.run({ ...closed, durationMs: CAPACITY_MS }), CAPACITY_MS);
  progress(`${kind}: ${factor} times ${short(capacity)} a second`);
  const report = await load.run({
    ...own,
    pace: factor * capacity,
    durationMs: OVERLOAD_MS,
    mostConnections: 6_000,
  });
  const goodput = perSecond(report, OVERLOAD_MS) / capacity;
  const { statuses, lost, unsent, withoutRetryAfter } = report;
  const others = Object.keys(statuses).filter((status) => !['200', '429', '503'].includes(status));
  const wrong = withoutRetryAfter + lost + others.reduce((sum, status) => sum + (statuses[status] ?? 0), 0);
  const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  return [
    {
      what: `${kind} at ${factor} times capacity: goodput`,
      measured: `${short(100 * goodput)} %`,
      target: { text: `≥ ${100 * TARGET_GOODPUT} %`, met: goodput >= TARGET_GOODPUT },
      note:
        `capacity ${short(capacity)} a second; served p50 ${short(percentile(report.servedMs, 0.5))} ms, ` +
        `p99 ${short(percentile(report.servedMs, 0.99))} ms; ${cores}`,
    },
    {
      what: `${kind}: neither served nor refused with Retry-After`,
      measured: String(wrong),
      target: atMost(wrong, 0, ''),
      note: [...counts, `${lost} lost`, `${unsent} not sent: no connection free`].join(', '),
    },
  ];
}

function perSecond({ statuses }: LoadReport, durationMs: number): number {
  return (statuses['200'] ?? 0) / (durationMs / 1000);
}

/**
 * CPU time of a quote, and of a refusal. One organisation sends far more than its rate, and a thousand of its
 * requests are served.
 */
async function refusalCost({ service, port, requests, cheapest }: Crowd): Promise<Row> {
  const quotes = requests.quotes.slice(0, -1).map((text) => [Buffer.from(text)]);
  const cpuOf = async (perConnection: number, wires: readonly (readonly Buffer[])[]) => {
    const before = await service.cpuUs();
    const { answers, refused } = await sendAll(port, perConnection, wires);
    return { us: (await service.cpuUs()) - before, answers, refused };
  };
  await cpuOf(300, quotes);
  const quote = await cpuOf(300, quotes);
  const quoteUs = quote.us / quote.answers;
  const flood = Array.from({ length: 12 }, () => [Buffer.from(cheapest)]);
  await cpuOf(1_000, flood);
  const flooded = await cpuOf(5_000, flood);
  // The served ones are a small part. Without a figure of their own they are counted as half a quote.
  const servedUs = ((flooded.answers - flooded.refused) * quoteUs) / 2;
  const refusalUs = (flooded.us - servedUs) / flooded.refused;
  const ratio = refusalUs / quoteUs;
  return {
    what: 'CPU of a refusal, in quotes',
    measured: `${short(ratio)}`,
    target: { text: `≤ ${TARGET_REFUSAL}`, met: ratio <= TARGET_REFUSAL },
    note: `${short(refusalUs)} µs, a quote ${short(quoteUs)} µs; ${flooded.refused} of ${flooded.answers} refused`,
  };
}
