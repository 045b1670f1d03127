import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { atMost, type Benchmark, type Progress, type Row } from './benchmark.ts';
import { sendAll } from './measuring/httpClient.ts';
import { type Load, planLoads } from './measuring/httpLoads.ts';
import { type MeasuredProcess, startMeasured } from './measuring/measuredProcess.ts';
import { type Login, type MeasuredService, startMeasuredService } from './measuring/measuredService.ts';
import { median, percentile, short } from './measuring/statistics.ts';

const LOGINS = 36;
const WARM_UP_ROUNDS = 3;
const ROUNDS = 15;
const IDLE_MS = 3000;

/** A load with the CPU time per request of every round, in microseconds. */
type Measured = { readonly load: Load; readonly roundsUs: number[] };

/**
 * CPU time per request of the service's process, and of a bare node:http server's, in turns. CPU time instead of
 * latency, because CPU time is what limits a machine; in turns, because the speed of a machine changes.
 */
export const httpCost: Benchmark = {
  name: 'http',
  title: 'CPU per HTTP request',
  run: async (progress) => {
    progress('starting the service');
    const service = await startMeasuredService();
    const bare = startMeasured(fileURLToPath(import.meta.resolve('./measuring/bareServer.ts')), []);
    try {
      const [{ port }] = (await once(bare.child, 'message')) as [{ port: number }];
      return await compare(service, { ...bare, port }, progress);
    } finally {
      await Promise.all([bare.stop(), service.stop()]);
    }
  },
};

async function compare(
  service: MeasuredService,
  bare: MeasuredProcess & { readonly port: number },
  progress: Progress,
): Promise<Row[]> {
  progress(`making ${LOGINS} credentials`);
  const logins: Login[] = [];
  while (logins.length < LOGINS) logins.push(await service.createLogin());
  const groups = (await planLoads(service, bare, logins)).map((loads) =>
    loads.map((load): Measured => ({ load, roundsUs: [] })),
  );
  for (let round = 1 - WARM_UP_ROUNDS; round <= ROUNDS; round += 1) {
    progress(round <= 0 ? 'warming up' : `round ${round} of ${ROUNDS}`);
    for (const { load, roundsUs } of groups.flat()) {
      const cpuUs = await cpuPerRequest(load);
      if (round > 0) roundsUs.push(cpuUs);
    }
  }
  progress('idling');
  const before = await service.cpuUs();
  await sleep(IDLE_MS);
  const idleShare = ((await service.cpuUs()) - before) / (IDLE_MS * 1000);
  return [
    ...groups.flatMap((group) => group.map((measured) => rowOf(measured, group[0]?.roundsUs ?? []))),
    {
      what: 'the service idle, following its chain',
      measured: `${short(idleShare * 100)} % of a core`,
      note: 'contained in every figure of the service',
    },
  ];
}

async function cpuPerRequest({ what, server, port, perConnection, requestsOf }: Load): Promise<number> {
  const before = await server.cpuUs();
  const { answers, refused, firstRefusal } = await sendAll(port, perConnection, requestsOf);
  const usedUs = (await server.cpuUs()) - before;
  if (refused > 0) throw new Error(`${what}: ${refused} of ${answers} were refused: ${firstRefusal}`);
  return usedUs / answers;
}

/** The ratio is taken within each round, because both servers are slow while the machine is slow. */
function rowOf({ load, roundsUs }: Measured, helloRoundsUs: readonly number[]): Row {
  const cpuUs = median(roundsUs);
  const ratios = roundsUs.map((us, round) => us / (helloRoundsUs[round] ?? Number.NaN));
  const ratio = median(ratios);
  const quarters = `${short(percentile(roundsUs, 0.25))} to ${short(percentile(roundsUs, 0.75))} µs`;
  const perSecond = Math.round(1e6 / cpuUs).toLocaleString('en');
  return {
    what: load.what,
    measured: `${short(cpuUs)} µs`,
    note: `${short(ratio)}× the hello; ${perSecond} a second and core; half of the rounds ${quarters}`,
    ...(load.mostHellos === undefined ? {} : { target: atMost(ratio, load.mostHellos, '×') }),
  };
}
