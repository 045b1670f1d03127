import { defined } from '@fairway/values';
import { collectStep } from '../plan/steps.ts';
import type { CollectLink, Plan, SendDigitalCollectStep } from '../plan/types.ts';

/**
 * A round of asking a recipient where the money goes. `round`: 1, 2, 3 and so on. `link`: the newest of the round, while it is
 * known. A round that has ended keeps the number of its last link in `version`. `hold`: present while the custodian holds the
 * delivery back.
 */
export type CollectRequest = Pick<
  SendDigitalCollectStep,
  'link' | 'destination' | 'submittedAtMs' | 'delivery' | 'hold'
> & { readonly round: number; readonly version: number };

/** How a round of asking a recipient stands. */
export type CollectStatus = CollectLink['state'] | 'DELIVERED' | 'FAILED' | 'RETURNED';

/**
 * The status of a round: that of its link, or after a choice that of the payment, once the payment has ended.
 *
 * @example
 * ```ts
 * import { collectRequestsOf, collectStatusOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const statuses = collectRequestsOf(plan).map(collectStatusOf); // ['FAILED', 'SENT']
 * ```
 */
export function collectStatusOf({ link, delivery, submittedAtMs }: CollectRequest): CollectStatus {
  const status = delivery?.status;
  if (status === 'DELIVERED' || status === 'FAILED' || status === 'RETURNED') return status;
  // A link disappears without a choice when the swap is taken back.
  return link?.state ?? (submittedAtMs === undefined ? 'CANCELLED' : 'SUBMITTED');
}

/**
 * The rounds in which the recipient of a plan was asked, oldest first. A link that is sent again, readdressed or
 * reissued stays in its round. A delivery that failed or came back ends the round, and the next link begins a new
 * one.
 *
 * @example
 * ```ts
 * import { collectRequestsOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const isAskedAgain = collectRequestsOf(plan).length > 1;
 * ```
 */
export function collectRequestsOf(plan: Plan): readonly CollectRequest[] {
  const step = collectStep(plan);
  if (step === undefined) return [];
  const ended = step.rounds.map((round, index): CollectRequest => {
    const link = step.link?.version === round.version ? step.link : undefined;
    return { round: index + 1, ...round, ...defined({ link }) };
  });
  const current = currentOf(step);
  return current === undefined ? ended : [...ended, current];
}

/** The round that has not ended; undefined before its first link. */
function currentOf({ link, rounds, ...step }: SendDigitalCollectStep): CollectRequest | undefined {
  const last = rounds.at(-1);
  if (link === undefined || link.version === last?.version) return undefined;
  const { version } = link;
  const round = { round: rounds.length + 1, version, link };
  // Until the recipient has chosen anew, the step shows what was chosen in the round before.
  if (link.state !== 'SUBMITTED') return round;
  const { destination, submittedAtMs, delivery, hold } = step;
  return { ...round, ...defined({ destination, submittedAtMs, delivery, hold }) };
}
