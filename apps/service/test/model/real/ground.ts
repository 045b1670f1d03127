import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestChain, startTestDatabase, type TestChain } from '@fairway/testing';
import { encodeFunctionData, erc20Abi } from 'viem';
import { writeConfig } from '../../configHarness.ts';
import { basic } from '../../harness.ts';
import { honest, type NodeProxy, startNodeProxy } from '../../nodeProxy.ts';
import { fairway, makeLogin, urlOf } from '../../paymentCalls.ts';
import { type PaymentsClient, paymentsClient } from '../../paymentsHarness.ts';
import {
  endEverything,
  freshFolder,
  runToEnd,
  type ServiceProcess,
  startProcess,
} from '../../processHarness.ts';

/** Where swaps of the model's corridors go. */
export const SETTLEMENT = '0x5e77000000000000000000000000000000000002';
/** The confirmations that the model's corridors ask for. */
export const CONFIRMATIONS = 2;
/** How deep the deepest reorganisations are. */
export const DEEPEST = 200;
/** How long anything may take on a machine that has much else to do. */
export const PATIENCE_MS = 90_000;

/** A chain, a database, and two services on both, each a process of its own. */
export type Ground = {
  readonly chain: TestChain;
  /** The account that deposits come from. */
  readonly payer: string;
  /** The node that the services ask. */
  readonly node: NodeProxy;
  /** The API of each service that runs. */
  clients(): readonly PaymentsClient[];
  /** Ends a service without a word. */
  kill(place: 0 | 1): Promise<void>;
  /** Starts the services that do not run, and waits until they are ready. */
  start(): Promise<void>;
  token(symbol: string): string;
  mine(count: number): Promise<void>;
  /** Calls of one block, each from an account that needs no key. */
  batch(calls: readonly NodeCall[]): Promise<string[]>;
  /** What `fairway audit ledger` says: its exit code, and its text. */
  audit(): Promise<{ readonly code: number | null; readonly output: string }>;
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
  const [chain, database] = await Promise.all([startTestChain(), startTestDatabase()]);
  const node = await startNodeProxy(chain.rpcUrl);
  const databaseUrl = urlOf(database.connection);
  const env = { DATABASE_URL: databaseUrl, FAIRWAY_SEALING_KEYS: `model:${'3c'.repeat(32)}` };
  const token = (symbol: string) => chain.tokens.find((each) => each.symbol === symbol)?.address ?? '';
  const config = writeModelConfig(chain, node.url, token);
  const payer = await fundedPayer(chain, [token('USDC'), token('USDT')]);
  const services: (ServiceProcess | undefined)[] = [undefined, undefined];
  let authorization = '';

  async function startOne(place: number): Promise<void> {
    services[place] ??= await startProcess(['--port', '0', '--config', config], [...fairway, 'start'], env);
    if (authorization === '') {
      const login = await makeLogin({ databaseUrl }, 'Model', undefined, 'production');
      authorization = basic(login.username, login.password);
    }
  }

  return {
    chain,
    payer,
    node,
    token,
    clients: () =>
      services.flatMap((each) => (each === undefined ? [] : paymentsClient(each.ready.url, authorization))),
    async kill(place) {
      services[place]?.child.kill('SIGKILL');
      await services[place]?.ended;
      services[place] = undefined;
    },
    async start() {
      await startOne(0);
      await startOne(1);
      for (const service of services) await ready(service?.ready.url ?? '');
    },
    mine: (count) => chain.rpc('anvil_mine', [`0x${count.toString(16)}`]),
    batch: (calls) => minedTogether(chain, calls),
    async audit() {
      return runToEnd([...fairway, 'audit', 'ledger'], env);
    },
    async close() {
      await endEverything();
      await node.close();
      await chain.close();
      await database.close();
    },
  };
}

/** An account with money of both tokens, which no reorganisation takes away. */
async function fundedPayer(chain: TestChain, tokens: readonly string[]): Promise<string> {
  const payer = chain.accounts[3]?.address ?? '';
  for (const token of tokens) {
    const [to, of] = [payer as `0x${string}`, token as `0x${string}`];
    const given = await chain.faucet({ address: to, token: of, amount: 100_000_000_000n });
    if (!given.ok) throw new Error('The faucet gave nothing');
  }
  await chain.rpc('anvil_mine', [`0x${(DEEPEST + 10).toString(16)}`]);
  return payer;
}

function writeModelConfig(chain: TestChain, nodeUrl: string, token: (symbol: string) => string): string {
  const file = writeConfig(chain, freshFolder(), {
    rpcUrls: [nodeUrl],
    staleAfterSeconds: 120,
    confirmations: CONFIRMATIONS,
  });
  const corridor = (id: string, from: string, to: string, target: object) => ({
    id,
    source: { chainId: chain.chainId, token: token(from) },
    target: { token: token(to), custodian: 'Custodian', settlementAddress: SETTLEMENT, ...target },
    modes: ['STANDARD'],
    minConfirmations: CONFIRMATIONS,
    settlementTime: { min: 'PT1M', max: 'P1D' },
  });
  const corridors = [
    corridor('usdc-aud-bank', 'USDC', 'tAUD', { type: 'BANK', country: 'AU', currency: 'AUD', rail: 'NPP' }),
    corridor('usdt-wallet', 'USDT', 'USDT', { type: 'WALLET', currency: 'USDT' }),
  ];
  const content = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...content, payments: { corridors } }));
  return file;
}

async function ready(url: string): Promise<void> {
  for (const untilMs = performance.now() + PATIENCE_MS; ; await sleep(50)) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.status === 200) return;
    if (performance.now() > untilMs) throw new Error(`${url} is not ready: ${await answer?.text()}`);
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
