import { type RawBuilder, sql } from 'kysely';

/**
 * Whether a claim in the table holds nothing against other organisations and the owner of a deposit address: earlier
 * versions claimed refunds and deposits of plans without a deposit address. `claim`: the alias of `settlements`.
 */
export function isWeakClaim(claim: 'any_claim' | 'any_lost_claim'): RawBuilder<boolean> {
  const of = (column: string) => sql.ref(`${claim}.${column}`);
  return sql`(${of('role')} = 'REFUND' or ${of('role')} = 'DEPOSIT' and exists (
          select from plans claimant
          where (claimant.organisation_id, claimant.environment, claimant.plan_id)
              = (${of('organisation_id')}, ${of('environment')}, ${of('plan_id')})
            and claimant.deposit_address is null))`;
}
