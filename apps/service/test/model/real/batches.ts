// What is done for several plans in one transaction of a contract: their swaps, and payments to their wallets.
import { encodeFunctionData, erc20Abi, multicall3Abi } from 'viem';
import type { Kept, Sent } from './keptTypes.ts';
import { MARK, SENT_BY } from './chainNow.ts';
import { SETTLEMENT, targetOf } from './corridors.ts';
import { type Ground, type NodeCall, transferOf } from './ground.ts';
import type { Run } from './runTypes.ts';

/** A payment to a wallet. */
type Payment = { readonly one: Kept; readonly amount: bigint };

/** A contract executes the newest instructions of plans, with money of its own. */
export async function swapTogether(
  { ground, payer }: Run,
  all: readonly Kept[],
  each: bigint,
): Promise<void> {
  const { multicall3 } = ground.chain.contracts;
  const usdc = ground.token('USDC');
  const attempts = all.flatMap((one) => {
    const attempt = one.attempts.at(-1);
    return attempt === undefined ? [] : [{ one, attempt }];
  });
  const swaps = attempts.flatMap(({ attempt: { to, data } }, place) => [
    ...(place === 0 ? [] : [transferOf(usdc, multicall3, MARK, 1n)]),
    approvalOf(usdc, multicall3, to, each),
    { from: multicall3, to, data },
  ]);
  const [, hash = ''] = await ground.batch([
    transferOf(usdc, payer, multicall3, each * BigInt(attempts.length) + BigInt(attempts.length)),
    together(ground, payer, swaps),
  ]);
  for (const [place, { one, attempt }] of attempts.entries())
    one.sent.set(`${hash}${SENT_BY}${place}`, attempt.key);
}

/** The custodian pays wallets in one transaction. */
export async function payTogether({ ground }: Run, payments: readonly Payment[]): Promise<void> {
  const { multicall3 } = ground.chain.contracts;
  const paid = payments.map((payment) => ({ ...payment, token: ground.token(targetOf(payment.one.way)) }));
  const approvals = [...new Set(paid.map(({ token }) => token))].map((token) => {
    const units = paid.reduce((sum, each) => (each.token === token ? sum + each.amount : sum), 0n);
    return approvalOf(token, SETTLEMENT, multicall3, units);
  });
  const calls = paid.map(({ one, amount, token }) => {
    const args = [SETTLEMENT, one.wallet as `0x${string}`, amount] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args });
    return { from: multicall3, to: token, data };
  });
  const hashes = await ground.batch([...approvals, together(ground, SETTLEMENT, calls)]);
  for (const { one, amount } of payments) one.payouts.push(sentTo(one, hashes.at(-1) ?? '', amount));
}

/** A payment of the newest attempt to the wallet of a plan. */
export function sentTo({ wallet = '', turn }: Kept, txHash: string, amount: bigint): Sent {
  return { txHash, to: wallet, amount, turn };
}

function approvalOf(token: string, from: string, spender: string, amount: bigint): NodeCall {
  const args = [spender as `0x${string}`, amount] as const;
  return { from, to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args }) };
}

function together({ chain }: Ground, from: string, calls: readonly NodeCall[]): NodeCall {
  const all = calls.map(({ to, data = '0x' }) => ({
    target: to as `0x${string}`,
    allowFailure: false,
    callData: data as `0x${string}`,
  }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [all] });
  return { from, to: chain.contracts.multicall3, data };
}
