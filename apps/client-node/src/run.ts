import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CredentialsTables } from '@fairway/credentials';
import type { OutboxTables } from '@fairway/outbox';
import {
  type DatabaseConnection,
  EmbeddedPostgresError,
  migrateDatabase,
  openDatabase,
  startEmbeddedPostgres,
} from '@fairway/postgres';
import { type Guardian, lockDirectory, startGuardian } from '@fairway/processes';
import type { Hex } from '@fairway/relay';
import { createConnection } from '@fairway/sdk';
import { createMarkets } from '@fairway/sdk/markets';
import { createPayments } from '@fairway/sdk/payments';
import { createSwaps } from '@fairway/sdk/swaps';
import { defined } from '@fairway/values';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { compareRouters } from './compareRouters.ts';
import { createHttpServer } from './httpServer.ts';
import { createNativeSymbols } from './nativeSymbols.ts';
import { startNotifications } from './parts/notifications/index.ts';
import { createAnnouncer, startPaymentWork } from './parts/payments/index.ts';
import { relayerViews } from './parts/relayers/index.ts';
import { connectChain } from './platform/chains/connectChain.ts';
import type { SignedChain } from './platform/config/chains.ts';
import type { Config } from './platform/config/config.ts';
import { ConfigError } from './platform/config/error.ts';
import { type GivenPolicy, policyHash } from './platform/config/policy.ts';
import { sandboxGround } from './platform/config/sandboxGround.ts';
import { type Login, openAccess } from './platform/credentials/credentials.ts';
import { MIGRATIONS } from './platform/database/migrations.ts';
import type { Tables } from './platform/database/schema.ts';
import { openJournal } from './platform/journal/journal.ts';
import { createMetrics, type Metrics } from './platform/metrics/metrics.ts';
import {
  type Relayer,
  type RelayerOptions,
  startRelayer,
  WrongChainError,
} from './platform/relaying/relayer.ts';
import { openSealingKey } from './platform/sealing/key.ts';
import { type OpenSigner, openSigner } from './platform/signers/openSigner.ts';

/** A running node. */
export type RunningNode = {
  /** The URL of the API, without a trailing slash. */
  readonly url: string;
  /** The credential that the first start made, where its file is still there. */
  readonly login: Login | undefined;
  /** The file that the first start writes this credential to. */
  readonly credentialFile: string;
  /** Where the metrics are; absent: nowhere. */
  readonly metricsUrl?: string;
  readonly relayers: readonly Pick<Relayer, 'relayerId' | 'address' | 'chainId'>[];
  /** Ends everything that this node started. */
  close(): Promise<void>;
};

/** How long a relayer waits for its next look where nobody wakes it. */
const PAUSE_MS = { sandbox: 250, production: 2_000 } as const;

/**
 * Builds and starts the node. When the start fails, everything that was started is ended.
 * @throws ConfigError when it cannot run with the configuration.
 */
export async function run(config: Config, log: Logger): Promise<RunningNode> {
  await using stack = new AsyncDisposableStack();
  const node = await compose(config, log, (close) => stack.defer(close));
  const all = stack.move();
  return { ...node, close: () => all.disposeAsync() };
}

type OnClose = (close: () => Promise<void>) => void;

async function compose(config: Config, log: Logger, onClose: OnClose): Promise<Omit<RunningNode, 'close'>> {
  const guardian = await startGuardian();
  onClose(guardian.close);
  const dataDirectory = takeFolder(config, guardian, onClose);
  const service = createConnection(config.service);
  const ground = await groundOf(config, dataDirectory, service);
  assertTopUps(ground);
  const connection = await startDatabase(config, dataDirectory, guardian, onClose, log);
  const toLog = (message: string) => log.warn({ part: 'database' }, message);
  const migrated = await migrateDatabase(connection, MIGRATIONS, toLog);
  if (!migrated.ok) throw new ConfigError([migrated.detail]);
  const database = openDatabase<Tables & CredentialsTables & OutboxTables>(connection, toLog);
  onClose(() => database.destroy());
  const credentialFile = join(dataDirectory, 'credential.json');
  const { authenticate, first } = await openAccess(database, config.environment, credentialFile);
  const payments = createPayments(service);
  const pauseMs = PAUSE_MS[config.environment];
  const journal = openJournal(join(dataDirectory, 'journal'));
  onClose(async () => journal.close());
  const metrics = createMetrics();
  const relayers = await startRelayers(ground, onClose, {
    ...{ database, journal, log, pauseMs, metrics },
    mayLeave: createAnnouncer({ database, payments, log }),
  });
  const work = startPaymentWork({ database, relayers, payments, pauseMs, log });
  onClose(work.stop);
  const notifications = startNotifications({
    ...{ database, environment: config.environment, log },
    sealingKey: await openSealingKey(dataDirectory),
    isBesideSandbox: config.ground.kind === 'SANDBOX',
    allowPrivate: config.ground.kind === 'SANDBOX' ? [] : config.ground.allowPrivate,
  });
  onClose(notifications.close);
  const ending = new AbortController();
  onClose(async () => ending.abort());
  void compareRouters(createMarkets(service), [...relayers.values()], log, ending.signal);
  metrics.observeRelayers(() => relayerViews(database, relayers));
  const metricsUrl = await serveMetrics(metrics, config, onClose);
  let url = '';
  const server = createHttpServer({
    ...{ environment: config.environment, publicUrl: () => url, authenticate, log },
    service: { url: config.service.url, authorization: basic(config.service) },
    executions: { database, relayers, swaps: createSwaps(service) },
    payments: { database, relayers, payments, wake: work.wake },
    policy: { ...ground.policy, hash: policyHash(ground.policy.document) },
    notifications: notifications.parts,
    nativeSymbols: createNativeSymbols(createMarkets(service)),
  });
  onClose(() => closeServer(server));
  url = await listen(server, config);
  return { url, login: first, credentialFile, relayers: [...relayers.values()], ...defined({ metricsUrl }) };
}

/** The folder of the journal and the embedded database, which no other process may use. */
function takeFolder({ dataDirectory }: Config, guardian: Guardian, onClose: OnClose): string {
  const folder = dataDirectory ?? mkdtempSync(join(tmpdir(), 'fairway-node-'));
  if (dataDirectory === undefined) guardian.removeAtEnd(folder);
  else mkdirSync(folder, { recursive: true, mode: 0o700 });
  const locked = lockDirectory(folder, 'CLIENT_NODE');
  if (!locked.ok) throw new ConfigError([locked.detail]);
  onClose(async () => locked.lock.release());
  return folder;
}

async function startDatabase(
  { databaseUrl, cacheDirectory }: Config,
  dataDirectory: string,
  guardian: Guardian,
  onClose: OnClose,
  log: Logger,
): Promise<DatabaseConnection> {
  if (databaseUrl !== undefined) return { url: databaseUrl };
  try {
    const postgres = await startEmbeddedPostgres({
      dataDirectory: join(dataDirectory, 'postgres'),
      cacheDirectory: join(cacheDirectory, 'postgres'),
      log: (message) => log.info({ part: 'postgres' }, message),
      onTemporaryFolder: guardian.removeAtEnd,
      onSpawn: (pid) => guardian.watch(pid),
      onExit: (pid) => guardian.unwatch(pid),
    });
    onClose(postgres.close);
    return postgres.connection;
  } catch (error) {
    throw error instanceof EmbeddedPostgresError ? new ConfigError([error.message]) : error;
  }
}

/** The chains with the signers of each, and what may be signed. */
type Ground = { readonly chains: readonly SignedChain<OpenSigner>[]; readonly policy: GivenPolicy };

async function groundOf(
  { ground }: Config,
  dataDirectory: string,
  service: ReturnType<typeof createConnection>,
): Promise<Ground> {
  if (ground.kind === 'SANDBOX') {
    const { chain, policy } = await sandboxGround(service, dataDirectory);
    return { chains: [chain], policy: ground.policy ?? policy };
  }
  const chains: SignedChain<OpenSigner>[] = [];
  for (const chain of ground.chains) {
    const signers = new Map<Hex, OpenSigner>();
    for (const each of chain.signers) {
      const signer = await openSigner(each);
      if (signers.has(signer.address))
        throw new ConfigError([`${each.field}: the chain has this key already. Remove one of the two.`]);
      signers.set(signer.address, signer);
    }
    chains.push({ ...chain, signers: [...signers.values()] });
  }
  return { chains, policy: ground.policy };
}

/** Starts a relayer for each key of each chain, all at once: a chain that is away holds up no other one. */
async function startRelayers(
  { chains, policy: { policy } }: Ground,
  onClose: OnClose,
  options: Omit<RelayerOptions, 'chain' | 'signer' | 'policy'>,
): Promise<ReadonlyMap<string, Relayer>> {
  const starting = chains.flatMap(({ signers, ...given }) => {
    const chain = connectChain({ ...given, log: options.log });
    onClose(async () => chain.close());
    return signers.map((signer) => startRelayer({ ...options, chain, policy, signer }));
  });
  const started = await Promise.allSettled(starting);
  for (const each of started) if (each.status === 'fulfilled') onClose(each.value.close);
  // All of them have ended their start by now, so that the first fault can be thrown.
  const relayers = await Promise.all(starting).catch((error: unknown) => {
    throw error instanceof WrongChainError ? new ConfigError([error.message]) : error;
  });
  return new Map(relayers.map((each) => [each.relayerId, each]));
}

/** Top-ups are between keys of the node: an address that is mistyped would be sent money. @throws ConfigError */
function assertTopUps({ chains, policy: { policy } }: Ground): void {
  const faults = policy.chains.flatMap(({ chainId, topUps }) => {
    const signers = chains.find((each) => each.chainId === chainId)?.signers ?? [];
    return topUps
      .flatMap(({ from, to }) => [from, to])
      .filter((address) => !signers.some((each) => each.address === address))
      .map(
        (address) =>
          `The policy has ${address} in topUps of chain ${chainId}, which is no key there. Give the addresses of two signers of the chain.`,
      );
  });
  if (faults.length > 0) throw new ConfigError([...new Set(faults)]);
}

/** Serves the metrics where the configuration says so. Resolves to their URL. */
async function serveMetrics(
  { listen }: Metrics,
  { metrics }: Config,
  onClose: OnClose,
): Promise<string | undefined> {
  if (metrics === undefined) return undefined;
  try {
    const { url, close } = await listen(metrics.host, metrics.port);
    onClose(close);
    return url;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError([
      `FAIRWAY_NODE_METRICS_PORT ${metrics.port}: cannot listen there: ${code}. Choose another one, or 0 for any free one.`,
    ]);
  }
}

/** Basic credentials (RFC 7617) in UTF-8. */
function basic({ username, password }: Login): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** The port when the configuration names none. */
const DEFAULT_PORT = 8090;

async function listen(server: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    return await server.listen({ host, port: port ?? DEFAULT_PORT });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' && port === undefined) return server.listen({ host, port: 0 });
    const reason = code === 'EADDRINUSE' ? 'another program listens there' : code;
    throw new ConfigError([
      `Cannot listen on ${host}, port ${port ?? DEFAULT_PORT}: ${reason}. Choose another one with --port.`,
    ]);
  }
}

/** How long open requests may delay the end; they may wait for an execution. */
const CLOSE_GRACE_MS = 500;

async function closeServer(server: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), CLOSE_GRACE_MS);
  await server.close();
  clearTimeout(cut);
}
