import { isDeepStrictEqual } from 'node:util';
import { awaitedBlock, canonicalRecipient, type Plan, planOf, type Recipient, workOf } from '@fairway/plan';
import type { Key } from '@fairway/keys';
import type { SocketConnection } from '@fairway/postgres';
import { openStore, type Store } from '@fairway/store';
import type { Caller } from '../paymentCalls.ts';
import { fingerprintOf, lostSubmissions, wrongDetails, wrongLinks } from './collectInvariants.ts';
import { wrongEvents } from './eventInvariants.ts';
import type { Acknowledged, PromisedEvent, Ledger } from './ledger.ts';
import { type PlanRow, readSnapshot, type Snapshot } from './snapshot.ts';

/** Checks what must hold of a database after any crash. Returns a sentence for each broken invariant. */
export async function brokenInvariants(
  connection: SocketConnection,
  sealingKeys: readonly Key[],
  ledger: Ledger,
): Promise<string[]> {
  const snapshot = await readSnapshot(connection);
  const opened = await openStore({ connection, sealingKeys });
  if (!opened.ok) return [`The store cannot be opened: ${opened.detail}`];
  try {
    return [
      ...snapshot.strays.map(({ what, count }) => `There are ${count} ${what}.`),
      ...lostPlans(snapshot, ledger),
      ...brokenHistories(snapshot),
      ...againstHistories(snapshot),
      ...wrongEvents(snapshot),
      ...lostEvents(snapshot, ledger, opened.store),
      ...lostSubmissions(snapshot, ledger, opened.store),
      ...(await storedOtherwise(opened.store, snapshot)),
      ...(await wrongLedgers(opened.store)),
    ];
  } finally {
    await opened.store.close();
  }
}

function lostPlans({ plans }: Snapshot, ledger: Ledger): string[] {
  const rows = new Map(plans.map((row) => [row.plan_id, row]));
  return [...ledger.plans.values()].flatMap(({ plan }) => {
    const row = rows.get(plan.planId);
    if (row === undefined) return [`${plan.planId} was acknowledged and does not exist.`];
    if (row.client_reference !== plan.clientReference) return [`${plan.planId} has another reference now.`];
    if (row.revision >= plan.revision) return [];
    return [`${plan.planId} was acknowledged at revision ${plan.revision} and is at ${row.revision}.`];
  });
}

/** What was acknowledged and is not in the history of its plan. */
function lostEvents({ plans, events }: Snapshot, ledger: Ledger, store: Store): string[] {
  return plans.flatMap(({ plan_id, organisation_id }) => {
    const history = (events.get(plan_id) ?? []).map(({ command }) => command);
    const isKept = (promised: PromisedEvent) => {
      const mark =
        'mark' in promised ? promised.mark : fingerprintOf(store, organisation_id, promised.recipient);
      const isOfKind = (type: string) =>
        promised.type === 'WALLET_PAID' ? WALLET_PAYMENTS.has(type) : type === promised.type;
      return history.some((event) => isOfKind(event.type) && JSON.stringify(event).includes(`"${mark}"`));
    };
    return ledger
      .promisedOf(plan_id)
      .filter((promised) => !isKept(promised))
      .map((promised) => `${plan_id} lost what was acknowledged: ${JSON.stringify(promised)}.`);
  });
}

/** The events that record a payment to a wallet. */
const WALLET_PAYMENTS: ReadonlySet<string> = new Set([
  'PAYOUT_DONE',
  'DELIVERY_REPORTED',
  'PAYMENT_REPEATED',
]);

function brokenHistories({ plans, events }: Snapshot): string[] {
  return plans.flatMap(({ plan_id, revision }) => {
    const revisions = (events.get(plan_id) ?? []).map((event) => event.revision);
    const expected = Array.from({ length: revision }, (_, index) => index + 1);
    if (isDeepStrictEqual(revisions, expected)) return [];
    return [`${plan_id} is at revision ${revision} and has the events ${revisions.join(', ') || 'of none'}.`];
  });
}

/** Compares jobs and links with the history of each plan. */
function againstHistories(snapshot: Snapshot): string[] {
  const { plans, events, jobs, queuedMails } = snapshot;
  const counts = new Map<string, number>();
  for (const { key } of jobs) if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
  const found: string[] = [];
  for (const { plan_id } of plans) {
    const replayed = replayedOf(events, plan_id);
    if (typeof replayed === 'string') {
      found.push(replayed);
      continue;
    }
    found.push(...wrongLinks(snapshot, replayed));
    found.push(...wrongJobs(snapshot, replayed, counts));
    for (const task of ['plan', 'chain']) counts.delete(`${task}:${plan_id}`);
  }
  for (const mailId of queuedMails) {
    const count = counts.get(`mail:${mailId}`) ?? 0;
    if (count !== 1) found.push(`The e-mail ${mailId} waits and has ${count} jobs.`);
  }
  // Jobs of e-mails that are not queued are counted among the strays.
  for (const key of counts.keys()) if (!key.startsWith('mail:')) found.push(`The job ${key} is of no plan.`);
  const adrift = jobs.filter(({ key, detached }) => key === null && !detached).length;
  if (adrift > 0) found.push(`${adrift} jobs have no key and are not to be removed.`);
  return found;
}

/**
 * A plan with work has one job of its own, or waits for its chain; a plan without has none. A plan that rests on a
 * transaction without its confirmations waits for its chain. A job that compares the plan counts as waiting.
 */
function wrongJobs({ waiting }: Snapshot, plan: Plan, counts: ReadonlyMap<string, number>): string[] {
  const { planId } = plan;
  const [own, comparing] = [counts.get(`plan:${planId}`) ?? 0, counts.get(`chain:${planId}`) ?? 0];
  const isLookedAt = waiting.has(planId) || comparing > 0;
  const found: string[] = [];
  const isOwed = workOf(plan) !== undefined;
  if (own > (isOwed ? 1 : 0) || comparing > 1)
    found.push(`${planId} has ${own} jobs of its own and ${comparing} that compare it.`);
  if (isOwed && own === 0 && !isLookedAt) found.push(`${planId} has work, and neither a job nor a wait.`);
  if (awaitedBlock(plan) !== undefined && !isLookedAt)
    found.push(`${planId} rests on a transaction that is being confirmed, and waits for nothing.`);
  return found;
}

/** The plan that follows from its history, or why there is none. */
function replayedOf(events: Snapshot['events'], planId: string): Plan | string {
  return planOf(events.get(planId) ?? []) ?? `${planId}: its history has no beginning or a gap.`;
}

/** What the audit of all ledgers finds: movements, claims and references that are not those of the plans. */
async function wrongLedgers({ ledger }: Store): Promise<string[]> {
  const audited = await ledger.audit(0, () => {});
  const { faults } = audited.findings;
  return faults.map(({ kind, planId, detail }) => `${planId} has a wrong ledger: ${kind}, ${detail}`);
}

async function storedOtherwise(store: Store, { plans }: Snapshot): Promise<string[]> {
  const found: string[] = [];
  for (const row of plans) found.push(...(await differences(store, row)));
  return found;
}

/**
 * Compares a plan in the database with its row. The service may change the plan between the two readings: then both
 * are repeated.
 */
async function differences(store: Store, row: PlanRow, tries = 5): Promise<string[]> {
  const scope = { organisationId: row.organisation_id, environment: row.environment };
  const { payments } = store;
  const loaded = await payments.loadPlan(scope, row.plan_id);
  const told = await payments.history(scope, row.plan_id, { limit: 10_000 });
  if (loaded.plan === undefined || told.found === undefined) return [`${row.plan_id} cannot be loaded.`];
  const { events } = told.found;
  if (loaded.plan.revision !== events.length && tries > 0) return differences(store, row, tries - 1);
  const replayed = replayedOf(new Map([[row.plan_id, events]]), row.plan_id);
  const found = isDeepStrictEqual(replayed, loaded.plan)
    ? []
    : [`${row.plan_id} is stored otherwise than its history tells it.`];
  return [...found, ...(await wrongDetails(store, row, loaded.plan))];
}

/** The number of jobs that killed workers left; other workers must remove them. */
export async function detachedJobs(connection: SocketConnection): Promise<number> {
  return (await readSnapshot(connection)).jobs.filter(({ detached }) => detached).length;
}

/** Asks for plans and their recipients, and compares them with the acknowledged answers and the requests. */
export async function askAgain(
  callers: readonly Caller[],
  ledger: Ledger,
  plans: readonly Acknowledged[],
): Promise<string[]> {
  const found: string[] = [];
  for (const known of plans) {
    const { planId } = known.plan;
    const caller = callers[known.organisation];
    const reply = await caller?.(`/v1/payments/${planId}`);
    if (reply?.status === 200) ledger.acknowledge(known, reply.body);
    else found.push(`${planId} was acknowledged and is answered with ${reply?.text}`);
    if (reply?.status === 200 && reply.body.revision < known.plan.revision)
      found.push(
        `${planId} was acknowledged at revision ${known.plan.revision}: ${reply.body.revision} now.`,
      );
    const revealed = await caller?.(`/v1/payments/${planId}/recipient/reveal`, {});
    const { recipient } = JSON.parse(revealed?.text ?? '{}') as { recipient?: Recipient };
    const asked = payeesOf(ledger, planId).map(canonicalRecipient);
    if (recipient === undefined || !asked.includes(canonicalRecipient(recipient)))
      found.push(`The recipient of ${planId} is not the one that was asked for: ${revealed?.text}`);
  }
  return found;
}

/** The possible payees: the destinations that were entered, or the recipients of the requests. */
function payeesOf(ledger: Ledger, planId: string): readonly Recipient[] {
  const isChosen = ledger.plans.get(planId)?.plan.steps.at(-1)?.collect?.destination !== undefined;
  return isChosen
    ? ledger.submissionsOf(planId).map(({ destination }) => destination)
    : ledger.recipientsOf(planId);
}
