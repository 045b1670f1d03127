import { type Hash, type Movement, type Plan, referenceKey, standingMovements } from '@fairway/plan';
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { PlanScope } from '../../plans/planScope.ts';
import { recordset } from '@fairway/postgres';
import { isOfNamedAccount } from './claims.ts';
import { ReferenceUsedError, TransferClaimedError } from './refusals.ts';

/** What settles a movement, beside the movement. `provider`: the reference as the provider wrote it. */
type Reference = { readonly reference: string; readonly movement: Movement; readonly provider?: string };

/**
 * Records what settles the new payouts and refunds of a plan: the provider's reference, and the transfer. Records the
 * same for transfers that were deposits to an account that is only named. Each settles one movement of its kind in an
 * organisation. Throws TransferClaimedError or ReferenceUsedError when another one has it.
 *
 * A movement that is taken back frees its references. Only after a reorganisation does the provider's reference stay,
 * because the transaction may be mined again.
 */
export async function recordReferences(
  transaction: Database,
  scope: PlanScope,
  before: Plan,
  after: Plan,
): Promise<void> {
  const [old, next] = [referencesOf(before), referencesOf(after)];
  const kept = new Set(next.map(({ reference }) => reference));
  const freed = old.filter(
    ({ reference, movement, provider }) =>
      !kept.has(reference) && (provider === undefined || movement.transfer === undefined),
  );
  await freeReferences(transaction, scope, after, freed);
  const known = new Set(old.map(({ reference }) => reference));
  const added = next.filter(({ reference }) => {
    const isNew = !known.has(reference);
    known.add(reference);
    return isNew;
  });
  if (added.length > 0) await addReferences(transaction, scope, after, added);
}

/** What settles the payouts and refunds of a plan, and its deposits to an account that is only named. */
export function referencesOf(plan: Plan): Reference[] {
  return standingMovements(plan).flatMap((movement) => {
    const { kind, providerReference, transfer } = movement;
    const prefix = kind === 'DEPOSIT' && !isOfNamedAccount(plan, kind) ? undefined : PREFIXES[kind];
    if (prefix === undefined) return [];
    const { chainId, txHash, logIndex } = transfer ?? {};
    const place = `${chainId}:${txHash?.toLowerCase()}:${logIndex}`;
    const isOfProvider = providerReference !== undefined && kind !== 'DEPOSIT';
    return [
      ...(isOfProvider
        ? [
            {
              reference: `${prefix}ref:${referenceKey(providerReference)}`,
              movement,
              provider: providerReference,
            },
          ]
        : []),
      ...(logIndex === undefined
        ? []
        : [{ reference: `${kind === 'REFUND' ? '' : prefix}tx:${place}`, movement }]),
    ];
  });
}

/** A transaction on a chain, with the places of transfers in it. */
export type NamedTransfers = {
  readonly chainId: number;
  readonly txHash: Hash;
  readonly logIndexes: readonly number[];
};

/** Which transfers of a transaction settle another plan: a payout of any organisation, or a refund of this one. */
export async function settledByOthers(
  database: Database,
  { organisationId, environment }: PlanScope,
  planId: string,
  { chainId, txHash, logIndexes: named }: NamedTransfers,
): Promise<{ readonly settled: readonly number[] }> {
  const prefix = `tx:${chainId}:${txHash.toLowerCase()}:`;
  const { rows } = await sql<{ reference: string }>`
    select reference from payout_references
    where organisation_id = ${organisationId} and environment = ${environment} and plan_id <> ${planId}
      and reference = any(${named.map((logIndex) => `${prefix}${logIndex}`)})`.execute(database);
  const { rows: claimed } = await sql<{ log_index: number }>`
    select any_claim.log_index from settlements any_claim
    where any_claim.environment = ${environment} and any_claim.chain_id = ${chainId}
      and any_claim.tx_hash = ${txHash.toLowerCase()} and any_claim.log_index = any(${named}::int4[])
      and any_claim.role = 'PAYOUT' and any_claim.plan_id <> ${planId} and any_claim.lost_at is null`.execute(
    database,
  );
  const told = new Set(rows.map(({ reference }) => reference));
  const logIndexes = named.filter((logIndex) => told.has(`${prefix}${logIndex}`));
  return { settled: [...logIndexes, ...claimed.map((each) => each.log_index)] };
}

/**
 * What the references of a kind of movement begin with: a transfer may be the payout of one plan and the deposit of another. It is
 * never the payout of one and the refund of another.
 */
const PREFIXES: Readonly<Partial<Record<Movement['kind'], string>>> = {
  PAYOUT: '',
  REFUND: 'refund-',
  DEPOSIT: 'deposit-',
};

async function freeReferences(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  { planId }: Plan,
  freed: readonly Reference[],
): Promise<void> {
  if (freed.length === 0) return;
  await sql`delete from payout_references
    where organisation_id = ${organisationId} and environment = ${environment} and plan_id = ${planId}
      and reference = any(${freed.map(({ reference }) => reference)})`.execute(transaction);
}

async function addReferences(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  plan: Plan,
  added: readonly Reference[],
): Promise<void> {
  const rows = added.map(({ reference, movement }) => ({
    ...{ organisation_id: organisationId, environment, plan_id: plan.planId },
    reference,
    movement_seq: movement.seq,
  }));
  const standing = standingMovements(plan).map(({ seq }) => seq);
  // In the order of the key, so that two plans with the same references never deadlock.
  const { rows: recorded } = await sql<{ reference: string }>`
    insert into payout_references as known select * from ${recordset('payout_references', rows)} order by reference
    on conflict (organisation_id, environment, reference) do update set movement_seq = excluded.movement_seq
    where known.plan_id = excluded.plan_id and known.movement_seq <> all(${standing}::int4[])
    returning reference`.execute(transaction);
  const done = new Set(recorded.map(({ reference }) => reference));
  const refused = added.filter(({ reference }) => !done.has(reference));
  if (refused.length === 0) return;
  await refuse(transaction, { organisationId, environment }, refused);
}

async function refuse(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  refused: readonly Reference[],
): Promise<void> {
  const transfers = refused.flatMap(({ provider, movement: { transfer } }) =>
    provider === undefined && transfer?.logIndex !== undefined
      ? [{ txHash: transfer.txHash.toLowerCase(), logIndex: transfer.logIndex }]
      : [],
  );
  if (transfers.length > 0) throw new TransferClaimedError(transfers);
  const [first] = refused;
  if (first === undefined) return;
  const { rows } = await sql<{ planId: string }>`
    select plan_id as "planId" from payout_references
    where organisation_id = ${organisationId} and environment = ${environment} and reference = ${first.reference}`.execute(
    transaction,
  );
  const { provider: reference = '', movement } = first;
  const kind = movement.kind === 'REFUND' ? 'REFUND' : 'PAYOUT';
  throw new ReferenceUsedError({ reference, planId: rows[0]?.planId ?? '', kind });
}
