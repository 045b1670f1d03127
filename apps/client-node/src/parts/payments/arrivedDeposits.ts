import type { Payments } from '@fairway/sdk/payments';
import type { AwaitedPayment } from '../../platform/database/payments.ts';

/** So that one plan does not hold up the others. */
const CALL = { budgetMs: 5_000 } as const;

/** What has come of a deposit to the relayer's address. */
export type ArrivedDeposit = { readonly planId: string; readonly amount: bigint };

/**
 * What has come of deposits that other payments wait for: it is theirs, and not the relayer's own. A deposit that has not
 * come takes nothing, so that nobody stops others with one that never comes.
 */
export async function arrivedDeposits(
  payments: Pick<Payments, 'get'>,
  awaited: readonly AwaitedPayment[],
  token: string,
): Promise<readonly ArrivedDeposit[]> {
  const arrived: ArrivedDeposit[] = [];
  for (const { planId, amountIn, isExecuted } of awaited) {
    const amount = isExecuted ? amountIn : arrivedOf(await payments.get(planId, CALL), token, amountIn);
    if (amount > 0n) arrived.push({ planId, amount });
  }
  return arrived;
}

function isDeposit(step: unknown): boolean {
  return (Object(step) as { type?: unknown }).type === 'AWAIT_DEPOSIT';
}

/** What a plan says is there of a token, as far as it can be read, and at most the plan's amount. */
function arrivedOf(plan: unknown, token: string, amountIn: bigint): bigint {
  const { steps, money } = Object(plan) as { steps?: unknown; money?: unknown };
  const step: unknown = Array.isArray(steps) ? steps.find(isDeposit) : undefined;
  if ((Object(step) as { status?: unknown }).status === 'DONE') return amountIn;
  const lines: unknown[] = Array.isArray(money) ? money : [];
  const { left } = Object(lines.find((each) => tokenOf(each) === token)) as { left?: unknown };
  const amount = typeof left === 'string' && /^\d{1,78}$/.test(left) ? BigInt(left) : 0n;
  return amount < amountIn ? amount : amountIn;
}

function tokenOf(line: unknown): string {
  const { asset } = Object(line) as { asset?: unknown };
  return String((Object(asset) as { address?: unknown }).address).toLowerCase();
}
