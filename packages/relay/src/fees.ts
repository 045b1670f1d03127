import type { Attempt, Fees, Purpose } from './instruction.ts';
import type { GasRules } from './look.ts';

/**
 * What a new attempt offers. The first offers what the market asks, within the cap. A later one offers 1.125 times
 * the one before and at least the market, because nodes replace a transaction for 1.1 times its fees.
 * Undefined: the cap leaves no room for a replacement.
 *
 * @example
 * ```ts
 * import { feesOf } from '@fairway/relay';
 *
 * const fees = { maxFeePerGasWei: 100n, maxPriorityFeePerGasWei: 8n };
 * const rules = { maxFeePerGasCapWei: 1000n, bumpAfterBlocks: 3, mostPending: 16 };
 * feesOf('EXECUTE', fees, rules, fees); // { maxFeePerGasWei: 113n, maxPriorityFeePerGasWei: 9n }
 * ```
 */
export function feesOf(
  purpose: Purpose,
  market: Fees,
  { maxFeePerGasCapWei }: Pick<GasRules, 'maxFeePerGasCapWei'>,
  before?: Fees,
): Fees | undefined {
  const capWei = purpose === 'CANCEL' ? maxFeePerGasCapWei : ((maxFeePerGasCapWei - 1n) * 8n) / 9n;
  const leastFeeWei = before === undefined ? 1n : bumped(before.maxFeePerGasWei);
  const leastTipWei = before === undefined ? 0n : bumped(before.maxPriorityFeePerGasWei);
  if (leastFeeWei > capWei || leastTipWei > capWei) return undefined;
  const maxFeePerGasWei = least(capWei, most(leastFeeWei, market.maxFeePerGasWei));
  const maxPriorityFeePerGasWei = least(maxFeePerGasWei, most(leastTipWei, market.maxPriorityFeePerGasWei));
  return { maxFeePerGasWei, maxPriorityFeePerGasWei };
}

/** 1.125 times, rounded up. A tip of nothing grows, too. */
function bumped(wei: bigint): bigint {
  return (wei * 9n) / 8n + 1n;
}

function most(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** What a replacement has to exceed. Two processes may sign for one nonce at once, so that the newest is not the dearest. */
export function dearest(attempts: readonly Attempt[]): Fees | undefined {
  return attempts
    .map(({ fees }) => fees)
    .reduce<Fees | undefined>((one, other) => (one === undefined ? other : dearerOf(one, other)), undefined);
}

function dearerOf(one: Fees, other: Fees): Fees {
  const { maxFeePerGasWei: fee, maxPriorityFeePerGasWei: tip } = one;
  return {
    maxFeePerGasWei: fee > other.maxFeePerGasWei ? fee : other.maxFeePerGasWei,
    maxPriorityFeePerGasWei: tip > other.maxPriorityFeePerGasWei ? tip : other.maxPriorityFeePerGasWei,
  };
}
