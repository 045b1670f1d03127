import { unlessAway } from '@fairway/postgres';
import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '@fairway/values';
import { eventOf } from '@fairway/notifications';
import { type KeptEvent, startSending } from '@fairway/outbox';
import { createAuthenticator } from '@fairway/credentials';
import type { Store } from '@fairway/store';
import { type Key, readKey } from '@fairway/keys';
import { lockDirectory, startGuardian } from '@fairway/processes';
import { createWebhookSender, type WebhookRule } from '@fairway/webhooks';
import type { Logger } from 'pino';
import { auditKeyOf } from './platform/audit/key.ts';
import { hasOtherKey } from './platform/audit/lines.ts';
import { type AuditLog, openAuditLog } from './platform/audit/log.ts';
import { NO_AUDIT } from './platform/audit/facts.ts';
import { configurationFact } from './platform/audit/configurationFact.ts';
import { type ChainParts, startChain } from './platform/chains/chainService.ts';
import { startClockGuard } from './platform/clock/guard.ts';
import type { Config } from './platform/config/config.ts';
import { prepareDataFolder } from './platform/config/dataFolder.ts';
import { loadServiceKeys, openDatabase, openServiceStore } from './platform/database/openDatabase.ts';
import { ConfigError } from './platform/config/error.ts';
import { type AuditConfig, auditWarnings, publishedKeyRefusal } from './platform/config/audit.ts';
import { erasureWarnings } from './platform/config/erasures.ts';
import { sharedHostWarnings } from './platform/config/nodes.ts';
import type { RateSource } from './platform/config/rates.ts';
import { clearTextWarnings, reachWarnings } from './platform/config/reachWarnings.ts';
import { startErasures } from './platform/erasures/startErasures.ts';
import { createPlanPublishing, logCorridorsWithoutRoute, type PaymentParts } from './parts/payments/index.ts';
import { PUBLISHED_EVENTS } from './publishedEvents.ts';
import type { ServiceEndpointParts } from './parts/notifications/index.ts';
import { createHttpServer } from './httpServer.ts';
import { closeServer, listen } from './listen.ts';
import { createMailer, type MailOffice } from './platform/mail/mailer.ts';
import { createMetrics, type Metrics } from './platform/metrics/metrics.ts';
import { type Rates, type RatesGround, startRates } from './platform/rates/rates.ts';
import { createReportParts } from './parts/reports/index.ts';
import { logParkedPlans } from './work/parkedPlans.ts';
import { logRecordsWithoutKey } from './work/recordsWithoutKey.ts';
import { createPaymentParts, type PaymentGround, startPaymentWork } from './work/paymentWork.ts';
import type { Demo, SandboxDeps, SandboxParts } from './parts/sandbox/index.ts';
import { untilAborted } from './platform/time/untilAborted.ts';
import { version } from './platform/config/version.ts';

export { snapshotFile } from './platform/chains/snapshotFile.ts';
export { startChainRecord } from './platform/record/chain.ts';

/** A running service. */
export type RunningService = {
  /** The URL of the API, without a trailing slash. */
  readonly url: string;
  readonly metricsUrl?: string;
  /** What a first user needs. Present only with the built-in sandbox. */
  readonly demo?: Demo;
  /** Query string of a first quote. Present only with the built-in sandbox. */
  readonly exampleQuery?: string;
  /** Ends everything that this service started. */
  close(): Promise<void>;
};

/**
 * Builds and starts the service. When the start fails or `signal` aborts it, everything that was started is ended.
 * @throws ConfigError when the service cannot run with the configuration.
 */
export async function run(config: Config, log: Logger, signal: AbortSignal): Promise<RunningService> {
  const stack = new AsyncDisposableStack();
  try {
    const service = await compose(config, log, (close) => stack.defer(close), signal);
    return { ...service, close: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

type OnClose = (close: () => Promise<void>) => void;

async function compose(
  config: Config,
  log: Logger,
  onClose: OnClose,
  signal: AbortSignal,
): Promise<Omit<RunningService, 'close'>> {
  for (const warning of startWarnings(config)) log.warn(warning);
  const { sandbox, connection } = await startParts(config, log, onClose);
  signal.throwIfAborted();
  const sealingKeys = await loadServiceKeys(config, log, signal);
  const { publishedEventsOfPlan, showWith } = createPlanPublishing();
  const kept = { ...config, sealingKeys, publishedEvents: { publishedEventsOfPlan, ...PUBLISHED_EVENTS } };
  const store = await openServiceStore(connection, kept, sandbox?.nowMs, log, signal);
  onClose(store.close);
  const { nowMs, aheadMs } = store.clock;
  const guard = startClockGuard(store.clock, log);
  onClose(async () => guard.close());
  const { metrics, metricsUrl } = await startMetrics(config, aheadMs, onClose);
  const audit = await startAudit(config, sealingKeys, log, onClose);
  if (audit !== undefined) metrics.observeAudit(audit.status);
  const erasures = await startErasures(config, store, audit ?? NO_AUDIT, log);
  const parts = { nowMs, clockFault: guard.fault, metrics, log, ...marketParts(config, sandbox) };
  const chains = (sandbox?.chains ?? config.chains ?? []).map((chain) => startChain(chain, parts));
  onClose(async () => void (await Promise.all(chains.map((chain) => chain.close()))));
  const issued = await sandbox?.begin(store);
  if (issued !== undefined) onClose(issued.revoke);
  if (sandbox !== undefined) await untilAborted(signal, Promise.all(chains.map(({ synced }) => synced)));
  signal.throwIfAborted();

  let url = '';
  const publicUrl = () => config.publicUrl ?? url;
  const services = chains.map(({ service }) => service);
  const { environment } = config;
  const offered = sandbox?.payments ?? config.payments;
  const { corridors = [], rates: sources = [] } = offered ?? {};
  const { rateFor } = ratesUntilClose(sources, { nowMs, log, metrics }, onClose);
  observePlans(store, { environment, services, sealingKeys, metrics, log });
  const ground = { environment, store, services, rateFor, publicUrl, nowMs, metrics, log };
  const payments = createPaymentParts(offered, ground);
  showWith(payments);
  const rule = webhookRuleOf(config, sandbox !== undefined);
  const books = bookPartsOf(payments, store, sealingKeys);
  const server = createHttpServer({
    ...{ environment, version, publicUrl, nowMs },
    authenticate: createAuthenticator({ store, nowMs, graceMs: config.databaseGraceMs }),
    chains: services,
    payments,
    ...{ events: store.events, erasures, ...books },
    webhooks: endpointPartsOf(store, rule, sealingKeys),
    limits: config.limits,
    trustedProxies: config.trustedProxies,
    ...defined({ tls: config.tls, audit, sandbox: sandbox && withHaste(sandbox.deps, store, nowMs) }),
    log,
  });
  onClose(() => closeServer(server));
  url = await listenInformed(server, config, payments);
  const work = { store, corridors, metrics, ...books, eventsKeptMs: config.eventsKeptMs };
  // Started after the server, because e-mails contain links with the server's URL.
  onClose(startPaymentWork(payments, mailOffice(config, sandbox, log), work, log).close);
  onClose(sendWebhooks(store, rule, environment, metrics, log).close);
  if (sandbox !== undefined) await untilAborted(signal, untilRead(payments));
  signal.throwIfAborted();
  for (const { service, synced } of chains)
    void synced.then(() => logCorridorsWithoutRoute(corridors, service, nowMs(), log));
  return {
    url,
    ...(issued === undefined ? {} : { demo: issued.demo, exampleQuery: sandbox?.exampleQuery ?? '' }),
    ...defined({ metricsUrl }),
  };
}

/** The parts of reports on the ledger, and of bank statements that are compared with it. */
function bookPartsOf(
  payments: ReturnType<typeof createPaymentParts>,
  store: Store,
  sealingKeys: readonly Key[],
) {
  return {
    reports: createReportParts(payments, store),
    statements: {
      ...{ statements: store.statements, canSeal: sealingKeys.length > 0 },
      ...{ chains: payments.chains, nowMs: payments.nowMs },
    },
  };
}

/** Where webhooks may be sent. Only the sandbox that listens on this machine alone opens this machine. */
function webhookRuleOf({ allowPrivate = [] }: Config, isBuiltIn: boolean): WebhookRule {
  return { httpToLoopback: isBuiltIn, allowPrivate };
}

/** What the API of webhooks works with. */
function endpointPartsOf(store: Store, rule: WebhookRule, sealingKeys: readonly Key[]): ServiceEndpointParts {
  const { webhooks, fingerprint, clock } = store;
  return { webhooks, fingerprint, rule, canSeal: sealingKeys.length > 0, nowMs: clock.nowMs };
}

/** Starts to send events to webhook endpoints. */
function sendWebhooks(
  { webhooks, clock }: Store,
  rule: WebhookRule,
  environment: Config['environment'],
  { onWebhookAttempt: onAttempt }: Pick<Metrics, 'onWebhookAttempt'>,
  log: Logger,
): { close(): Promise<void> } {
  const bodyOf = (event: KeptEvent) => JSON.stringify(eventOf(event, environment));
  const sender = createWebhookSender(rule, { version });
  const parts = { environment, webhooks, sender, bodyOf, onAttempt, nowMs: clock.nowMs };
  return startSending(parts, log.child({ part: 'webhooks' }));
}

/** The metrics, and where they are served, if they are. */
async function startMetrics(
  { metrics: served }: Config,
  aheadMs: () => number,
  onClose: OnClose,
): Promise<{ readonly metrics: Metrics; readonly metricsUrl: string | undefined }> {
  const metrics = createMetrics();
  metrics.observeClock(aheadMs);
  const server = served && (await metrics.listen(served.host, served.port));
  if (server !== undefined) onClose(server.close);
  return { metrics, metricsUrl: server?.url };
}

/**
 * Has the open plans counted for the metrics. Names the chains that have plans but are not served, and the keys that seal
 * records but are missing.
 */
function observePlans(
  { operator }: Store,
  {
    environment,
    services,
    sealingKeys,
    metrics,
    log,
  }: Pick<PaymentGround, 'environment' | 'services' | 'log'> & {
    sealingKeys: readonly Key[];
    metrics: Metrics;
  },
): void {
  metrics.observeFigures(async () => {
    const counted = await unlessAway(operator.figures(environment));
    return counted === 'AWAY' ? undefined : counted.figures;
  });
  const served = services.map(({ chainId }) => chainId);
  logParkedPlans(operator, environment, served, log).catch((error: unknown) => {
    log.warn({ err: error }, 'It is not known whether plans are on chains that are not served');
  });
  const keyIds = sealingKeys.map(({ id }) => id);
  logRecordsWithoutKey(operator, keyIds, log).catch((error: unknown) => {
    log.warn({ err: error }, 'It is not known whether the sealing keys open all records');
  });
}

/** Listens once the records were looked at. Else the first answers and events would say CATCHING_UP, wherever they are. */
async function listenInformed(
  server: Parameters<typeof listen>[0],
  config: Config,
  { moments }: Pick<PaymentParts, 'moments'>,
): Promise<string> {
  await moments.look();
  return listen(server, config);
}

/** How long the start of a sandbox waits for the record of its chain, and how often it looks. */
const [READ_PATIENCE_MS, READ_LOOK_MS] = [10_000, 20];
/** The time of a sandbox's newest block may be so much behind its clock. */
const READ_TOLERANCE_MS = 5_000;

/** Waits until the record of each chain is at the head, so that the first plans get instructions. */
async function untilRead({ moments, chains }: Pick<PaymentParts, 'moments' | 'chains'>): Promise<void> {
  await patiently(async () => {
    await moments.look();
    return [...chains.keys()].every((chainId) => moments.of(chainId)?.state === 'AT_HEAD');
  });
}

async function patiently(holds: () => Promise<boolean>): Promise<void> {
  const untilMs = performance.now() + READ_PATIENCE_MS;
  while (!(await holds()) && performance.now() < untilMs) await sleep(READ_LOOK_MS);
}

function ratesUntilClose(sources: readonly RateSource[], ground: RatesGround, onClose: OnClose): Rates {
  const rates = startRates(sources, ground);
  onClose(rates.close);
  return rates;
}

/** Warnings about settings that a careful operator would change. */
function startWarnings(config: Config): readonly string[] {
  return [
    ...reachWarnings(config, Date.now()),
    ...clearTextWarnings(config),
    ...sharedHostWarnings(config.chains),
    ...auditWarnings(config),
    ...erasureWarnings(config),
  ];
}

/** Opens the audit log and records the configuration. @throws ConfigError when the file cannot be written or has another key. */
async function startAudit(
  config: Config,
  sealingKeys: readonly Key[],
  log: Logger,
  onClose: OnClose,
): Promise<AuditLog | undefined> {
  const { audit } = config;
  if (audit === undefined) return undefined;
  const key = auditKeyOf(await readAuditKey(audit, sealingKeys));
  if (audit.isPublished && (await hasOtherKey(audit.file, key.id))) throw publishedKeyRefusal(audit.file);
  const onFault = (detail: string | undefined) => {
    if (detail === undefined) log.info('The audit log is written again');
    else log.error(`The audit log ${audit.file} cannot be written: ${detail}`);
  };
  const opened = await openAuditLog({ file: audit.file, key, command: 'start', onFault });
  if (!opened.ok) throw new ConfigError([`--audit-log ${audit.file}: cannot be written: ${opened.detail}`]);
  onClose(opened.log.close);
  opened.log.record(configurationFact(key, config));
  return opened.log;
}

/**
 * The key that the audit log's own is derived from. If it is a sealing key, it was read already: its service may be away by
 * now.
 */
async function readAuditKey(
  { keys: [source], variable }: AuditConfig,
  sealingKeys: readonly Key[],
): Promise<Buffer> {
  const sealing = variable === 'FAIRWAY_SEALING_KEYS' ? sealingKeys[0] : undefined;
  if (sealing !== undefined) return sealing.key;
  const read = await readKey(source);
  if (!read.ok) throw new ConfigError([`${variable}: ${read.detail}`]);
  return read.key.key;
}

/** How e-mail is sent. The server is greeted at once, so that a wrong host or password shows before anybody waits. */
function mailOffice(config: Config, sandbox: SandboxParts | undefined, log: Logger): MailOffice | undefined {
  const mail = config.mail ?? sandbox?.mail;
  if (mail === undefined) return undefined;
  const mailer = createMailer(mail, log.child({ part: 'mail' }));
  void mailer.greet();
  return { mailer: sandbox?.attributing(mailer) ?? mailer, from: mail.from };
}

/**
 * Makes all waiting jobs due when the sandbox's clock is moved forward. It first waits until the record has read a
 * block of the new time, because a deposit's time does not end before. Jobs wait by the database's clock, which does
 * not move with it.
 */
function withHaste(deps: SandboxDeps, { jobs, record }: Store, nowMs: () => number): SandboxDeps {
  const key = { environment: 'sandbox', chainId: deps.chainId } as const;
  return {
    ...deps,
    async advanceClock(seconds) {
      const advanced = await deps.advanceClock(seconds);
      if (!advanced.ok) return advanced;
      const movedToMs = nowMs() - READ_TOLERANCE_MS;
      await patiently(async () => {
        const found = await record.position(key);
        return (found.moment.readTimeMs ?? 0) >= movedToMs;
      });
      await jobs.hasten();
      return advanced;
    },
  };
}

function marketParts(config: Config, sandbox: SandboxParts | undefined) {
  return sandbox === undefined ? keptMarkets(config) : observed(sandbox);
}

/** Where chains keep snapshots of their markets. Not used for the sandbox, whose small market is read as quickly. */
function keptMarkets({ dataDirectory }: Config): Pick<ChainParts, 'dataDirectory'> {
  return dataDirectory === undefined ? {} : { dataDirectory };
}

function observed({ observeBlock }: SandboxParts): Pick<ChainParts, 'onHead'> {
  return { onHead: observeBlock };
}

type Parts = {
  readonly sandbox: SandboxParts | undefined;
  readonly connection: Awaited<ReturnType<typeof openDatabase>>;
};

/** Starts the database and, when no chains are configured, the sandbox. Both start in parallel to save a second. */
async function startParts(config: Config, log: Logger, onClose: OnClose): Promise<Parts> {
  if (config.dataDirectory !== undefined) {
    prepareDataFolder(config.dataDirectory);
    const locked = lockDirectory(config.dataDirectory, 'SERVICE');
    if (!locked.ok) throw new ConfigError([locked.detail]);
    onClose(async () => locked.lock.release());
  }
  const guardian = await startGuardian();
  onClose(guardian.close);
  const [database, sandbox] = await Promise.allSettled([
    openDatabase(config, guardian, onClose, log),
    config.chains === undefined ? startSandbox(config, guardian, onClose, log) : undefined,
  ]);
  if (database.status === 'rejected') throw database.reason;
  if (sandbox.status === 'rejected') throw sandbox.reason;
  return { sandbox: sandbox.value, connection: database.value };
}

/**
 * Starts the sandbox. Its module is imported only here, because it contains GPL contracts that production must not
 * load.
 */
async function startSandbox(
  ...parts: Parameters<typeof import('./parts/sandbox/sandbox.ts').startSandbox>
): Promise<SandboxParts> {
  const sandbox = await import('./parts/sandbox/sandbox.ts');
  return sandbox.startSandbox(...parts);
}
