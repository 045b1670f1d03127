import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { EnvironmentVariables } from '../platform/config/variables.ts';
import type { RunningService } from '../run.ts';
import { CommandError } from './commandError.ts';
import type { Terminal } from './terminal.ts';

/** A Client Node in a process of its own, as its ready file tells. */
export type RunningClientNode = {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly relayers: readonly { readonly relayerId: string; readonly address: string }[];
};

/** The node, and what ends its process. */
export type StartedClientNode = {
  readonly node: RunningClientNode;
  /** The body of a swap to try, with a limit that is taken from its quote. */
  readonly exampleSwap: string;
  close(): Promise<void>;
};

const MAIN = fileURLToPath(new URL('../../../client-node/src/main.ts', import.meta.url));
const LOOK_MS = 50;

/** Starts a Client Node beside the sandbox of a service. `dataDirectory`: where it keeps its own data. */
export async function startClientNode(
  { url, demo, exampleQuery = '' }: RunningService,
  { dataDirectory, port }: { readonly dataDirectory?: string; readonly port?: number },
  { environment, notes }: Pick<Terminal, 'environment' | 'notes'>,
): Promise<StartedClientNode> {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-client-node-'));
  const [sandboxFile, readyFile] = [join(folder, 'sandbox.json'), join(folder, 'ready.json')];
  writeFileSync(sandboxFile, JSON.stringify({ url, ...demo }), { mode: 0o600 });
  const args = ['start', '--sandbox', sandboxFile, '--ready-file', readyFile, '--log-level', 'warn'];
  if (dataDirectory !== undefined) args.push('--data', join(dataDirectory, 'client-node'));
  if (port !== undefined && !environment['FAIRWAY_NODE_PORT']) args.push('--port', '0');
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: environmentOf(environment),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.on('data', (chunk: Buffer) => notes.write(chunk.toString()));
  const ended = once(child, 'exit');
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const close = async () => {
    if (isRunning()) {
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  while (isRunning() && !existsSync(readyFile)) await sleep(LOOK_MS);
  if (!isRunning()) {
    await close();
    throw new CommandError('CLIENT_NODE_ENDED', 'The Client Node ended before it was ready: see above.');
  }
  const node = JSON.parse(readFileSync(readyFile, 'utf8')) as RunningClientNode;
  return { node, close, exampleSwap: await swapToTry(node, exampleQuery) };
}

/** A swap that may pay a hundredth less than its quote through the node. */
async function swapToTry({ url, username, password }: RunningClientNode, query: string): Promise<string> {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const response = await fetch(`${url}/v1/quote?${query}`, { headers: { authorization } });
  const { amountOut = '0' } = (await response.json()) as { amountOut?: string };
  const { chainId, ...trade } = Object.fromEntries(new URLSearchParams(query));
  const minAmountOut = String((BigInt(amountOut) * 99n) / 100n);
  return JSON.stringify({ chainId: Number(chainId), ...trade, minAmountOut });
}

/** The node has a database of its own, and ends when this process ends. */
function environmentOf({ DATABASE_URL: _ours, ...others }: EnvironmentVariables): EnvironmentVariables {
  return { ...others, FAIRWAY_NODE_WITH_PARENT: '1' };
}

/** The lines that show the node to a newcomer, with a request that executes the swap of a quote. */
export function clientNodeLines({ node, exampleSwap }: StartedClientNode): string[] {
  const { url, username, password, relayers } = node;
  return [
    `  Client Node     ${url}`,
    ...relayers.map(({ address }) => `  Its relayer     ${address}`),
    '',
    'Execute that swap with the Client Node, once for its key, and wait for the receipt:',
    '',
    `  curl -s -u ${username}:${password} -H 'Content-Type: application/json' -H 'Idempotency-Key: first-swap' -H 'Prefer: wait=10' '${url}/v1/swap?executionMode=execute' -d '${exampleSwap}'`,
    '',
  ];
}
