import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectToRunning, type SocketConnection } from '@fairway/postgres';
import type { Key } from '@fairway/keys';
import { type AskNode, nodeAt } from '@fairway/testing';
import { type Caller, callerOf, fairway, type Login, makeLogin, urlOf } from '../paymentCalls.ts';
import { freshFolder, startProcess, launch, type ServiceProcess, waitForEnd } from '../processHarness.ts';
import { startSecondProcess } from '../secondInstance.ts';
import { type Mailroom, startMailroom } from './mailroom.ts';

/**
 * Two services on one chain and one database. The first service runs chain and database. All processes can be killed.
 */
export type Deployment = {
  readonly sealingKeys: readonly Key[];
  /** For each organisation a caller of each service. They change with every start. */
  callers(): readonly (readonly Caller[])[];
  /** The address of each service's collect pages. It changes with every start. */
  pages(): readonly string[];
  readonly mailroom: Mailroom;
  /** The chain's node. It changes with every start. */
  node(): AskNode;
  connection(): SocketConnection;
  /** Starts the parts that do not run, and waits until the database answers through the services. */
  start(): Promise<void>;
  kill(victim: Victim): Promise<void>;
  /** Only while nothing runs: starts the first service and kills it after this time, ready or not. */
  killStarting(afterMs: number): Promise<void>;
  /** Ends the mailroom; processes are ended by `endEverything`. */
  close(): Promise<void>;
};

/** A part that can be killed. When the first service is killed, its guardian ends chain and database. */
export type Victim = (typeof VICTIMS)[number];
/** All parts that can be killed. */
export const VICTIMS = ['first service', 'second service', 'database', 'everything'] as const;

const ORGANISATIONS = ['Harbour Ltd', 'Rival plc'];
const ANSWER_DEADLINE_MS = 30_000;

/** Prepares a deployment on a data folder of its own; nothing runs yet. */
export async function createDeployment(): Promise<Deployment> {
  const mailroom = await startMailroom();
  const data = join(freshFolder(), 'data');
  const postgres = join(data, 'postgres');
  const key = randomBytes(32);
  const env = { FAIRWAY_SEALING_KEYS: `crash:${key.toString('hex')}` };
  const args = ['--port', '0', '--data', data, '--log-level', 'warn'];
  let services: ServiceProcess[] = [];
  let logins: Login[] = [];

  const connection = () => runningIn(postgres);
  const callers = () => logins.map((login) => services.map(({ ready }) => callerOf(ready.url, login)));

  async function start(): Promise<void> {
    let [first, second] = services;
    if (first === undefined) {
      first = await startProcess(args, env);
      services = [first];
      if (logins.length === 0)
        logins = await Promise.all(ORGANISATIONS.map((name) => makeLogin({ data, env }, name)));
    }
    const [login] = logins;
    if (login === undefined) throw new Error('Nobody has a credential.');
    await answering(callers().flat());
    second ??= await startSecondProcess({
      first: first.ready,
      login,
      databaseUrl: urlOf(connection()),
      env,
      smtpUrl: mailroom.smtpUrl,
    });
    services = [first, second];
    await answering(callers().flat());
  }

  async function kill(victim: Victim): Promise<void> {
    const [first, second] = services;
    if (victim === 'everything' || victim === 'database') for (const pid of workingIn(postgres)) end(pid);
    if (victim === 'database') return;
    if (victim === 'second service') {
      await ended(second);
      services = services.slice(0, 1);
      return;
    }
    // The second service uses chain and database of the first.
    const family = first?.family() ?? [];
    await ended(first);
    await ended(second);
    await waitForEnd(family, ANSWER_DEADLINE_MS);
    services = [];
  }

  return {
    sealingKeys: [{ id: 'crash', key }],
    callers,
    pages: () => services.map(({ ready }) => ready.url),
    mailroom,
    node: () => nodeAt(services[0]?.ready.rpcUrl ?? ''),
    connection,
    start,
    kill,
    killStarting: async (afterMs) => {
      if (services.length === 0) await killAfter(afterMs, launch([...fairway, 'start', ...args], env));
    },
    close: mailroom.close,
  };
}

function runningIn(folder: string): SocketConnection {
  const running = connectToRunning(folder);
  if (running === undefined) throw new Error('The database does not run.');
  return running;
}

async function killAfter(ms: number, { child, ended: gone }: ReturnType<typeof launch>): Promise<void> {
  await sleep(ms);
  child.kill('SIGKILL');
  await gone;
}

async function ended(service: ServiceProcess | undefined): Promise<void> {
  service?.child.kill('SIGKILL');
  await service?.ended;
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
}

/** The PostgreSQL processes of a data folder, which have it as their working directory. */
function workingIn(folder: string): number[] {
  const { dev, ino } = statSync(folder);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const place = statSync(`/proc/${pid}/cwd`);
        const name = readFileSync(`/proc/${pid}/comm`, 'utf8');
        return place.dev === dev && place.ino === ino && name === 'postgres\n';
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Waits until each caller gets its list of plans, which comes from the database. */
async function answering(callers: readonly Caller[]): Promise<void> {
  const deadlineMs = performance.now() + ANSWER_DEADLINE_MS;
  for (const caller of callers) {
    for (let last = ''; ; await sleep(50)) {
      const reply = await caller('/v1/payments?limit=1').catch(() => undefined);
      if (reply?.status === 200) break;
      last = reply?.text ?? 'no answer';
      if (performance.now() > deadlineMs) throw new Error(`A service does not come back: ${last}`);
    }
  }
}
