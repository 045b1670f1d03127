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
import { createConnection } from '@fairway/sdk';
import { createMarkets } from '@fairway/sdk/markets';
import { createPayments } from '@fairway/sdk/payments';
import { createSwaps } from '@fairway/sdk/swaps';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { compareRouters } from './compareRouters.ts';
import { createHttpServer } from './httpServer.ts';
import { startNotifications } from './parts/notifications/index.ts';
import { createAnnouncer, startPaymentWork } from './parts/payments/index.ts';
import type { Config } from './platform/config/config.ts';
import { ConfigError } from './platform/config/error.ts';
import { sandboxGround } from './platform/config/sandboxGround.ts';
import { type Login, openAccess } from './platform/credentials/credentials.ts';
import { MIGRATIONS } from './platform/database/migrations.ts';
import type { Tables } from './platform/database/schema.ts';
import { type Relayer, startRelayer } from './platform/relaying/relayer.ts';
import { openSealingKey } from './platform/sealing/key.ts';
import { openKeystore } from './platform/signers/keystoreFile.ts';

/** A running node. */
export type RunningNode = {
  /** The URL of the API, without a trailing slash. */
  readonly url: string;
  /** The credential that the first start made, where its file is still there. */
  readonly login: Login | undefined;
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
  const connection = await startDatabase(config, dataDirectory, guardian, onClose, log);
  const toLog = (message: string) => log.warn({ part: 'database' }, message);
  const migrated = await migrateDatabase(connection, MIGRATIONS, toLog);
  if (!migrated.ok) throw new ConfigError([migrated.detail]);
  const database = openDatabase<Tables & CredentialsTables & OutboxTables>(connection, toLog);
  onClose(() => database.destroy());
  const { authenticate, first } = await openAccess(
    database,
    config.environment,
    join(dataDirectory, 'credential.json'),
  );
  const service = createConnection(config.service);
  const { chain, policy, signer } = await groundOf(config, dataDirectory, service);
  const payments = createPayments(service);
  const pauseMs = PAUSE_MS[config.environment];
  const relayer = await startRelayer({
    ...{ database, signer, chain, log, policy, pauseMs },
    journalPath: join(dataDirectory, 'journal'),
    mayLeave: createAnnouncer({ database, payments, log }),
  });
  onClose(relayer.close);
  const relayers = new Map([[relayer.relayerId, relayer]]);
  const work = startPaymentWork({ database, relayers, payments, pauseMs, log });
  onClose(work.stop);
  const notifications = startNotifications({
    ...{ database, environment: config.environment, log },
    sealingKey: await openSealingKey(dataDirectory),
    isBesideSandbox: config.ground.kind === 'SANDBOX',
  });
  onClose(notifications.close);
  void compareRouters(createMarkets(service), relayer, log);
  let url = '';
  const server = createHttpServer({
    ...{ environment: config.environment, publicUrl: () => url, authenticate, log },
    service: { url: config.service.url, authorization: basic(config.service) },
    executions: { database, relayers, swaps: createSwaps(service) },
    payments: { database, relayers, payments, wake: work.wake },
    notifications: notifications.parts,
  });
  onClose(() => closeServer(server));
  url = await listen(server, config);
  return { url, login: first, relayers: [relayer] };
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

async function groundOf(
  { ground }: Config,
  dataDirectory: string,
  service: ReturnType<typeof createConnection>,
) {
  if (ground.kind === 'SANDBOX') {
    const found = await sandboxGround(service, dataDirectory);
    return { ...found, policy: ground.policy ?? found.policy };
  }
  const { chain, policy, keystore } = ground;
  return { chain, policy, signer: await openKeystore(keystore.path, keystore.password) };
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
    throw new ConfigError([
      `Cannot listen on ${host}, port ${port ?? DEFAULT_PORT}: ${code}. Choose another one with --port.`,
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
