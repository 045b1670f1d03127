import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { spawnHeld, withPatience } from '@fairway/processes';

/** The chain id of every sandbox. */
export const SANDBOX_CHAIN_ID = 31337;

/** The mnemonic of every development chain: its keys are public, and its accounts hold nothing of value. */
const SANDBOX_MNEMONIC = 'test test test test test test test test test test test junk';

/** How many accounts the sandbox funds. */
const ACCOUNT_COUNT = 10;

/** What an empty chain is made of. */
const GENESIS: readonly string[] = [
  ...['--chain-id', String(SANDBOX_CHAIN_ID), '--hardfork', 'prague'],
  ...['--mnemonic', SANDBOX_MNEMONIC, '--accounts', String(ACCOUNT_COUNT), '--balance', '1000000'],
];

/** A running anvil. */
export type Anvil = {
  readonly pid: number;
  readonly host: string;
  readonly port: number;
  /** Resolves with the reason when the process has ended. */
  readonly ended: Promise<string>;
  /** Ends the process; resolves when it is gone, within a second. */
  stop(): Promise<void>;
};

/** How to start an anvil. `port` 0 takes any free one; `statePath` is a dump of anvil's as JSON text. */
export type AnvilOptions = {
  readonly host: string;
  readonly port: number;
  /** An empty folder in which anvil may write. */
  readonly folder: string;
  readonly ipcPath: string | undefined;
  readonly statePath: string | undefined;
  /** Called once the process exists, before its program begins, so that it can be ended if this process dies. */
  onSpawn(pid: number): void;
};

const START_TIMEOUT_MS = 10_000;
const STOP_GRACE_MS = 500;

/** Says which version of the node makes a chain, and from what: another one makes another chain of the same transactions. */
export function makingOfChains(): string {
  const { version } = createRequire(import.meta.url)('@foundry-rs/anvil/package.json') as { version: string };
  return [version, ...GENESIS].join(' ');
}

/** The path of the platform's binary. Throws with the remedy when its npm package is not installed. */
function anvilBinary(): string {
  const platforms: Record<string, string> = { 'linux/x64': 'linux-amd64', 'linux/arm64': 'linux-arm64' };
  platforms['darwin/x64'] = 'darwin-amd64';
  platforms['darwin/arm64'] = 'darwin-arm64';
  platforms['win32/x64'] = 'win32-amd64';
  const name = `@foundry-rs/anvil-${platforms[`${process.platform}/${process.arch}`] ?? 'none'}`;
  const anvil = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json');
  try {
    const folder = dirname(createRequire(anvil).resolve(`${name}/package.json`));
    return join(folder, 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil');
  } catch {
    throw new Error(
      `The sandbox chain needs the npm package ${name}, which is not installed here ` +
        `(${process.platform} ${process.arch}). Run "npm ci" with optional dependencies, or configure a chain of your own.`,
    );
  }
}

function anvilArguments(options: AnvilOptions): string[] {
  return [
    ...['--host', options.host, '--port', String(options.port), '--no-cors', '--no-request-size-limit'],
    ...GENESIS,
    // With a lower limit, anvil_reorg can lose contract code once anvil drops old states.
    ...['--prune-history', '5000'],
    ...(options.ipcPath === undefined ? [] : ['--ipc', options.ipcPath]),
    ...(options.statePath === undefined ? [] : ['--load-state', options.statePath]),
  ];
}

/**
 * Starts the anvil binary and resolves when it listens. It runs in its own process group, so that a terminal's Ctrl-C
 * does not reach it: the sandbox ends it when it closes.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const { child, begin } = spawnHeld(anvilBinary(), anvilArguments(options), {
    cwd: options.folder,
    detached: true,
    // The service's environment may hold secrets: none of it is passed on.
    env: { HOME: options.folder, TMPDIR: options.folder },
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`anvil could not be started: ${await ended}`);
  options.onSpawn(pid);
  begin();
  const port = await listeningPort(child, ended);
  return { pid, host: options.host, port, ended, stop: () => stopChild(child, ended) };
}

async function stopChild(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.kill('SIGTERM');
  if ((await withPatience(ended, STOP_GRACE_MS)) === undefined) child.kill('SIGKILL');
  await ended;
}

async function listeningPort(child: ChildProcess, ended: Promise<string>): Promise<number> {
  let output = '';
  const listening = new Promise<number>((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      // After the start the output is read, because a full pipe would stop the chain, but it is not kept.
      if (output.length > 100_000) return;
      output += text;
      const match = /Listening on \S+:(\d+)/.exec(output);
      if (match !== null) {
        resolve(Number(match[1]));
        output = ' '.repeat(100_001);
      }
    });
  });
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (complaint.length < 2_000) complaint += text;
  });
  const failed = ended.then((reason): never => {
    throw new Error(`anvil did not start (${reason}): ${complaint.trim() || 'it gave no reason'}`);
  });
  const port = await withPatience(Promise.race([listening, failed]), START_TIMEOUT_MS);
  if (port !== undefined) return port;
  child.kill('SIGKILL');
  throw new Error(`anvil did not listen within ${START_TIMEOUT_MS} ms`);
}
