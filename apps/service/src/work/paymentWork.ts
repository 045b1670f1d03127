import type { Environment, Store } from '@fairway/store';
import type { Logger } from 'pino';
import type { PaymentsConfig } from '../config/configFile.ts';
import type { ChainService } from '../chains/chainService.ts';
import { startChainWatch } from '../payments/chainWatch.ts';
import { createCorridors } from '../payments/corridors.ts';
import { createDerivation } from '../payments/instructions.ts';
import type { CollectParts } from '../collect/collectParts.ts';
import { createOrganisations } from '../collect/organisations.ts';
import { type MailOffice, sendMail } from '../collect/sendMail.ts';
import { sendOwedLink } from '../collect/sendOwedLink.ts';
import { performWork } from '../payments/planWork.ts';
import { type RecordGround, startChainRecords } from './chainRecords.ts';
import { startLedgerSweep } from './ledgerSweep.ts';

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
  readonly log: Logger;
};

/** Makes the parts of payments. Without a configuration there are no corridors, but existing plans continue. */
export function createPaymentParts(
  config: PaymentsConfig | undefined,
  { environment, store, services, rateFor, publicUrl, nowMs, log }: PaymentGround,
): CollectParts {
  const chains = new Map(services.map((chain) => [chain.chainId, chain]));
  const warnOfClosed = createWarningOfClosed(log);
  const parts: CollectParts = {
    corridors: createCorridors(config?.corridors ?? [], chains, nowMs),
    chains,
    store,
    derive: createDerivation(chains, nowMs),
    sendLink: (scope, plan) => sendOwedLink(parts, scope, plan, warnOfClosed),
    rateFor,
    planLifeMs: config?.planLifeMs ?? 0,
    nowMs,
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
      'The link of a plan cannot be sent: no sealing key opens its recipient. Give the key, or have the caller readdress the link.',
    );
  };
}

/**
 * Starts the background work of plans: their jobs, their e-mails, the sweep of their ledgers, and for each chain its watch
 * and its record. Nothing reads the record yet.
 */
export function startPaymentWork(
  parts: CollectParts,
  office: MailOffice | undefined,
  {
    store,
    ...ground
  }: Omit<RecordGround, 'environment' | 'records'> & {
    readonly store: Pick<Store, 'record' | 'ledger'>;
  },
  log: Logger,
): { close(): Promise<void> } {
  const workLog = log.child({ part: 'payments' });
  const shared = { concurrency: CONCURRENT_JOBS, log: (message: string) => workLog.warn(message) };
  const { jobs } = parts.store;
  const plan = jobs.planTask((scope, planId) => performWork(parts, scope, planId));
  const mail = office && jobs.mailTask((mailId) => sendMail(parts, office, mailId));
  // Each task has its own worker, so that a mail server that does not answer delays only e-mails.
  const tasks = [{ plan }, ...(mail === undefined ? [] : [{ mail }])];
  const workers = tasks.map((each) => jobs.startWorker({ ...shared, tasks: each }));
  const watches = [...parts.chains.values()].map((chain) =>
    startChainWatch(parts, chain, parts.environment, workLog),
  );
  const { environment, chains } = parts;
  const records = startChainRecords(
    [...chains.values()],
    { environment, records: store.record, ...ground },
    workLog,
  );
  const sweep = startLedgerSweep(store.ledger, workLog);
  return {
    async close() {
      await Promise.all([...workers, ...watches, ...records, sweep].map((each) => each.close()));
    },
  };
}
