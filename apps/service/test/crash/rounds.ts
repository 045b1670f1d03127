import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '@fairway/testing';
import type { LoadTarget } from './asking.ts';
import { createDeployment, type Deployment, VICTIMS, type Victim } from './deployment.ts';
import { askAgain, brokenInvariants, detachedJobs } from './invariants.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { preparePlans, startLoad } from './load.ts';

/** Number, duration and targets of the crashes. */
export type CrashOptions = {
  readonly seed: number;
  readonly rounds: number;
  /** No round begins after this time. */
  readonly seconds: number;
  /** The parts to kill, in turn; absent: random parts. */
  readonly victims?: readonly Victim[];
  /** The least and the greatest time that a load runs before a part is killed. */
  readonly loadMs: readonly [least: number, most: number];
  /** Whether to wait at the end for the jobs that killed workers left, which takes half a minute. */
  readonly awaitsJobs: boolean;
  readonly say: (line: string) => void;
};

/** The result of the rounds. `findings`: a sentence for each fault, none when all is well. */
export type CrashSummary = {
  readonly rounds: number;
  readonly plans: number;
  /** Links that were used. */
  readonly collected: number;
  readonly findings: readonly string[];
  /** How many requests of each kind were acknowledged that the histories of their plans have to show. */
  readonly promised: ReturnType<Ledger['promisedCounts']>;
};

/** Plans of earlier rounds that are asked for again. */
const OLD_PLANS = 20;

/** In each round, puts load on a deployment, kills a part, starts it again and compares; ends at the first fault. */
export async function runCrashes(options: CrashOptions): Promise<CrashSummary> {
  const random = createRandom(options.seed);
  const ledger = createLedger();
  const deployment = await createDeployment();
  try {
    return await crash(options, random, ledger, deployment);
  } finally {
    await deployment.close();
  }
}

async function crash(
  options: CrashOptions,
  random: Random,
  ledger: Ledger,
  deployment: Deployment,
): Promise<CrashSummary> {
  const deadlineMs = performance.now() + options.seconds * 1000;
  let rounds = 0;
  await deployment.start();
  await preparePlans(targetOf(deployment, ledger, random));
  while (rounds < options.rounds && performance.now() < deadlineMs && ledger.findings.length === 0) {
    const victim = options.victims?.[rounds % options.victims.length] ?? random.pick(VICTIMS);
    rounds += 1;
    options.say(await crashOnce(deployment, ledger, random, victim, { round: rounds, ...options }));
  }
  if (ledger.findings.length === 0 && options.awaitsJobs) await awaitJobs(deployment, ledger);
  if (ledger.findings.length === 0) {
    const callers = deployment
      .callers()
      .map(([caller]) => caller)
      .filter((caller) => caller !== undefined);
    ledger.findings.push(...(await askAgain(callers, ledger, [...ledger.plans.values()])));
  }
  return {
    rounds,
    plans: ledger.plans.size,
    collected: ledger.confirmed.size,
    findings: ledger.findings,
    promised: ledger.promisedCounts(),
  };
}

function targetOf(
  { callers, pages, mailroom, node }: Deployment,
  ledger: Ledger,
  random: Random,
): LoadTarget {
  return { random, ledger, callers: callers(), pages: pages(), mailroom, node: node() };
}

async function crashOnce(
  deployment: Deployment,
  ledger: Ledger,
  random: Random,
  victim: Victim,
  { round, loadMs }: { round: number } & Pick<CrashOptions, 'loadMs'>,
): Promise<string> {
  const before = new Set(ledger.plans.keys());
  const load = startLoad(targetOf(deployment, ledger, random));
  try {
    await sleep(random.integer(...loadMs));
    await deployment.kill(victim);
  } finally {
    await load.stop();
  }
  if (random.integer(1, 4) === 1) await deployment.killStarting(random.integer(100, 1500));
  await deployment.start();
  const all = [...ledger.plans.values()];
  const made = all.filter(({ plan }) => !before.has(plan.planId));
  const old = Array.from({ length: Math.min(OLD_PLANS, all.length) }, () => random.pick(all));
  ledger.findings.push(...(await brokenInvariants(deployment.connection(), deployment.sealingKeys, ledger)));
  const callers = deployment.callers().map((services) => random.pick(services));
  if (ledger.findings.length === 0)
    ledger.findings.push(...(await askAgain(callers, ledger, [...made, ...old])));
  const answers = [...load.answers]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${count} x ${status}`);
  return `round ${round}: killed ${victim}; answers ${answers.join(', ')}; ${made.length} new plans, ${all.length} in all, ${ledger.confirmed.size} collected; ${ledger.findings.length} findings`;
}

const JOBS_DEADLINE_MS = 45_000;

async function awaitJobs(deployment: Deployment, ledger: Ledger): Promise<void> {
  const deadlineMs = performance.now() + JOBS_DEADLINE_MS;
  while ((await detachedJobs(deployment.connection())) > 0) {
    if (performance.now() > deadlineMs) {
      ledger.findings.push('Jobs that were replaced while they ran are still there.');
      return;
    }
    await sleep(1000);
  }
}
