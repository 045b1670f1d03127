import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Guardian, lockDirectory, startGuardian } from '@fairway/processes';
import { numberToHex } from 'viem';
import { SANDBOX_ACCOUNTS, type SandboxAccount } from './accounts.ts';
import { SANDBOX_CHAIN_ID } from './anvil.ts';
import { type ChainClock, createClock } from './clock.ts';
import {
  type Deployment,
  operator,
  planDeployment,
  type SandboxContracts,
  type SandboxToken,
  type SetupTransaction,
} from './deploy.ts';
import { openDoor } from './door.ts';
import { createFaucet, type Faucet } from './faucet.ts';
import { startHeadWatch } from './headWatch.ts';
import { createLine } from './line.ts';
import { type StartedNode, startNode, superviseNode } from './node.ts';
import { createRpc, type Rpc } from './rpc.ts';
import { FOLDER_PREFIX, openSavedChain, type SavedChain } from './savedChain.ts';
import { createSender, type Sender } from './sender.ts';
import { openSeededState, type SeededState } from './seededState.ts';
import { planSeeding, type SandboxPool, type Seeding, sendSetup } from './seed.ts';

/** How to start a sandbox chain. */
export type SandboxChainOptions = {
  /** Keeps the chain here across restarts; without it every start is a fresh chain. Locked while in use. */
  readonly dataDirectory?: string;
  /** Keeps the chain as it is set up here, so that later starts load it. */
  readonly cacheDirectory?: string;
  /** Ends the chain if this process is killed; without one the chain starts its own guardian. */
  readonly guardian?: Guardian;
  log(message: string): void;
};

/** A local chain with the real contracts, seeded markets, a clock and a faucet. It listens on 127.0.0.1 only. */
export type SandboxChain = {
  readonly chainId: typeof SANDBOX_CHAIN_ID;
  readonly nativeSymbol: 'ETH';
  /** For programs on this machine: a request of a web page is refused, by its host or its origin. */
  readonly rpcUrl: string;
  readonly wsUrl: string;
  /** Undefined where unix sockets cannot be used. */
  readonly ipcPath: string | undefined;
  readonly accounts: readonly SandboxAccount[];
  readonly contracts: SandboxContracts;
  /** Wrapped native first. */
  readonly tokens: readonly SandboxToken[];
  readonly pools: readonly SandboxPool[];
  /** Sandbox time in milliseconds since 1970: the wall clock plus all advances, and never before the latest block. */
  nowMs(): number;
  /** Moves the clock up to the timestamp of a block that was seen elsewhere. Seconds since 1970. */
  observeBlock(timestampSeconds: number): void;
  /** Resolves when a block at the new time is mined. Rejects with RangeError below 0 or above MAX_ADVANCE_SECONDS. */
  advanceClock(seconds: number): Promise<void>;
  /**
   * Mines empty blocks until the chain has a block of this number. After it lost blocks in a kill, the chain is then not
   * shorter than it was. To those who know the lost blocks it was reorganised, and is not merely behind.
   */
  mineUpTo(blockNumber: number): Promise<void>;
  readonly faucet: Faucet;
  /** Sends a transaction from any account. */
  readonly sendAs: Sender;
  /** Ends everything the chain started and removes its temporary folder, within two seconds. */
  close(): Promise<void>;
};

/** The sandbox cannot start. The message gives the reason and what to do. */
export class SandboxStartRefused extends Error {
  override readonly name = 'SandboxStartRefused';
}

/** How long a call of the clock or the faucet waits for each answer of the node. */
const ANSWER_PATIENCE_MS = 5_000;
/**
 * How long such a call waits for its turn. Shorter, so that after a call that timed out no call begins that would
 * time out.
 */
const TURN_PATIENCE_MS = 4_000;

/** The longest path at which a unix socket is bound: every supported system allows more. */
const LONGEST_SOCKET_PATH = 103;

/**
 * Starts a sandbox chain and resolves when it is usable. Rejects with SandboxStartRefused when the data folder is
 * in use, with SavedChainUnreadable when what it holds cannot be used.
 *
 * @example
 * ```ts
 * import { startSandboxChain } from '@fairway/sandbox';
 *
 * const chain = await startSandboxChain({ log: console.error });
 * console.log(chain.rpcUrl, chain.tokens.map(({ symbol }) => symbol));
 * await chain.advanceClock(60);
 * await chain.close();
 * ```
 */
export async function startSandboxChain(options: SandboxChainOptions): Promise<SandboxChain> {
  const ending = new AsyncDisposableStack();
  try {
    return await assemble(options, ending);
  } catch (error) {
    await ending.disposeAsync();
    throw error;
  }
}

/** Starts one part after the other. Each part puts what ends it into `ending`, which runs in reverse order. */
async function assemble(options: SandboxChainOptions, ending: AsyncDisposableStack): Promise<SandboxChain> {
  const { dataDirectory, cacheDirectory, log } = options;
  const saved = dataDirectory === undefined ? undefined : await takeDirectory(dataDirectory, ending);
  const guardian = options.guardian ?? (await ownGuardian(ending));
  const accounts = SANDBOX_ACCOUNTS;
  const deployment = planDeployment();
  const seeding = planSeeding(
    deployment,
    accounts.map(({ address }) => address),
  );
  const setup = [...deployment.transactions, ...seeding.transactions];
  const seeded = cacheDirectory === undefined ? undefined : openSeededState(cacheDirectory, setup, log);
  const site = { ...makeSite(guardian, ending), saved, seeded };

  const node = await startNode(site, 0);
  let endNode = async () => {
    await node.anvil.stop();
    guardian.unwatch(node.anvil.pid);
  };
  ending.defer(() => endNode());

  const { host, port } = node.anvil;
  const nodeUrl = `http://${host}:${port}`;
  const rpc = createRpc(nodeUrl);
  const callersRpc = createRpc(nodeUrl, ANSWER_PATIENCE_MS);
  const clock = createClock(callersRpc, node.offsetMs, Date.now, createLine(TURN_PATIENCE_MS));
  const prepare = (started: StartedNode) =>
    prepareNode({ rpc, clock, deployment, seeding, setup, saved, seeded }, started);
  await prepare(node);

  const watch = startHeadWatch({ rpc, clock, saved, log });
  const prepareAgain = async (started: StartedNode) => {
    await prepare(started);
    await mineUpTo(rpc, watch.highestNumber() + 1);
  };
  const supervisor = superviseNode(node, { site, log, prepare: prepareAgain });
  endNode = supervisor.stop;
  ending.defer(() => watch.stop());
  const door = await openDoor({ host, port });
  ending.defer(() => door.close());

  return {
    chainId: SANDBOX_CHAIN_ID,
    nativeSymbol: 'ETH',
    rpcUrl: `http://127.0.0.1:${door.port}`,
    wsUrl: `ws://127.0.0.1:${door.port}`,
    ipcPath: site.ipcPath,
    accounts,
    contracts: deployment.contracts,
    tokens: deployment.tokens,
    pools: seeding.pools,
    nowMs: clock.nowMs,
    observeBlock: clock.observe,
    async advanceClock(seconds) {
      await clock.advance(seconds);
      await saved?.saveClock(clock.offsetMs());
    },
    mineUpTo: (blockNumber) => mineUpTo(callersRpc, blockNumber),
    faucet: createFaucet(callersRpc, deployment.tokens, createLine(TURN_PATIENCE_MS)),
    sendAs: createSender(callersRpc, createLine(TURN_PATIENCE_MS)),
    close: () => ending.disposeAsync(),
  };
}

async function mineUpTo(rpc: Rpc, blockNumber: number): Promise<void> {
  const missing = blockNumber - Number(await rpc.request<string>('eth_blockNumber'));
  if (missing > 0) await rpc.request('anvil_mine', [numberToHex(missing)]);
}

async function takeDirectory(directory: string, ending: AsyncDisposableStack): Promise<SavedChain> {
  const saved = openSavedChain(directory);
  const locked = lockDirectory(directory);
  if (!locked.ok) throw new SandboxStartRefused(locked.detail);
  ending.defer(() => locked.lock.release());
  await saved.endOrphan();
  return saved;
}

async function ownGuardian(ending: AsyncDisposableStack): Promise<Guardian> {
  const guardian = await startGuardian();
  ending.defer(() => guardian.close());
  return guardian;
}

function makeSite(guardian: Guardian, ending: AsyncDisposableStack) {
  const socketIn = (folder: string) => join(folder, 'anvil.ipc');
  const fits = socketIn(join(tmpdir(), `${FOLDER_PREFIX}XXXXXX`)).length <= LONGEST_SOCKET_PATH;
  const parent = fits || process.platform === 'win32' ? tmpdir() : '/tmp';
  const folder = mkdtempSync(join(parent, FOLDER_PREFIX));
  guardian.removeAtEnd(folder);
  ending.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const ipcPath = process.platform === 'win32' ? undefined : socketIn(folder);
  return { folder, ipcPath, host: hiddenHost(), guardian };
}

/**
 * The address of this machine that the node listens on. On Linux it is one of 16 million, so that a web page which
 * tries ports finds the door alone; other systems have 127.0.0.1 only.
 */
function hiddenHost(): string {
  const part = () => 1 + randomInt(254);
  return process.platform === 'linux' ? `127.${part()}.${part()}.${part()}` : '127.0.0.1';
}

type Preparation = {
  readonly rpc: Rpc;
  readonly clock: ChainClock;
  readonly deployment: Deployment;
  readonly seeding: Seeding;
  readonly setup: readonly SetupTransaction[];
  readonly saved: SavedChain | undefined;
  readonly seeded: SeededState | undefined;
};

/** Sets up an empty chain or checks a loaded one, and brings node and clock to the same time. */
async function prepareNode(preparation: Preparation, node: StartedNode): Promise<void> {
  const { rpc, clock, deployment, seeding, setup, saved, seeded } = preparation;
  await rpc.batch([
    { method: 'anvil_setLoggingEnabled', params: [false] },
    { method: 'anvil_impersonateAccount', params: [operator] },
  ]);
  if (node.chain === 'EMPTY') {
    await clock.align();
    await sendSetup(rpc, setup);
    await seeded?.keep(rpc);
  } else {
    const { timestamp } = await rpc.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false]);
    clock.observe(Number(timestamp));
    const [missing] = await missingContracts(rpc, deployment, seeding);
    if (missing !== undefined) {
      const reason = `made by another version: no contract at ${missing}`;
      if (node.chain === 'SAVED' && saved !== undefined) throw saved.unreadable(reason);
      seeded?.remove(reason);
      throw new SandboxStartRefused(`The kept chain of the sandbox was ${reason}. Start again.`);
    }
    await clock.align();
  }
  // A chain that is set up begins with a block of now, however old its set-up is.
  if (node.chain !== 'SAVED') await rpc.request('evm_mine');
}

/** The planned addresses without code. A saved chain of another version has its contracts at other addresses. */
async function missingContracts(rpc: Rpc, deployment: Deployment, seeding: Seeding): Promise<string[]> {
  const addresses = [
    ...Object.values(deployment.contracts),
    ...[...deployment.tokens, ...seeding.pools].map(({ address }) => address),
  ];
  const calls = addresses.map((address) => ({ method: 'eth_getCode', params: [address, 'latest'] }));
  const codes = await rpc.batch<string>(calls);
  return addresses.filter((_, index) => codes[index] === '0x');
}
