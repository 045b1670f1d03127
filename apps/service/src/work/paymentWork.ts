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

/** Jobs of plans that are done at once, and e-mails that are sent at once. */
const concurrentJobs = 4;

/** What payments stand on. */
export type PaymentGround = {
  readonly environment: Environment;
  readonly store: Store;
  readonly services: readonly ChainService[];
  publicUrl(): string;
  nowMs(): number;
};

/** Makes the parts of payments; without a configuration there are no corridors, and plans that exist go on. */
export function createPaymentParts(
  config: PaymentsConfig | undefined,
  { environment, store, services, publicUrl, nowMs }: PaymentGround,
): CollectParts {
  const chains = new Map(services.map((chain) => [chain.chainId, chain]));
  const parts: CollectParts = {
    corridors: createCorridors(config?.corridors ?? [], chains, nowMs),
    chains,
    store,
    derive: createDerivation(chains, nowMs),
    sendLink: (scope, plan) => sendOwedLink(parts, scope, plan),
    planLifeMs: config?.planLifeMs ?? 0,
    nowMs,
    environment,
    publicUrl,
    organisationOf: createOrganisations(config?.organisations ?? [], store),
  };
  return parts;
}

/** Starts what happens to plans without a request: jobs, and the comparison with the chains. */
export function startPaymentWork(
  parts: CollectParts,
  office: MailOffice | undefined,
  log: Logger,
): { close(): Promise<void> } {
  const workLog = log.child({ part: 'payments' });
  const shared = { concurrency: concurrentJobs, log: (message: string) => workLog.warn(message) };
  const { jobs } = parts.store;
  const plan = jobs.planTask((scope, planId) => performWork(parts, scope, planId));
  const mail = office && jobs.mailTask((mailId) => sendMail(parts, office, mailId));
  // A worker for each task: a mail server that does not answer holds up e-mails alone.
  const tasks = [{ plan }, ...(mail === undefined ? [] : [{ mail }])];
  const workers = tasks.map((each) => jobs.startWorker({ ...shared, tasks: each }));
  const watches = [...parts.chains.values()].map((chain) =>
    startChainWatch(parts, chain, parts.environment, workLog),
  );
  return {
    async close() {
      await Promise.all([...workers, ...watches].map((each) => each.close()));
    },
  };
}
