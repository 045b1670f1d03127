import { amountText } from '../chains/tokens.ts';
import type { Relayer } from './relayer.ts';

/** What is short, and the plans that hold a part of the balance. */
export type Shortage = {
  readonly what: 'payment' | 'swap';
  readonly token: string;
  readonly balance: bigint;
  readonly needs: bigint;
  readonly planIds: readonly string[];
};

const MOST_NAMED = 5;

/** Says that a relayer has too little of a token beside what is set aside. */
export async function balanceShort(
  { address, tokens }: Pick<Relayer, 'address' | 'tokens'>,
  { what, token, balance, needs, planIds }: Shortage,
): Promise<{ readonly code: 'BALANCE_SHORT'; readonly detail: string }> {
  const named = `${planIds.slice(0, MOST_NAMED).join(', ')}${planIds.length > MOST_NAMED ? ' …' : ''}`;
  const others = planIds.length === 0 ? '' : ` Other plans hold a part of it: ${named}.`;
  const facts = (await tokens([token])).get(token);
  const [has, need] = [balance, needs].map((units) => amountText(units, facts));
  return {
    code: 'BALANCE_SHORT',
    detail: `The relayer ${address} has ${has} of the token ${token}, and the ${what} needs ${need}.${others}`,
  };
}
