import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { startTestDatabase } from '@fairway/testing';
import { type MailSink, startMailSink } from '../../src/parts/sandbox/mailSink.ts';
import { type Login, makeLogin, urlOf } from '../paymentCalls.ts';

/** A service under test in a process of its own, with its database, and a mail server that its e-mails arrive at. */
export type FuzzedService = {
  readonly url: string;
  readonly demo: Login & { readonly chainId: number; readonly rpcUrl: string };
  readonly mails: MailSink;
  /** Makes a credential on the command line. */
  makeLogin(organisation: string, permissions?: string): Promise<Login>;
  /** Adds a text that the log must not hold. */
  hide(secret: string): void;
  /** Adds the token of a link, of which there are too many to search for each. */
  hideToken(token: string): void;
  /** What happened to the process and what its log held that it must not, so far. */
  findings(): readonly string[];
  /** The size of the heap after a forced collection, in bytes. */
  heapBytes(): Promise<number>;
  /** Ends everything. Returns what was found. */
  close(): Promise<readonly string[]>;
};

/** How long an orderly end may take. */
const END_DEADLINE_MS = 20_000;

/** Starts the service with limits that a fuzzer does not reach. */
export async function startFuzzedService(): Promise<FuzzedService> {
  const [database, mails] = await Promise.all([startTestDatabase(), startMailSink()]);
  const databaseUrl = urlOf(database.connection);
  const changes = {
    limits: { requestsPerSecond: 1_000_000, failedLoginsPerMinute: 1_000_000 },
    // The forms of one address are limited, so every form comes from another address.
    trustedProxies: ['127.0.0.1'],
    mail: { smtpUrl: mails.url, from: { name: 'Fuzz', address: 'fuzz@fairway.example' } },
  };
  const child = fork(join(import.meta.dirname, 'serviceProgram.ts'), [JSON.stringify(changes)], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const watch = watchProcess(child);
  const ready = (await Promise.race([once(child, 'message'), watch.ended])) as
    | [Pick<FuzzedService, 'url' | 'demo'>]
    | undefined;
  if (ready === undefined) throw new Error(`The service did not start: ${watch.findings().join('\n')}`);
  const [{ url, demo }] = ready;
  watch.hide(demo.password);

  return {
    url,
    demo,
    mails,
    async makeLogin(organisation, permissions) {
      const login = await makeLogin({ databaseUrl }, organisation, permissions);
      watch.hide(login.password);
      return login;
    },
    hide: watch.hide,
    hideToken: watch.hideToken,
    findings: watch.findings,
    async heapBytes() {
      child.send('heap');
      const [{ heapBytes }] = (await once(child, 'message')) as [{ heapBytes: number }];
      return heapBytes;
    },
    async close() {
      const code = await end(child, watch);
      if (code !== 0) watch.add(`The service ended with ${String(code)} when it was asked to end.`);
      await mails.close();
      await database.close();
      return watch.findings();
    },
  };
}

async function end(child: ChildProcess, watch: Watch): Promise<number | null | undefined> {
  watch.expectEnd();
  child.kill('SIGTERM');
  const late = new AbortController();
  const code = await Promise.race([
    watch.ended.then(() => child.exitCode),
    sleep(END_DEADLINE_MS, undefined, { signal: late.signal }).catch(() => undefined),
  ]);
  late.abort();
  if (code === undefined) child.kill('SIGKILL');
  return code;
}

type Watch = ReturnType<typeof watchProcess>;

const LONGEST_SHOWN = 2_000;
/** What pino calls an error. */
const ERROR_LEVEL = 50;

/** Reads the log of a process as it comes, and notices its end. */
function watchProcess(child: ChildProcess) {
  const found: string[] = [];
  const secrets: string[] = [];
  const tokens = new Set<string>();
  let isEndExpected = false;
  const add = (finding: string) => {
    found.push(finding.slice(0, LONGEST_SHOWN));
  };
  const read = (line: string) => {
    for (const secret of secrets) if (line.includes(secret)) add(`The log holds ${secret}: ${line}`);
    for (const [run] of line.matchAll(/(?<![\w-])[\w-]{43}(?![\w-])/g))
      if (tokens.has(run)) add(`The log holds the token of a link: ${line}`);
    const level = /^\{"level":(\d+)/.exec(line)?.[1];
    if (level === undefined || Number(level) >= ERROR_LEVEL) add(`The log has an error: ${line}`);
  };
  for (const stream of [child.stdout, child.stderr])
    if (stream !== null) createInterface({ input: stream }).on('line', read);
  const ended = once(child, 'exit').then(([code, signal]) => {
    if (!isEndExpected) add(`The process ended by itself: ${String(code ?? signal)}`);
    return undefined;
  });
  return {
    ended,
    add,
    hide: (secret: string) => void secrets.push(secret),
    hideToken: (token: string) => void tokens.add(token),
    expectEnd: () => {
      isEndExpected = true;
    },
    findings: () => found,
  };
}
