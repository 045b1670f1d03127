import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestChain, type TestChain } from '@fairway/testing';
import { Client } from 'pg';
import { encodeFunctionData, erc20Abi } from 'viem';
import { type MailSink, startMailSink } from '../../../src/parts/sandbox/mailSink.ts';
import { writeConfig } from '../../configHarness.ts';
import { basic } from '../../harness.ts';
import { honest, type NodeProxy, startNodeProxy } from '../../nodeProxy.ts';
import { fairway, makeLogin } from '../../paymentCalls.ts';
import { type PaymentsClient, paymentsClient } from '../../paymentsHarness.ts';
import {
  endEverything,
  freshFolder,
  runToEnd,
  startProcess,
  launch,
  type ServiceProcess,
} from '../../processHarness.ts';
import { type Backup, backUpFiles, backUpTables, endDatabases, startOn } from '../../restoreHarness.ts';
import { CONFIRMATIONS, modelCorridors, SETTLEMENT } from './corridors.ts';

/** How deep the deepest reorganisations are. */
export const DEEPEST = 200;
/** How long anything may take on a machine that has much else to do. */
export const PATIENCE_MS = 90_000;

/** What is restored, and the moment of it. */
export type DatabaseBackup = Backup & { readonly atMs: number };

/** Two services on one chain and one database, each a process of its own. */
type Services = {
  /** Where each service that runs has the recipients' pages. */
  pages(): readonly string[];
  /** The API of each service that runs. */
  clients(): readonly PaymentsClient[];
  /** Kills a service. */
  kill(place: 0 | 1): Promise<void>;
  /**
   * Starts the services that do not run or whose clock is wrong, and waits until they are ready. `aheadMs`: how far the
   * clock of the second one is ahead; it is never ready then, and says why.
   */
  start(aheadMs?: number): Promise<void>;
};

/** A chain, a database, and two services on both. */
export type Ground = Services & {
  readonly chain: TestChain;
  /** The account that deposits come from. */
  readonly payer: string;
  /** The node that the services ask. */
  readonly node: NodeProxy;
  /** The e-mails to recipients. */
  readonly mails: MailSink;
  token(symbol: string): string;
  mine(count: number): Promise<void>;
  /** Calls of one block, each from an account that needs no key. */
  batch(calls: readonly NodeCall[]): Promise<string[]>;
  /** What the database knows of the chain and of work to be done: it explains why something never came to a plan. */
  recorded(): Promise<string>;
  /** What `fairway audit ledger` says: its exit code, and its text. */
  audit(): Promise<{ readonly code: number | null; readonly output: string }>;
  backUp(kind: 'files' | 'tables'): Promise<DatabaseBackup>;
  /**
   * Puts a backup back as `docs/operating.md` says, and starts the services. The command that marks the restore is killed
   * after each of these times and run again.
   */
  restore(backup: DatabaseBackup, killedAfterMs?: readonly number[]): Promise<void>;
  close(): Promise<void>;
};

/** A transaction of an account; the node signs for it. */
export type NodeCall = {
  readonly from: string;
  readonly to: string;
  readonly data?: string;
  readonly value?: string;
};

/** The call of an ERC-20 transfer. */
export function transferOf(token: string, from: string, to: string, amount: bigint): NodeCall {
  const args = [to as `0x${string}`, amount] as const;
  return { from, to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }) };
}

/** Starts chain, database and services. */
export async function startGround(): Promise<Ground> {
  const [chain, firstDatabase, mails] = await Promise.all([startTestChain(), startOn(), startMailSink()]);
  let database = firstDatabase;
  const node = await startNodeProxy(chain.rpcUrl);
  const token = (symbol: string) => chain.tokens.find((each) => each.symbol === symbol)?.address ?? '';
  const config = writeModelConfig(chain, node.url, mails.url, token);
  const payer = await fundedPayer(chain, [token('USDC'), token('USDT')], [token('USDC'), token('tAUD')]);
  const services = servicesOf(config, () => database.url);

  return {
    chain,
    payer,
    node,
    token,
    mails,
    ...services,
    mine: (count) => chain.rpc('anvil_mine', [`0x${count.toString(16)}`]),
    batch: (calls) => minedTogether(chain, calls),
    recorded: () => recordedIn(database.url),
    audit: () => runToEnd([...fairway, 'audit', 'ledger'], envOf(database.url)),
    async backUp(kind) {
      const atMs = Date.now();
      const made = await (kind === 'files' ? backUpFiles : backUpTables)(database);
      return { ...made, atMs };
    },
    async restore({ restore, atMs }, killedAfterMs = []) {
      for (const place of [0, 1] as const) await services.kill(place);
      await database.postgres.close();
      database = await restore();
      const since = new Date(atMs).toISOString();
      const auditLog = join(freshFolder(), 'audit.log');
      const command = [...fairway, 'recover', '--since', since, '--audit-log', auditLog];
      for (const ms of killedAfterMs) {
        const { child, ended } = launch(command, envOf(database.url));
        await Promise.race([sleep(ms), ended]);
        child.kill('SIGKILL');
        await ended;
      }
      const { code, output } = await runToEnd(command, envOf(database.url));
      if (code !== 0) throw new Error(output);
      await services.start();
    },
    async close() {
      await endEverything();
      await node.close();
      await chain.close();
      await endDatabases();
      await mails.close();
    },
  };
}

async function recordedIn(databaseUrl: string): Promise<string> {
  const sql = new Client({ connectionString: databaseUrl });
  await sql.connect();
  try {
    const told: string[] = [];
    for (const query of RECORDED) told.push(`${query}: ${JSON.stringify((await sql.query(query)).rows)}`);
    return told.join('\n');
  } finally {
    await sql.end();
  }
}

const RECORDED = [
  'select clock_timestamp() as now, * from chain_records',
  `select block_number, log_index, tx_hash, to_address, amount::text, canonical from chain_transfers
    order by block_number desc, log_index desc limit 20`,
  'select * from graphile_worker._private_jobs order by id',
  'select * from chain_waits',
  'select * from workers',
];

const envOf = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  FAIRWAY_SEALING_KEYS: `model:${'3c'.repeat(32)}`,
});

/** The two services of a ground, which are started on the database of the moment. */
function servicesOf(config: string, databaseUrl: () => string): Services {
  const running: ({ readonly service: ServiceProcess; readonly aheadMs: number } | undefined)[] = [];
  const [program = '', ...args] = fairway;
  let authorization = '';

  async function startOne(place: number, aheadMs = 0): Promise<void> {
    if (running[place] !== undefined) return;
    const moved = aheadMs === 0 ? [] : ['--import', './apps/service/test/shiftedClock.ts'];
    const command = [program ?? '', ...moved, ...args, 'start'];
    const env = { ...envOf(databaseUrl()), FC_CLOCK_AHEAD_MS: String(aheadMs) };
    running[place] = {
      service: await startProcess(['--port', '0', '--config', config], env, command),
      aheadMs,
    };
    if (authorization !== '') return;
    const login = await makeLogin({ databaseUrl: databaseUrl() }, 'Model', undefined, 'production');
    authorization = basic(login.username, login.password);
  }

  async function kill(place: 0 | 1): Promise<void> {
    running[place]?.service.child.kill('SIGKILL');
    await running[place]?.service.ended;
    running[place] = undefined;
  }

  async function start(aheadMs = 0): Promise<void> {
    const places = [0, 1] as const;
    for (const place of places) {
      const wanted = place === 0 ? 0 : aheadMs;
      if (running[place]?.aheadMs !== wanted) await kill(place);
      await startOne(place, wanted);
    }
    for (const place of places) {
      const url = running[place]?.service.ready.url ?? '';
      if (running[place]?.aheadMs === 0) await answers(`${url}/readyz`, ({ status }) => status === 200);
      else await answers(`${url}/health`, ({ text }) => text.includes('CLOCK_DIFFERS'), authorization);
    }
  }

  return {
    kill,
    start,
    pages: () => running.flatMap((each) => each?.service.ready.url ?? []),
    clients: () =>
      running.flatMap((each) =>
        each === undefined ? [] : paymentsClient(each.service.ready.url, authorization),
      ),
  };
}

/**
 * An account with money, which no reorganisation takes away. The custodian has money of its own, too: it may pay again
 * before returned money has arrived.
 */
async function fundedPayer(
  chain: TestChain,
  tokens: readonly string[],
  custodians: readonly string[],
): Promise<string> {
  const payer = chain.accounts[3]?.address ?? '';
  const wanted = [
    ...tokens.map((token) => ({ token, address: payer })),
    ...custodians.map((token) => ({ token, address: SETTLEMENT })),
  ];
  for (const { token, address } of wanted) {
    const [to, of] = [address as `0x${string}`, token as `0x${string}`];
    const given = await chain.faucet({ address: to, token: of, amount: 100_000_000_000n });
    if (!given.ok) throw new Error('The faucet gave nothing');
  }
  await chain.rpc('anvil_mine', [`0x${(DEEPEST + 10).toString(16)}`]);
  return payer;
}

function writeModelConfig(
  chain: TestChain,
  nodeUrl: string,
  mailUrl: string,
  token: (symbol: string) => string,
): string {
  const file = writeConfig(chain, freshFolder(), {
    rpcUrls: [nodeUrl],
    staleAfterSeconds: 120,
    confirmations: CONFIRMATIONS,
  });
  const content = JSON.parse(readFileSync(file, 'utf8')) as object;
  const mail = { smtpUrl: mailUrl, from: 'Fairway <collect@fairway.example>' };
  // Forms are limited by the address that they come from.
  const collect = { publicUrl: 'https://pay.example', trustedProxies: ['127.0.0.1'], mail };
  const payments = { corridors: modelCorridors(chain.chainId, token) };
  writeFileSync(file, JSON.stringify({ ...content, ...collect, payments }));
  return file;
}

type Answered = { readonly status: number; readonly text: string };

/** Waits until a service says of itself what it should. */
async function answers(
  url: string,
  isRight: (answer: Answered) => boolean,
  authorization = '',
): Promise<void> {
  for (const untilMs = performance.now() + PATIENCE_MS; ; await sleep(50)) {
    const headers = authorization === '' ? {} : { authorization };
    const answer = await fetch(url, { headers }).catch(() => undefined);
    const told = { status: answer?.status ?? 0, text: (await answer?.text()) ?? '' };
    if (isRight(told)) return;
    if (performance.now() > untilMs) throw new Error(`${url} answers ${told.status}: ${told.text}`);
  }
}

async function minedTogether({ rpc }: TestChain, calls: readonly NodeCall[]): Promise<string[]> {
  const hashes: string[] = [];
  await rpc('evm_setAutomine', [false]);
  for (const call of calls) {
    await rpc('anvil_impersonateAccount', [call.from]);
    await rpc('anvil_setBalance', [call.from, '0x8ac7230489e80000']);
    hashes.push(await rpc<string>('eth_sendTransaction', [{ ...call, gas: '0x1e8480' }]));
  }
  await rpc('evm_mine');
  await rpc('evm_setAutomine', [true]);
  return hashes;
}

/** Lets the node be honest again. */
export function makeHonest({ node }: Ground): void {
  node.lie = honest;
}
