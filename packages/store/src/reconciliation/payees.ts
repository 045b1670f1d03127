import { accountNumberOf, type Recipient } from '@fairway/recipients';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { detailsPlace } from '../keys/sealedPlaces.ts';
import type { Sealing } from '@fairway/keys';
import type { PlanScope } from '../plans/planScope.ts';

/** Who is paid, as far as a statement of a bank can show it. `otherName`: of the provider that is paid for an eMoney wallet. `bankCode`: a
 * BSB or a sort code. */
export type Payee = {
  readonly name?: string;
  readonly otherName?: string;
  readonly accountNumber?: string;
  readonly bankCode?: string;
};

/**
 * Who is paid by plans, as far as the details can be opened: the destination, once it was chosen. They are for comparing,
 * and never leave this process.
 */
export async function payeesOf(
  database: Database,
  sealing: Sealing,
  { organisationId, environment }: PlanScope,
  planIds: readonly string[],
): Promise<ReadonlyMap<string, Payee>> {
  if (planIds.length === 0) return new Map();
  const { rows } = await sql<{
    plan_id: string;
    field: 'recipient' | 'destination';
    key_id: string;
    sealed: Buffer;
  }>`
    select plan_id, field, key_id, sealed from recipients
    where organisation_id = ${organisationId} and environment = ${environment} and plan_id = any(${planIds})
    order by field desc`.execute(database);
  const payees = new Map<string, Payee>();
  // `recipient` comes before `destination`, which replaces it.
  for (const { plan_id: planId, field, key_id: keyId, sealed } of rows) {
    const opened = sealing.unseal(detailsPlace(organisationId, planId, field), { keyId, sealed });
    if (!opened.ok) {
      payees.delete(planId);
      continue;
    }
    const recipient = JSON.parse(opened.text) as Recipient;
    payees.set(planId, {
      ...('name' in recipient && recipient.name !== undefined ? { name: recipient.name } : {}),
      ...(recipient.type === 'emoney' ? { otherName: recipient.provider } : {}),
      ...(recipient.type === 'bank'
        ? { accountNumber: accountNumberOf(recipient), ...bankCodeOf(recipient) }
        : {}),
    });
  }
  return payees;
}

function bankCodeOf({ account }: Extract<Recipient, { readonly type: 'bank' }>): Pick<Payee, 'bankCode'> {
  if ('bsb' in account) return { bankCode: account.bsb };
  return 'sortCode' in account ? { bankCode: account.sortCode } : {};
}
