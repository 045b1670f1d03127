import type { Policy, WindowLimit } from './policy.ts';
import type { Asked, Usage } from './proposal.ts';
import type { Refusal } from './refusal.ts';
import { isTopUp, topUpIn } from './topUps.ts';

/** What an execution takes from a relayer. */
export type Spending = {
  readonly chainId: number;
  readonly relayer: string;
  /** The address of the token, or `TOP_UP`: top-ups and clients use up no limit of each other. */
  readonly token: string;
  /** The most that it can take. */
  readonly amount: bigint;
  readonly recipient: string;
};

/**
 * What an execution takes, as its limits count it.
 *
 * @example
 * ```ts
 * import { type Asked, spendingOf } from '@fairway/policies';
 *
 * declare const asked: Asked;
 * const { token } = spendingOf(asked, 100n); // the address of the token that is spent
 * ```
 */
export function spendingOf(
  asked: Pick<Asked, 'chainId' | 'tokenIn' | 'tokenOut' | 'sender' | 'recipient'>,
  amount: bigint,
): Spending {
  const { chainId, sender, recipient, tokenIn } = asked;
  return { chainId, relayer: sender, token: isTopUp(asked) ? 'TOP_UP' : tokenIn, amount, recipient };
}

/** A limit that a spending counts for. `rule` is its name. */
export type SpendingLimit = WindowLimit & { readonly rule: string };

/**
 * The limits that what is asked for counts for, in the order of the policy.
 *
 * @example
 * ```ts
 * import { type Asked, limitsOf, type Policy } from '@fairway/policies';
 *
 * declare const policy: Policy;
 * declare const asked: Asked;
 * const windows = limitsOf(policy, asked).map(({ windowSeconds }) => windowSeconds); // such as [86_400]
 * ```
 */
export function limitsOf(
  policy: Policy,
  asked: Pick<Asked, 'chainId' | 'tokenIn' | 'tokenOut' | 'sender' | 'recipient'>,
): readonly SpendingLimit[] {
  const { chainId, tokenIn } = asked;
  const chain = policy.chains.find((each) => each.chainId === chainId);
  const topUp = chain && isTopUp(asked) ? topUpIn(chain, asked) : undefined;
  if (topUp !== undefined) {
    const { windowSeconds, mostCount } = topUp;
    return [{ each: 'RECIPIENT', windowSeconds, mostCount, rule: `chains.${chainId}.topUps.mostCount` }];
  }
  const limits = chain?.tokens.find(({ address }) => address === tokenIn)?.spend?.limits ?? [];
  return limits.map((limit, index) => ({
    ...limit,
    rule: `chains.${chainId}.tokens.${tokenIn}.spend.limits.${index}`,
  }));
}

/**
 * Says which limits a spending would exceed. `usage` has an entry for each limit. Without one, nothing is known, and the
 * limit refuses.
 *
 * @example
 * ```ts
 * import { limitRefusals } from '@fairway/policies';
 *
 * const limit = { rule: 'daily', each: 'ALL', windowSeconds: 86_400, most: 100n } as const;
 * limitRefusals([limit], [{ spent: 95n, count: 3 }], 5n); // []
 * limitRefusals([limit], [{ spent: 96n, count: 3 }], 5n)[0]?.code; // 'WINDOW_AMOUNT'
 * ```
 */
export function limitRefusals(
  limits: readonly SpendingLimit[],
  usage: readonly Usage[],
  amount: bigint,
): readonly Refusal[] {
  return limits.flatMap(({ rule, most, mostCount }, index): Refusal[] => {
    const used = usage[index];
    if (used === undefined)
      return [{ code: 'USAGE_UNKNOWN', rule, detail: 'It is not known what was spent within the window.' }];
    const { spent, count } = used;
    const refusals: Refusal[] = [];
    if (most !== undefined && spent + amount > most)
      refusals.push({
        ...{ code: 'WINDOW_AMOUNT', rule },
        detail: `${spent} were spent within the window; with ${amount} more it is above ${most}.`,
      });
    if (mostCount !== undefined && count + 1 > mostCount)
      refusals.push({
        ...{ code: 'WINDOW_COUNT', rule },
        detail: `The window has ${count} spendings, and at most ${mostCount} are allowed.`,
      });
    return refusals;
  });
}
