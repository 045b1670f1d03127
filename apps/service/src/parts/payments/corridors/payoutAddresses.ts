import type { Address, Plan } from '@fairway/plan';
import type { Corridors } from './corridors.ts';

/**
 * The accounts that a plan's custodian pays wallets from. Custodians change their accounts: these are the accounts that
 * the corridor had when the plan was made, and those that it has now.
 */
export function payoutAddressesOf({ find }: Pick<Corridors, 'find'>, { corridor }: Plan): readonly Address[] {
  const now = find(corridor.id)?.target.payoutAddresses ?? [];
  return [...new Set([...(corridor.target.payoutAddresses ?? []), ...now])];
}
