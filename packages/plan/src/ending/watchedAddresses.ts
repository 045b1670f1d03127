import { isOver } from '../next/next.ts';
import { collectStep, evidenceOf, swapStep } from '../plan/steps.ts';
import type { Address } from '../terms/scalars.ts';
import type { Plan } from '../plan/types.ts';

/**
 * An address whose transfers concern a plan. DEPOSIT: the payer's money arrives there. BENEFICIARY: a wallet that is to
 * be paid. `fromBlock`: earlier transfers are not the plan's. The address is in lower case.
 */
export type WatchedAddress = {
  readonly purpose: 'DEPOSIT' | 'BENEFICIARY';
  readonly chainId: number;
  readonly address: Address;
  readonly fromBlock: number;
};

/**
 * What changes in the addresses that are watched for a plan. ADDRESS_WATCHED: one more. ADDRESSES_RESTED: the plan is
 * over, and its addresses are watched for some time only. ADDRESSES_WATCHED_AGAIN: it was over and is open again.
 */
export type WatchEffect =
  | ({ readonly kind: 'ADDRESS_WATCHED' } & WatchedAddress)
  | { readonly kind: 'ADDRESSES_RESTED' }
  | { readonly kind: 'ADDRESSES_WATCHED_AGAIN' };

/** Derives what a change means for the addresses of a plan; `before` is undefined when the plan is new. */
export function watchEffects(before: Plan | undefined, after: Plan): readonly WatchEffect[] {
  const known = new Set(before && watchedAddresses(before).map(nameOf));
  const watched = watchedAddresses(after);
  const added = watched.filter((each) => !known.has(nameOf(each)));
  const effects: WatchEffect[] = added.map((each) => ({ kind: 'ADDRESS_WATCHED', ...each }));
  const [wasOver, isNowOver] = [before !== undefined && isOver(before), isOver(after)];
  if (watched.length > 0 && wasOver !== isNowOver)
    effects.push({ kind: isNowOver ? 'ADDRESSES_RESTED' : 'ADDRESSES_WATCHED_AGAIN' });
  return effects;
}

function nameOf({ purpose, address }: WatchedAddress): string {
  return `${purpose} ${address}`;
}

/**
 * The addresses whose transfers concern a plan.
 */
function watchedAddresses(plan: Plan): readonly WatchedAddress[] {
  const { corridor, options, watchFromBlock, recipient } = plan;
  const { source, target } = corridor;
  const watch = (
    purpose: WatchedAddress['purpose'],
    chainId: number,
    address: string,
    fromBlock: number,
  ) => ({
    purpose,
    chainId,
    address: address.toLowerCase() as Address,
    fromBlock,
  });
  const deposit = options.depositAddress;
  // A choice is made when the swap is done, so that no earlier transfer pays it.
  const chosen = collectStep(plan)?.destination;
  const paidFrom = evidenceOf(swapStep(plan))?.blockNumber ?? watchFromBlock;
  return [
    ...(deposit === undefined ? [] : [watch('DEPOSIT', source.chainId, deposit, watchFromBlock)]),
    ...(recipient.type === 'wallet'
      ? [watch('BENEFICIARY', target.chainId, recipient.address, watchFromBlock)]
      : []),
    ...(chosen?.type === 'wallet' ? [watch('BENEFICIARY', target.chainId, chosen.address, paidFrom)] : []),
  ];
}
