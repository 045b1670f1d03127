import { toAddress } from '@fairway/engine';
import { latestHead, readBalance } from '@fairway/evm';
import { type Amount, amountOf, type Plan } from '@fairway/plan';
import { type PaymentParts, reached } from '../../parts/payments/index.ts';

/** What a plan's deposit address holds now, in smallest units, and the symbol of the native currency. */
export type Held = { readonly source: Amount; readonly native: Amount; readonly nativeSymbol: string };

/**
 * What the deposit address of a plan holds now. Native currency that was sent there is no movement of the plan: it may as
 * well be for fees. 'AWAY' where no node tells it; undefined for a plan without a deposit address.
 */
export async function heldNow(
  { chains }: Pick<PaymentParts, 'chains'>,
  { corridor, options }: Plan,
): Promise<Held | 'AWAY' | undefined> {
  if (options.depositAddress === undefined) return undefined;
  const chain = chains.get(corridor.source.chainId);
  if (chain === undefined) return 'AWAY';
  const { request, nativeSymbol } = chain;
  const [token, owner] = [toAddress(corridor.source.token), toAddress(options.depositAddress)];
  const held = await reached(async () => {
    const { hash } = await latestHead(request);
    const [source, native] = await Promise.all([
      readBalance(request, hash, { token, owner }),
      readBalance(request, hash, { owner }),
    ]);
    return { source: amountOf(source), native: amountOf(native), nativeSymbol };
  });
  return held ?? 'AWAY';
}
