import { keptReading } from '@fairway/api';
import type { Figures } from '@fairway/store';
import { Counter, Gauge, type Registry } from 'prom-client';

/** How an attempt at a webhook ended: taken, refused for ever by a 410, or failed. */
export type AttemptOutcome = 'DELIVERED' | 'GONE' | 'FAILED';

/** Why a report was refused: the chain does not show it, or what it names counts for another step already. */
export type RefusedClaim = 'EVIDENCE' | 'TRANSFER_CLAIMED' | 'REFERENCE_USED';

/** What is measured of plans. */
export type PlanMetrics = {
  /** From now on, reads these counts with a scrape, but not more often than every 10 s; undefined: they are not known. */
  observeFigures(read: () => Promise<Figures | undefined>): void;
  /** Counts a report that was refused. */
  onClaimRefused(reason: RefusedClaim): void;
  /** Counts an attempt at a webhook. */
  onWebhookAttempt(outcome: AttemptOutcome): void;
};

/** All states that are told, also those with a count of 0. */
const PLAN_STATES = ['PENDING', 'IN_PROGRESS', 'ACTION_REQUIRED', 'FAILED', 'RETURNED'];
const MAIL_STATES = ['QUEUED', 'ACCEPTED', 'BOUNCED', 'DROPPED'];

/** Makes the metrics of plans. `monotonicMs`: a clock that never jumps. */
export function createPlanMetrics(
  registers: Registry[],
  monotonicMs: () => number = () => performance.now(),
): PlanMetrics {
  const refused = new Counter({
    name: 'fairway_claims_refused_total',
    help: 'Reports that were refused, by cause',
    labelNames: ['reason'],
    registers,
  });
  const attempts = new Counter({
    name: 'fairway_webhook_attempts_total',
    help: 'Attempts at webhooks by this process, by how they ended',
    labelNames: ['outcome'],
    registers,
  });
  return {
    onWebhookAttempt: (outcome) => attempts.inc({ outcome }),
    observeFigures: (read) => addFigures(registers, keptReading(read, monotonicMs)),
    onClaimRefused: (reason) => refused.inc({ reason }),
  };
}

type Read = () => Promise<Figures | undefined>;

function addFigures(registers: Registry[], read: Read): void {
  const gauge = (
    name: string,
    help: string,
    labelNames: string[],
    tell: (figures: Figures, of: Gauge) => void,
  ) =>
    new Gauge({
      name: `fairway_${name}`,
      help,
      labelNames,
      registers,
      async collect() {
        const figures = await read();
        // An unknown count is not told: an old count would look like a fresh one.
        this.reset();
        if (figures !== undefined) tell(figures, this);
        else if (labelNames.length === 0) this.remove();
      },
    });
  gauge('open_plans', 'Plans that are not over, of all organisations', ['state'], ({ openPlans }, of) => {
    for (const state of PLAN_STATES) of.set({ state }, openPlans[state] ?? 0);
  });
  gauge('mails', 'E-mails by how far they are', ['state'], ({ mails }, of) => {
    for (const state of MAIL_STATES) of.set({ state }, mails[state] ?? 0);
  });
  gauge('plans_waiting', 'Plans that wait for a block of their chain', ['chain'], ({ waiting }, of) => {
    for (const [chain, count] of Object.entries(waiting)) of.set({ chain }, count);
  });
  gauge('jobs_due', 'Jobs that are due and wait for a worker', [], ({ jobsDue }, of) => of.set(jobsDue));
  gauge('jobs_oldest_due_seconds', 'How long the oldest of these has been due', [], ({ oldestDueMs }, of) =>
    of.set(oldestDueMs / 1000),
  );
  gauge(
    'webhooks_pending',
    'Deliveries to webhook endpoints that wait for an attempt, counted up to 100,000',
    [],
    ({ webhooks }, of) => of.set(webhooks.pending),
  );
  gauge(
    'webhooks_oldest_pending_seconds',
    'How long ago the oldest of these was made',
    [],
    ({ webhooks }, of) => of.set(webhooks.oldestPendingMs / 1000),
  );
  gauge(
    'webhook_endpoints',
    'Webhook endpoints that had no success for an hour, or are disabled',
    ['state'],
    ({ webhooks: { failing, disabled } }, of) => {
      of.set({ state: 'FAILING' }, failing);
      of.set({ state: 'DISABLED' }, disabled);
    },
  );
}
