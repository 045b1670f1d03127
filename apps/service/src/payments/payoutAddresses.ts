import type { Address, Plan } from '@fairway/plan';
import type { Corridors } from './corridors.ts';

/**
 * The accounts that a plan's custodian pays wallets from: those of the plan's corridor when the plan was made, and those
 * that its corridor has now, because custodians change their accounts.
 */
export function payoutAddressesOf({ find }: Pick<Corridors, 'find'>, { corridor }: Plan): readonly Address[] {
  const now = find(corridor.id)?.target.payoutAddresses ?? [];
  return [...new Set([...(corridor.target.payoutAddresses ?? []), ...now])];
}
