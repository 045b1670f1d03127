import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ExecutionReading, Sandbox, SwapPlan } from '@fairway/wire';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Benchmark, Row } from './benchmark.ts';
import { type MeasuredProcess, startMeasured } from './measuring/measuredProcess.ts';
import { type Login, repositoryRoot, startMeasuredService } from './measuring/measuredService.ts';
import { type SeenNode, startSeenNode } from './measuring/seenNode.ts';
import { percentile, short } from './measuring/statistics.ts';

const EXECUTIONS = 100;
const WARM_UP = 20;
const ALONE = 20;
const CLIENTS = 16;
/** To look more often would measure the looking. */
const LOOK_MS = 100;
const LEAST_SHARE = 1 / 5;
const WEALTH = `0x${(10n ** 24n).toString(16)}`;
const NATIVE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';
const PASSWORD = 'a password of the benchmark';
const NODE_MAIN = join(repositoryRoot, 'apps/client-node/src/main.ts');

/** Executions of a Client Node over HTTP, beside a loop that signs and sends the same swap on the same chain. */
export const relay: Benchmark = {
  name: 'relay',
  title: 'Swaps executed by a Client Node',
  run: async (progress) => {
    await using ending = new AsyncDisposableStack();
    const service = await startMeasuredService();
    ending.defer(service.stop);
    const place = { url: service.url, ...service.demo };
    const sandbox = await ask<Sandbox>(place, '/v1/sandbox');
    const chain = await startSeenNode(sandbox.rpcUrl);
    ending.defer(chain.close);
    progress('starting the node');
    const node = await startNode(place, sandbox, chain, (end) => ending.defer(end));
    const ground = { place, sandbox, chain, node };
    await executeAll(ground, 'warm', WARM_UP, CLIENTS);
    await sendBare(ground, WARM_UP);
    progress(`${EXECUTIONS} sends by a bare loop`);
    const before = await sendBare(ground, EXECUTIONS);
    progress(`${EXECUTIONS} executions of ${CLIENTS} clients`);
    const crowded = await executeAll(ground, 'crowd', EXECUTIONS, CLIENTS);
    progress(`${ALONE} executions one after the other`);
    const alone = await executeAll(ground, 'alone', ALONE, 1);
    progress(`${EXECUTIONS} sends by a bare loop, again`);
    const after = await sendBare(ground, EXECUTIONS);
    return rowsOf((before + after) / 2, crowded, alone);
  },
};

type Ground = {
  readonly place: Place;
  readonly sandbox: Sandbox;
  readonly chain: SeenNode;
  readonly node: RunningNode;
};
/** A node, and how much CPU it has used. */
type RunningNode = Place & Pick<MeasuredProcess, 'cpuUs'>;
type Place = Login & { readonly url: string };

/** The times of an execution, in milliseconds of one clock. */
type Times = { readonly askedAt: number; readonly acceptedAt: number; readonly sentAt: number };
type Measured = {
  readonly times: readonly Times[];
  readonly perSecond: number;
  /** Calls to the chain, and milliseconds of the node's CPU, for each execution. */
  readonly calls: number;
  readonly cpuMs: number;
};

async function startNode(
  place: Place,
  { routers, wrappedNative, tokens, chainId }: Sandbox,
  { url, ask: askChain }: SeenNode,
  onEnd: (end: () => Promise<void>) => void,
): Promise<RunningNode> {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-bench-node-'));
  onEnd(async () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const file = (name: string, content: object | string) => {
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    return join(folder, name);
  };
  file('password', `${PASSWORD}\n`);
  const making = promisify(execFile)(process.execPath, [NODE_MAIN, 'keys', 'new', join(folder, 'key.json')]);
  making.child.stdin?.end(`${PASSWORD}\n`);
  await askChain('anvil_setBalance', [(await making).stdout.trim(), WEALTH]);
  const signers = [{ kind: 'KEYSTORE', file: 'key.json', passwordFile: 'password' }];
  const config = { chains: [{ chainId, nodes: [url], confirmations: 0, maxFeeGwei: 1000, signers }] };
  const rules = {
    ...{ recipients: ['RELAYER'], maxLifeSec: 3600, simulation: 'DEMANDED', mostGas: '1000000' },
    ...{ keepWei: '0', chainId, wrappedNative: wrappedNative.toLowerCase() },
    routers: [Object.values(routers as Record<string, string>)[0]?.toLowerCase()],
    tokens: [
      { address: NATIVE, spend: { most: String(10n ** 18n) } },
      { address: usdcOf(tokens).toLowerCase() },
    ],
  };
  const readyFile = join(folder, 'ready.json');
  const options = ['--config', file('config.json', config), '--data', join(folder, 'data'), '--port', '0'];
  const running = startMeasured(
    NODE_MAIN,
    ['start', ...options, '--ready-file', readyFile, '--log-level', 'error'],
    {
      FAIRWAY_NODE_ENVIRONMENT: 'sandbox',
      FAIRWAY_NODE_POLICY: file('policy.json', { chains: [rules] }),
      FAIRWAY_NODE_SERVICE_URL: place.url,
      FAIRWAY_NODE_SERVICE_USERNAME: place.username,
      FAIRWAY_NODE_SERVICE_PASSWORD: place.password,
    },
  );
  onEnd(running.stop);
  while (!existsSync(readyFile)) {
    if (running.child.exitCode !== null) throw new Error('The node ended before it was ready');
    await sleep(20);
  }
  return { ...(JSON.parse(readFileSync(readyFile, 'utf8')) as Place), cpuUs: running.cpuUs };
}

function usdcOf(tokens: Sandbox['tokens']): string {
  return tokens.find(({ symbol }) => symbol === 'USDC')?.address ?? '';
}

const saleOf = ({ sandbox: { chainId, tokens } }: Pick<Ground, 'sandbox'>) => ({
  ...{ chainId, tokenIn: NATIVE, tokenOut: usdcOf(tokens), tradeType: 'EXACT_IN' },
  amount: String(10n ** 14n),
});

/** Signs and sends the same swap again and again, each when the one before was taken. Gives how many a second. */
async function sendBare({ place, sandbox, chain }: Ground, count: number): Promise<number> {
  const account = privateKeyToAccount(generatePrivateKey());
  await chain.ask('anvil_setBalance', [account.address, WEALTH]);
  const body = { ...saleOf({ sandbox }), sender: account.address, slippageBps: 5000 };
  const { instructions = [] } = await ask<SwapPlan>(place, '/v1/swap', { body });
  const [call] = instructions;
  if (call === undefined) throw new Error('The service gave no call');
  const startedAt = performance.now();
  for (let nonce = 0; nonce < count; nonce += 1) {
    const signed = await account.signTransaction({
      ...{ type: 'eip1559', chainId: sandbox.chainId, nonce, gas: 400_000n },
      ...{ to: call.to as `0x${string}`, data: call.data as `0x${string}`, value: BigInt(call.value) },
      ...{ maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1_000_000n },
    });
    await chain.ask('eth_sendRawTransaction', [signed]);
  }
  return (1000 * count) / (performance.now() - startedAt);
}

/** Has the node execute swaps for clients that each wait for the answer before they ask again. */
async function executeAll(ground: Ground, name: string, count: number, clients: number): Promise<Measured> {
  const { node, chain } = ground;
  const asked: { key: string; askedAt: number; acceptedAt: number }[] = [];
  const cpuBefore = await node.cpuUs();
  const [startedAt, callsBefore] = [performance.now(), chain.count()];
  let next = 0;
  const client = async () => {
    while (next < count) {
      const key = `${name}-${(next += 1)}`;
      const askedAt = performance.now();
      const body = { ...saleOf(ground), minAmountOut: '200000' };
      await ask(node, '/v1/swap?executionMode=execute', { body, headers: { 'idempotency-key': key } });
      asked.push({ key, askedAt, acceptedAt: performance.now() });
      if (clients === 1) await sentOf(ground, key);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const times: Times[] = [];
  for (const { key, ...each } of asked) times.push({ ...each, sentAt: await sentOf(ground, key) });
  const lastAt = Math.max(...times.map(({ sentAt }) => sentAt));
  const calls = (chain.count() - callsBefore) / count;
  const cpuMs = ((await node.cpuUs()) - cpuBefore) / 1000 / count;
  return { times, perSecond: (1000 * count) / (lastAt - startedAt), calls, cpuMs };
}

/** When the transaction of a key was first sent, once the chain has it. */
async function sentOf({ node, chain }: Ground, key: string): Promise<number> {
  for (;;) {
    const { execution, receipts } = await ask<ExecutionReading>(node, `/relay/executions?key=${key}`);
    if (execution.status === 'FAILED') throw new Error(`${key} failed: ${JSON.stringify(execution)}`);
    const sentAt = chain.sentAt(receipts[0]?.txHash ?? '');
    if (execution.status === 'SUCCEEDED' && sentAt !== undefined) return sentAt;
    await sleep(LOOK_MS);
  }
}

async function ask<Body>(
  { url, username, password }: Place,
  path: string,
  { body, headers }: { readonly body?: object; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Body> {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`);
  return (await response.json()) as Body;
}

function rowsOf(barePerSecond: number, crowded: Measured, alone: Measured): readonly Row[] {
  const share = crowded.perSecond / barePerSecond;
  return [
    {
      what: 'bare loop: signed and sent',
      measured: `${short(barePerSecond)} a second`,
      note: `${EXECUTIONS} before the node and ${EXECUTIONS} after it`,
    },
    {
      what: `node, ${CLIENTS} clients: executed`,
      measured: `${short(crowded.perSecond)} a second`,
      note: `${short(share)} of bare; ${short(crowded.calls)} calls to the chain and ${short(crowded.cpuMs)} ms of the node's CPU for each`,
      target: { text: '≥ 0.2 of bare', met: share >= LEAST_SHARE },
    },
    { what: `node, ${CLIENTS} clients: request to broadcast`, ...spread(crowded.times) },
    { what: 'node, one after the other: request to broadcast', ...spread(alone.times) },
  ];
}

/** From the request to the broadcast, and which part of it the two stages have. */
function spread(times: readonly Times[]): Pick<Row, 'measured' | 'note'> {
  const whole = times.map(({ askedAt, sentAt }) => sentAt - askedAt);
  const accepting = times.map(({ askedAt, acceptedAt }) => acceptedAt - askedAt);
  const sum = (figures: readonly number[]) => figures.reduce((one, other) => one + other, 0);
  const percent = Math.round((100 * sum(accepting)) / sum(whole));
  return {
    measured: `p95 ${short(percentile(whole, 0.95))} ms`,
    note: `p50 ${short(percentile(whole, 0.5))} ms; ${percent} % until it is accepted (planned, judged, durable), ${100 - percent} % until it leaves (judged again, bound, signed, in the journal)`,
  };
}
