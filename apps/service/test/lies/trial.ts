import { setTimeout as sleep } from 'node:timers/promises';
import { liesAbout, type Lie, type LiedPair, type Random, type TestChain } from '@fairway/testing';
import { ALONE, type Arrangement, type Ground, type LiedService } from './ground.ts';
import { createJudge } from './judge.ts';
import {
  askPayment,
  askQuote,
  askSwap,
  type Occasion,
  reportAgain,
  reportInvented,
  reportReal,
  type RequestParts,
} from './requests.ts';
import { createTally, type Tally } from './tally.ts';

/** Where a trial takes place, and how much is asked of the services. */
export type TrialOptions = {
  readonly ground: Ground;
  readonly random: Random;
  /** How many requests each service gets while a lie is told. */
  readonly requestsPerLie: number;
  /** How many of them are swaps, at least. */
  readonly swapsPerLie: number;
  /** How long a lie lasts, at least. */
  readonly lieMs: number;
  /** The services that ask an honest node, too. */
  readonly arrangements: readonly Arrangement[];
  /** Whether there is a service whose only node lies, too. It shows what a node alone is believed for. */
  readonly hasAlone: boolean;
  /** So long after a lie's end a service must answer again. */
  readonly returnMs: number;
};

/** What a trial found. `recoveriesMs`: how long each service took after the end of each lie. */
export type TrialSummary = {
  readonly tally: Tally;
  readonly recoveriesMs: readonly number[];
  readonly requests: number;
  readonly swaps: number;
};

/** Services beside a lying node, while the chain trades. */
export type RunningTrial = {
  /** Has a lie told, asks every service meanwhile, and waits until each is back. Returns what must not have been. */
  tell(name: string): Promise<readonly string[]>;
  /** Compares all plans with the deposits that were really made. Returns what must not have been. */
  checkPlans(): Promise<readonly string[]>;
  report(): TrialSummary;
  close(): void;
};

/** How long the first market, a deposit and the first untrue answer are waited for, on a busy machine. */
const PATIENCE_MS = 60_000;

/** How long a service that starts during a lie is given to read its market. */
const LATE_READING_MS = 4000;

/** Lies about what a service reads when it starts: one is started while they are told. */
const AT_START = new Set([
  'sealed block with lies',
  'other chain id',
  'other fork',
  'wrong reserves',
  'wrong liquidity',
  'missing tick',
  'wrong accounts',
  'no state',
  'nonsense',
  'empty access lists',
]);

/** Starts a service for each arrangement of nodes. Resolves when all services answer. */
export async function startTrial(options: TrialOptions): Promise<RunningTrial> {
  const { ground, random } = options;
  const { chain } = ground;
  const services = await Promise.all(options.arrangements.map((each) => ground.start(each, 'SHARED')));
  if (options.hasAlone) services.push(await ground.start(ALONE, 'OWN'));
  using starting = new DisposableStack();
  const judge = starting.adopt(createJudge(chain, ground.honestUrl), (each) => each.close());
  const tally = createTally();
  const parts: RequestParts = { ground, random, judge, tally, plans: [] };
  const trial: Trial = { options, parts, services, recoveriesMs: [], swaps: 0, lies: 0 };

  async function newFaults(act: () => Promise<void>): Promise<readonly string[]> {
    const before = tally.faults.length;
    await act();
    return tally.faults.slice(before);
  }

  const never = await newFaults(() => recovered(trial, 'before any lie', services, PATIENCE_MS));
  if (never.length > 0) throw new Error(never.join('\n'));
  const lies = liesAbout(await liedPair(chain));
  const ending = starting.move();
  return {
    tell: (name) =>
      newFaults(async () => {
        const lie = lies[name];
        if (lie === undefined) throw new Error(`There is no lie ${name}.`);
        await tellLie(trial, name, lie);
      }),
    checkPlans: () => newFaults(() => checkPlans(trial)),
    report: () => ({ tally, recoveriesMs: trial.recoveriesMs, requests: tally.total(), swaps: trial.swaps }),
    close: () => ending.dispose(),
  };
}

type Trial = {
  readonly options: TrialOptions;
  readonly parts: RequestParts;
  readonly services: readonly LiedService[];
  readonly recoveriesMs: number[];
  swaps: number;
  /** How many lies were told so far. */
  lies: number;
};

async function liedPair({ pools, rpc }: TestChain): Promise<LiedPair> {
  const pair = pools.find(({ kind }) => kind === 'V2');
  if (pair === undefined) throw new Error('The chain has no pair.');
  const words = await rpc<string>('eth_call', [{ to: pair.address, data: '0x0902f1ac' }, 'latest']);
  const reserves = [2, 66].map((start) => BigInt(`0x${words.slice(start, start + 64)}`));
  return { address: pair.address, reserves };
}

async function tellLie(trial: Trial, name: string, lie: Lie): Promise<void> {
  const { options, parts, services } = trial;
  const { tally } = parts;
  const { liar } = options.ground;
  // Plans for the reports that are made during the lie.
  await Promise.all(services.map((service) => askPayment(parts, { lie: 'no lie', service })));
  await liar.tell(lie);
  const startedAtMs = performance.now();
  const starting = AT_START.has(name) ? startLate(trial, name) : undefined;
  await Promise.all(
    services.map((service, place) => askMany(trial, { lie: name, service }, trial.lies + place)),
  );
  await sleep(Math.max(0, options.lieMs - (performance.now() - startedAtMs)));
  const lateService = await starting;
  await askUntilTold(trial, name, lateService, startedAtMs);
  const told = liar.told();
  await liar.tell(undefined);
  const late = lateService === undefined ? [] : [lateService];
  const [believing, others] = [services.filter(isAlone), services.filter((service) => !isAlone(service))];
  await recovered(trial, name, [...others, ...late], options.returnMs);
  for (const service of believing) await restored(trial, service);
  trial.lies++;
  await lateService?.process.stop();
  if (told === 0) tally.faults.push(`${name}: this lie was never told`);
}

/** Asks further where nothing that was asked so far made the node tell the lie. */
async function askUntilTold(
  { options, parts, services }: Trial,
  lie: string,
  lateService: LiedService | undefined,
  sinceMs: number,
): Promise<void> {
  const isSilent = () => options.ground.liar.told() === 0 && performance.now() - sinceMs < PATIENCE_MS;
  for (let turn = 0; isSilent(); turn++) {
    const report = turn % 2 === 0 ? reportInvented : reportReal;
    await Promise.all([
      // A report that finds no plan only makes one. Without this plan, reports of one kind would use up all plans.
      ...services.map((service) =>
        askPayment(parts, { lie, service }).then(() => report(parts, { lie, service })),
      ),
      ...[...services, ...[lateService ?? []].flat()].map((service) => askSwap(parts, { lie, service })),
    ]);
    await sleep(200);
  }
}

/** Whether a service has one node, the liar. */
function isAlone({ name }: LiedService): boolean {
  return name === ALONE.name;
}

/** Whether the liar is one of the nodes that are asked first; the others are only asked when those do not agree. */
function asksLiar({ nodes, agreement }: Arrangement): boolean {
  return nodes
    .filter((role) => role !== 'dead')
    .slice(0, agreement)
    .includes('liar');
}

/** Starts a service whose first reading is lied to, and asks it. */
async function startLate({ options, parts }: Trial, lie: string): Promise<LiedService> {
  const arrangement = options.random.pick(options.arrangements.filter(asksLiar));
  const service = await options.ground.start(
    { ...arrangement, name: `started late, ${arrangement.name}` },
    'SHARED',
  );
  // If the lie does not prevent it, the service has read its market soon.
  const untilMs = performance.now() + LATE_READING_MS;
  while (performance.now() < untilMs && (await refusalOf(options.ground.chain, service)) !== undefined)
    await sleep(100);
  await askQuote(parts, { lie, service });
  await askSwap(parts, { lie, service });
  return service;
}

/** Asks one service of everything in turn, quotes most often, over the time that the lie lasts. */
async function askMany(trial: Trial, occasion: Occasion, turn: number): Promise<void> {
  const { requestsPerLie, swapsPerLie, lieMs } = trial.options;
  const report = turn % 2 === 0 ? reportInvented : reportReal;
  for (let index = 0; index < requestsPerLie; index++) {
    const isSwap =
      Math.floor((index * swapsPerLie) / requestsPerLie) >
      Math.floor(((index - 1) * swapsPerLie) / requestsPerLie);
    if (isSwap) trial.swaps++;
    if (isSwap) await askSwap(trial.parts, occasion);
    else if (index % 8 === 2) await report(trial.parts, occasion);
    else await askQuote(trial.parts, occasion);
    await sleep(lieMs / requestsPerLie);
  }
}

/** Waits until each service answers a quote and a swap again. */
async function recovered(
  { parts: { ground, tally }, recoveriesMs }: Trial,
  lie: string,
  services: readonly LiedService[],
  withinMs: number,
): Promise<void> {
  const sinceMs = performance.now();
  async function waitFor(service: LiedService): Promise<void> {
    let refusal = await refusalOf(ground.chain, service);
    while (refusal !== undefined && performance.now() - sinceMs < withinMs) {
      await sleep(100);
      refusal = await refusalOf(ground.chain, service);
    }
    if (refusal === undefined) recoveriesMs.push(performance.now() - sinceMs);
    else tally.faults.push(`${lie} / ${service.name}: not back ${withinMs} ms after the lie: ${refusal}`);
  }
  await Promise.all(services.map(waitFor));
}

/** What a service answers instead of a quote and a swap; undefined when it answers both. */
async function refusalOf({ chainId, tokens }: TestChain, { ask }: LiedService): Promise<string | undefined> {
  const [tokenIn, tokenOut] = tokens.map(({ address }) => address);
  const trade = {
    tokenIn: tokenIn ?? '',
    tokenOut: tokenOut ?? '',
    tradeType: 'EXACT_IN',
    amount: '1000000000000000',
  };
  const quoted = await ask(`/v1/quote?${new URLSearchParams({ ...trade, chainId: String(chainId) })}`);
  if (quoted.status !== 200) return quoted.text;
  const swapped = await ask('/v1/swap', { ...trade, chainId });
  return swapped.status === 200 ? undefined : swapped.text;
}

/** Waits until the service whose only node lied has the true market again: lies that it believed may outlive the lie. */
async function restored({ parts }: Trial, alone: LiedService): Promise<void> {
  const { chain } = parts.ground;
  for (let tries = 0; tries < 100 && (await refusalOf(chain, alone)) !== undefined; tries++) await sleep(100);
}

/** Deposits that never happened are on no plan; those that happened are on theirs, at the latest when they are reported again. */
async function checkPlans({ parts: { plans, tally } }: Trial): Promise<void> {
  for (const made of plans.filter(({ service }) => !isAlone(service))) {
    const { service, plan, deposit } = made;
    const deadlineMs = performance.now() + PATIENCE_MS;
    const statusNow = async () => (await service.ask(`/v1/payments/${plan.planId}`)).body.steps[0]?.status;
    let status = await statusNow();
    while (deposit === 'REAL' && status !== 'DONE' && performance.now() < deadlineMs) {
      await reportAgain(made);
      await sleep(200);
      status = await statusNow();
    }
    if ((status === 'DONE') !== (deposit === 'REAL'))
      tally.faults.push(`plan ${plan.planId}: its deposit is ${deposit}, its step ${status}`);
  }
}
