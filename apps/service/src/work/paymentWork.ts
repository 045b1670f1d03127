import { setTimeout as sleep } from 'node:timers/promises';
import { type Environment, SOUND_CLOCK, type Store } from '@fairway/store';
import type { Logger } from 'pino';
import type { PaymentsConfig } from '../platform/config/file.ts';
import type { ChainService } from '../platform/chains/chainService.ts';
import {
  type ChainMoments,
  createChainMoments,
  createCorridors,
  createDerivation,
  performWork,
} from '../parts/payments/index.ts';
import { type CollectParts, createOrganisations, sendMail, sendOwedLink } from '../parts/collect/index.ts';
import { startPublishing } from '@fairway/outbox';
import { sendEndpointMail } from '../parts/notifications/index.ts';
import type { MailOffice } from '../platform/mail/mailer.ts';
import { makeReport, type ReportParts } from '../parts/reports/index.ts';
import { matchPayments, type StatementParts } from '../parts/reconciliation/index.ts';
import { type RecordGround, startChainRecords } from './chainRecords.ts';

/** How many jobs of plans run at the same time. The same number of e-mails is sent at the same time. */
const CONCURRENT_JOBS = 4;

/** What the parts of payments are made from. */
export type PaymentGround = {
  readonly environment: Environment;
  readonly store: Store;
  readonly services: readonly ChainService[];
  readonly rateFor: CollectParts['rateFor'];
  publicUrl(): string;
  nowMs(): number;
  readonly metrics: Pick<CollectParts, 'onClaimRefused'>;
  readonly log: Logger;
};

/** Makes the parts of payments. Without a configuration there are no corridors, but existing plans continue. */
export function createPaymentParts(
  config: PaymentsConfig | undefined,
  { environment, store, services, rateFor, publicUrl, nowMs, metrics, log }: PaymentGround,
): CollectParts {
  const chains = new Map(services.map((chain) => [chain.chainId, chain]));
  const warnOfClosed = createWarningOfClosed(log);
  const parts: CollectParts = {
    corridors: createCorridors(config?.corridors ?? [], chains, nowMs),
    chains,
    store,
    moments: createChainMoments(store.record, environment, [...chains.keys()]),
    derive: createDerivation(chains, nowMs, store.planTag),
    sendLink: (scope, plan) => sendOwedLink(parts, scope, plan, warnOfClosed),
    rateFor,
    planLifeMs: config?.planLifeMs ?? 0,
    nowMs,
    onClaimRefused: metrics.onClaimRefused,
    environment,
    publicUrl,
    organisationOf: createOrganisations(config?.organisations ?? [], store),
  };
  return parts;
}

/** How many plans are remembered, so that each is named once. */
const MOST_CLOSED = 10_000;

/** Names each plan once whose link cannot be sent because no key opens its recipient's details. */
function createWarningOfClosed(log: Logger): (planId: string) => void {
  const told = new Set<string>();
  return (planId) => {
    if (told.has(planId) || told.size === MOST_CLOSED) return;
    told.add(planId);
    log.warn(
      { part: 'payments', planId },
      'The link of a plan cannot be sent: no sealing key opens its recipient. Give the key, or have the caller name the recipient in POST /v1/payments/{planId}/again.',
    );
  };
}

/** How often this process looks how far the records of the chains are. */
const LOOK_MS = 1_000;

/**
 * Starts the background work of plans: their jobs, their e-mails, the reports on them and their published events. For
 * each chain it also starts the record, which gives plans jobs.
 */
export function startPaymentWork(
  parts: CollectParts,
  office: MailOffice | undefined,
  {
    store,
    reports,
    statements,
    eventsKeptMs,
    ...ground
  }: Omit<RecordGround, 'environment' | 'records'> & {
    readonly store: Pick<Store, 'record' | 'events'>;
    readonly reports: ReportParts;
    readonly statements: StatementParts;
    readonly eventsKeptMs: number;
  },
  log: Logger,
): { close(): Promise<void> } {
  const workLog = log.child({ part: 'payments' });
  const shared = {
    concurrency: CONCURRENT_JOBS,
    log: (message: string) => workLog.warn(message),
    lacks: () => (isClockWrong(parts.chains) ? [SOUND_CLOCK] : []),
  };
  const { jobs } = parts.store;
  const plan = jobs.planTask((scope, planId) => performWork(parts, scope, planId));
  const chain = jobs.chainTask((scope, planId, tries) => performWork(parts, scope, planId, tries));
  const mail = office && jobs.mailTask((mailId) => sendMail(parts, office, mailId));
  // This task runs without a mail server, too: a notice that cannot be sent must not stay in the queue.
  const endpoint_mail = jobs.endpointMailTask((notice) => sendEndpointMail(parts, office, notice, workLog));
  // E-mails have a worker of their own, so that a mail server that does not answer delays nothing else. Each worker holds
  // connections to the database, of which there are few.
  const mails = { endpoint_mail, ...(mail === undefined ? {} : { mail }) };
  const workers = [{ plan }, { chain }, mails].map((tasks) => jobs.startWorker({ ...shared, tasks }));
  const report = jobs.reportTask((scope, reportId) => makeReport(reports, scope, reportId));
  const matching = jobs.matchingTask((scope, planId) => matchPayments(statements, scope, planId));
  // One at a time: both are much work, and nobody waits for either at a page.
  workers.push(jobs.startWorker({ ...shared, tasks: { report, matching }, concurrency: 1 }));
  const { environment, chains } = parts;
  const closing = new AbortController();
  const looking = lookAt(parts.moments, closing.signal);
  const records = startChainRecords(
    [...chains.values()],
    { environment, records: store.record, ...ground },
    workLog,
  );
  const publishing = startPublishing(
    {
      environment,
      events: store.events,
      keptMs: eventsKeptMs,
      nowMs: parts.nowMs,
    },
    workLog,
  );
  return {
    async close() {
      closing.abort();
      await Promise.all([looking, ...[...workers, ...records, publishing].map((each) => each.close())]);
    },
  };
}

/** Whether the clock of this process is not the database's, which each chain's market is judged by. */
function isClockWrong(chains: CollectParts['chains']): boolean {
  return [...chains.values()].some(({ follower }) => {
    const { freshness } = follower.status();
    return !freshness.fresh && freshness.why === 'CLOCK_DIFFERS';
  });
}

async function lookAt(moments: ChainMoments, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await moments.look();
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}
