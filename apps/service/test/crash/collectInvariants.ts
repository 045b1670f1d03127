import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  canonicalRecipient,
  type CollectLink,
  collectStep,
  nextLinkVersion,
  type Plan,
  type Recipient,
} from '@fairway/plan';
import type { CollectLinkState, Store } from '@fairway/store';
import type { Ledger } from './ledger.ts';
import type { LinkRow, PlanRow, Snapshot } from './snapshot.ts';

/** The state in the row of a plan's newest link, for each state that the link has in the plan. */
const STATES: Readonly<Record<CollectLink['state'], CollectLinkState>> = {
  WAITING: 'LIVE',
  SENT: 'LIVE',
  OPENED: 'LIVE',
  SUBMITTED: 'USED',
  EXPIRED: 'EXPIRED',
  CANCELLED: 'CANCELLED',
};

/**
 * Compares the rows of a plan's links, and of the newest link's e-mail, with the plan's history. Returns a sentence
 * for each difference.
 */
export function wrongLinks({ links, events }: Snapshot, plan: Plan): string[] {
  const rows = links.get(plan.planId) ?? [];
  const step = collectStep(plan);
  if (step === undefined) return rows.length === 0 ? [] : [`${plan.planId} has links and collects nothing.`];
  const { link } = step;
  const used = (events.get(plan.planId) ?? []).flatMap(({ command }) =>
    command.type === 'COLLECT_SUBMITTED' ? [command.version] : [],
  );
  const newest = nextLinkVersion(step) - 1;
  const expected = Array.from({ length: newest }, (_, index) => {
    const version = index + 1;
    if (version === link?.version) return `${version} ${STATES[link.state]}`;
    if (used.includes(version)) return `${version} USED`;
    return `${version} ${version === newest ? 'CANCELLED' : 'SUPERSEDED'}`;
  });
  const stored = rows.map(({ version, state }) => `${version} ${state}`);
  const found = isDeepStrictEqual(stored, expected)
    ? []
    : [`${plan.planId} should have the links ${named(expected)} and has ${named(stored)}.`];
  const live = rows.find(({ state }) => state === 'LIVE');
  if (live !== undefined && link?.version === live.version && link.mail !== live.mail)
    found.push(`${plan.planId} says of its link's e-mail ${link.mail}, and the e-mail ${live.mail}.`);
  return found;
}

function named(links: readonly string[]): string {
  return links.join(', ') || 'none';
}

/**
 * Asserts that every confirmed link is submitted, with a destination that was entered. Returns a sentence for each
 * fault.
 */
export function lostSubmissions(snapshot: Snapshot, ledger: Ledger, store: Store): string[] {
  const rows = new Map(
    [...snapshot.links.values()].flat().map((row) => [row.token_hash.toString('hex'), row]),
  );
  const organisations = new Map(snapshot.plans.map((row) => [row.plan_id, row.organisation_id]));
  return [...ledger.confirmed].flatMap((token) => {
    const row = rows.get(createHash('sha256').update(token).digest('hex'));
    if (row === undefined) return ['A link was confirmed to be used and does not exist.'];
    const name = `The link ${row.version} of ${row.plan_id}`;
    if (row.state !== 'USED') return [`${name} was confirmed to be used and is ${row.state}.`];
    const fingerprint = submittedBy(snapshot, row);
    if (fingerprint === undefined) return [`${name} was used, and its plan knows of no submission.`];
    const organisation = organisations.get(row.plan_id) ?? '';
    const isEntered = ledger
      .submissionsOf(row.plan_id)
      .some(
        (each) =>
          each.token === token && fingerprintOf(store, organisation, each.destination) === fingerprint,
      );
    return isEntered ? [] : [`${name} led to a destination that nobody entered.`];
  });
}

function submittedBy({ events }: Snapshot, { plan_id, version }: LinkRow): string | undefined {
  for (const { command } of events.get(plan_id) ?? [])
    if (command.type === 'COLLECT_SUBMITTED' && command.version === version)
      return command.destination.fingerprint;
  return undefined;
}

/** The keyed fingerprint of a recipient, as its plan shows it. */
export function fingerprintOf(store: Store, organisationId: string, recipient: Recipient): string {
  return store.fingerprint('recipient', organisationId, canonicalRecipient(recipient)).toString('base64url');
}

/** Compares the sealed details with the masked details of the plan. Returns a sentence for each difference. */
export async function wrongDetails(store: Store, row: PlanRow, plan: Plan): Promise<string[]> {
  const scope = { organisationId: row.organisation_id, environment: row.environment };
  const shown = { recipient: plan.recipient, destination: collectStep(plan)?.destination };
  const found: string[] = [];
  for (const field of ['recipient', 'destination'] as const) {
    const read = await store.payments.readRecipient(scope, row.plan_id, field);
    if (!read.ok) {
      found.push(`The ${field} of ${row.plan_id} cannot be read.`);
      continue;
    }
    const sealed = read.recipient && fingerprintOf(store, row.organisation_id, read.recipient);
    if (sealed !== shown[field]?.fingerprint)
      found.push(`The sealed ${field} of ${row.plan_id} is not the one that the plan shows.`);
  }
  return found;
}
