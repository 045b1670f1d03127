import { join } from 'node:path';
import { defined } from '@fairway/values';
import { readFileSync, writeFileSync } from 'node:fs';
import { type FeePips, toAddress } from '@fairway/engine';
import { type Guardian, withPatience } from '@fairway/processes';
import {
  NodeUnreachable,
  planDeployment,
  type SandboxChain,
  type SandboxChainOptions,
  type SandboxContracts,
  SandboxStartRefused,
  type SandboxToken,
  SavedChainUnreadable,
  SANDBOX_CHAIN_ID,
  startSandboxChain,
} from '@fairway/sandbox';
import type { Store } from '@fairway/store';
import { ROLES } from '@fairway/wire';
import type { Logger } from 'pino';
import { getAddress } from 'viem';
import type { Config } from '../../platform/config/config.ts';
import { ConfigError } from '../../platform/config/error.ts';
import type { ChainConfig, PaymentsConfig } from '../../platform/config/file.ts';
import { chainFolder, demoFile } from '../../platform/config/dataFolder.ts';
import type { Mailer } from '../../platform/mail/mailer.ts';
import type { MailConfig } from '../../platform/config/mail.ts';
import { startMailSink } from './mailSink.ts';
import type { FaucetOrder, SandboxDeps, SandboxOutcome, SendOrder, SentOutcome } from './deps.ts';
import { sandboxCorridors } from './corridors.ts';

/** The built-in sandbox: its chain, its clock, its configuration, and what its operations need. */
export type SandboxParts = {
  readonly chains: readonly ChainConfig[];
  readonly payments: PaymentsConfig;
  readonly mail: MailConfig;
  /** A mailer whose e-mails the mailbox shows to their organisations. */
  attributing(mailer: Mailer): Mailer;
  readonly deps: SandboxDeps;
  nowMs(): number;
  /** Moves the sandbox's time up to that of a new block, if it is behind. `timestampSeconds`: seconds since 1970. */
  observeBlock(timestampSeconds: bigint): void;
  /** Query string of a first quote: one unit of native currency for USDC. */
  readonly exampleQuery: string;
  /**
   * Begins to work with a database. The chain gets as many blocks as its record there has. Without them, a chain whose last
   * blocks were lost in a kill would count as a node that is behind, and nothing would go on. Makes a demo credential for
   * this start; `revoke` ends it. First ends the credential of a start that was killed.
   */
  begin(store: Store): Promise<{ readonly demo: Demo; revoke(): Promise<void> }>;
};

/** What a first user of the sandbox needs. The ready file contains it, with the URL of the service. */
export type Demo = {
  readonly username: string;
  readonly password: string;
  readonly chainId: number;
  readonly rpcUrl: string;
};

/** How long the service, when it ends, waits for the database to revoke the demo credential. */
const REVOKE_PATIENCE_MS = 500;
/** How long after it was made a plan of the sandbox expires, unless money has moved. */
const SANDBOX_PLAN_LIFE_MS = 7 * 86_400_000;
const CHAIN_AWAY = 'The sandbox chain does not answer at the moment.';

/** Starts the sandbox: its chain and its mail server. */
export async function startSandbox(
  config: Config,
  guardian: Guardian,
  onClose: (close: () => Promise<void>) => void,
  log: Logger,
): Promise<SandboxParts> {
  const { dataDirectory, cacheDirectory } = config;
  const chain = await startChain({
    ...defined({ dataDirectory: dataDirectory === undefined ? undefined : chainFolder(dataDirectory) }),
    cacheDirectory: join(cacheDirectory, 'sandbox'),
    guardian,
    log: (message) => log.info({ part: 'chain' }, message),
  });
  onClose(chain.close);
  const sink = await startMailSink(chain.nowMs);
  onClose(sink.close);
  const { contracts, chainId, rpcUrl, accounts, tokens } = chain;
  return {
    chains: [
      sandboxChainConfig(
        chain,
        [chain.ipcPath, chain.wsUrl, chain.rpcUrl].filter((url) => url !== undefined),
      ),
    ],
    payments: {
      corridors: sandboxCorridors(chainId, tokens),
      rates: [],
      planLifeMs: SANDBOX_PLAN_LIFE_MS,
      organisations: [],
    },
    nowMs: chain.nowMs,
    observeBlock: (timestampSeconds) => chain.observeBlock(Number(timestampSeconds)),
    exampleQuery: exampleQuery(chain),
    async begin(store) {
      const { moment } = await store.record.position({ environment: 'sandbox', chainId });
      if (moment.readNumber !== undefined) await chain.mineUpTo(moment.readNumber);
      return issueDemoCredential(store, chain, dataDirectory);
    },
    attributing: sink.attributing,
    mail: {
      smtpUrl: sink.url,
      from: { name: 'Fairway sandbox', address: 'collect@sandbox.fairway.example' },
    },
    deps: {
      mailbox: sink.messages,
      chainId,
      rpcUrl,
      accounts,
      routers: { swapRouter02: contracts.swapRouter02, quoterV2: contracts.quoterV2 },
      factories: [
        { kind: 'UNISWAP_V2', name: 'uniswap-v2', address: contracts.v2Factory },
        { kind: 'UNISWAP_V3', name: 'uniswap-v3', address: contracts.v3Factory },
      ],
      wrappedNative: contracts.weth9,
      multicall3: contracts.multicall3,
      smtpUrl: sink.url,
      tokens,
      advanceClock: (seconds) => advance(chain, seconds),
      faucet: (order) => give(chain, order),
      send: (order) => send(chain, order),
    },
  };
}

async function advance(chain: SandboxChain, seconds: number): Promise<SandboxOutcome> {
  try {
    await chain.advanceClock(seconds);
    return { ok: true };
  } catch (error) {
    if (!(error instanceof NodeUnreachable)) throw error;
    return { ok: false, reason: 'UNAVAILABLE', detail: CHAIN_AWAY };
  }
}

async function give(chain: SandboxChain, order: FaucetOrder): Promise<SandboxOutcome> {
  const address = getAddress(order.address);
  const given = await chain.faucet(
    'native' in order ? { ...order, address } : { ...order, address, token: getAddress(order.token) },
  );
  if (given.ok) return { ok: true, ...defined({ txHash: given.transactionHash }) };
  if (given.reason === 'UNAVAILABLE') return { ok: false, reason: 'UNAVAILABLE', detail: CHAIN_AWAY };
  return {
    ok: false,
    reason: 'REFUSED',
    detail: 'The chain refuses it: a contract at the address or the token does.',
  };
}

async function send(chain: SandboxChain, { from, to, data, value }: SendOrder): Promise<SentOutcome> {
  const call = { from: getAddress(from), to: getAddress(to), data: data as `0x${string}`, value };
  const sent = await chain.sendAs(call);
  if (sent.ok) return { ok: true, txHash: sent.transactionHash, outcome: sent.outcome };
  if (sent.reason === 'UNAVAILABLE') return { ok: false, reason: 'UNAVAILABLE', detail: CHAIN_AWAY };
  return { ok: false, reason: 'REFUSED', detail: 'The chain refuses the transaction.' };
}

async function startChain(options: SandboxChainOptions): Promise<SandboxChain> {
  try {
    return await startSandboxChain(options);
  } catch (error) {
    const expected = error instanceof SandboxStartRefused || error instanceof SavedChainUnreadable;
    throw expected ? new ConfigError([error.message]) : error;
  }
}

/** The chain configuration of a running sandbox. Every sandbox has its contracts at the same addresses. */
export function runningSandboxChain(rpcUrl: string): ChainConfig {
  return sandboxChainConfig(planDeployment(), [rpcUrl]);
}

type SandboxSites = { readonly contracts: SandboxContracts; readonly tokens: readonly SandboxToken[] };

function sandboxChainConfig({ contracts, tokens }: SandboxSites, urls: readonly string[]): ChainConfig {
  return {
    chainId: SANDBOX_CHAIN_ID,
    name: 'Fairway sandbox',
    nativeSymbol: 'ETH',
    nodes: [{ name: 'sandbox', urls }],
    agreement: 1,
    wrappedNative: toAddress(contracts.weth9),
    multicall3: toAddress(contracts.multicall3),
    factories: [
      {
        kind: 'UNISWAP_V2',
        name: 'uniswap-v2',
        address: toAddress(contracts.v2Factory),
        feePips: 3000 as FeePips,
      },
      {
        kind: 'UNISWAP_V3',
        name: 'uniswap-v3',
        address: toAddress(contracts.v3Factory),
        feeTiers: [100, 500, 3000, 10_000] as FeePips[],
      },
    ],
    routerKind: 'SWAP_ROUTER_02',
    router: toAddress(contracts.swapRouter02),
    quoter: toAddress(contracts.quoterV2),
    tokens: tokens.map(({ address }) => toAddress(address)),
    confirmations: 1,
    quoteLifetimeMs: 24_000,
    staleAfterMs: 5000,
    maxPriceImpactBps: 5000,
    allowUnsimulated: false,
    pollIntervalMs: 250,
  };
}

function exampleQuery({ chainId, tokens }: SandboxChain): string {
  const stablecoin = tokens.find(({ symbol }) => symbol === 'USDC');
  const query = {
    chainId: String(chainId),
    tokenIn: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
    tokenOut: stablecoin?.address ?? '',
    tradeType: 'EXACT_IN',
    amount: String(10n ** 18n),
  };
  return new URLSearchParams(query).toString();
}

async function issueDemoCredential(
  store: Store,
  { chainId, rpcUrl }: SandboxChain,
  dataDirectory: string | undefined,
): Promise<{ readonly demo: Demo; revoke(): Promise<void> }> {
  const memory = dataDirectory === undefined ? undefined : demoFile(dataDirectory);
  const remembered = memory === undefined ? undefined : rememberedUsername(memory);
  if (remembered !== undefined) await store.revokeCredential(remembered);
  const organisation = 'Sandbox demo';
  const made = await store.createCredential({
    organisation,
    environment: 'sandbox',
    // What the command gives unless told otherwise, so that what works here works in production.
    permissions: ROLES.integrator,
  });
  if (!made.ok) throw new ConfigError([made.detail]);
  const { username, password } = made;
  if (memory !== undefined) writeFileSync(memory, JSON.stringify({ username }));
  return {
    demo: { username, password, chainId, rpcUrl },
    async revoke() {
      await withPatience(store.revokeCredential(username), REVOKE_PATIENCE_MS);
    },
  };
}

/** The demo credential of the start before; undefined at the first start, and when a crash left an incomplete file. */
function rememberedUsername(memory: string): string | undefined {
  try {
    const { username } = JSON.parse(readFileSync(memory, 'utf8')) as { username?: unknown };
    return typeof username === 'string' ? username : undefined;
  } catch {
    return undefined;
  }
}
