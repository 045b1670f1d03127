// A quote, and its swap executed on the chain with viem and with ethers: each moves what was quoted.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { isFairwayError, limitOf, UnsafeAnswerError } from '@fairway/sdk';
import * as withEthers from '@fairway/sdk/ethers';
import * as withViem from '@fairway/sdk/viem';
import { createPublicClient, custom, numberToHex, type PublicClient } from 'viem';
import { NATIVE_TOKEN } from '../wallet.ts';
import { type SdkTest, startSdkTest } from './clients.ts';

let sdk: SdkTest;
before(async () => {
  sdk = await startSdkTest();
});
after(() => sdk?.close());

const FUNDS = { USDC: '5000000000', WETH: '5000000000000000000' };

type Case = {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly tradeType: 'EXACT_IN' | 'EXACT_OUT';
  readonly amount: string;
  readonly isPaidToOther?: true;
  readonly isOverPairs?: true;
};
const CASES: readonly Case[] = [
  { name: 'an exact input', from: 'USDC', to: 'WETH', tradeType: 'EXACT_IN', amount: '1000000000' },
  { name: 'an exact output', from: 'USDC', to: 'WBTC', tradeType: 'EXACT_OUT', amount: '100000' },
  {
    name: 'an exact output over pairs for somebody else',
    from: 'USDC',
    to: 'WETH',
    tradeType: 'EXACT_OUT',
    amount: '100000000000000000',
    isPaidToOther: true,
    isOverPairs: true,
  },
  {
    name: 'native currency sold',
    from: 'ETH',
    to: 'USDC',
    tradeType: 'EXACT_IN',
    amount: '1000000000000000000',
  },
  {
    name: 'native currency bought',
    from: 'USDC',
    to: 'ETH',
    tradeType: 'EXACT_OUT',
    amount: '100000000000000000',
    isPaidToOther: true,
  },
  {
    name: 'native currency that pays at most',
    from: 'ETH',
    to: 'USDC',
    tradeType: 'EXACT_OUT',
    amount: '1000000000',
  },
  {
    name: 'a sale for somebody else',
    from: 'USDC',
    to: 'DAI',
    tradeType: 'EXACT_IN',
    amount: '1000000000',
    isPaidToOther: true,
  },
  {
    name: 'native currency wrapped',
    from: 'ETH',
    to: 'WETH',
    tradeType: 'EXACT_IN',
    amount: '1000000000000000000',
  },
  {
    name: 'native currency unwrapped for another',
    from: 'WETH',
    to: 'ETH',
    tradeType: 'EXACT_IN',
    amount: '1000000000000000000',
    isPaidToOther: true,
  },
];

const tokenOf = (symbol: string) => (symbol === 'ETH' ? NATIVE_TOKEN : sdk.token(symbol));

for (const library of ['viem', 'ethers'] as const)
  for (const { name, from, to, tradeType, amount, isPaidToOther, isOverPairs } of CASES)
    test(`${library} executes ${name} as it was quoted`, async () => {
      const { fairway, facts, router, balances } = sdk;
      const { address, ...signers } = await sdk.signers(FUNDS);
      const recipient = isPaidToOther ? '0x00000000000000000000000000000000000d00d5' : address;
      const tokens = { tokenIn: tokenOf(from), tokenOut: tokenOf(to) };
      const asked = { chainId: facts.chainId, ...tokens, tradeType, amount };
      const other = 'uniswap-v3';
      const query = { ...asked, ...(isOverPairs ? { excludeSources: other } : {}) };
      const limit = limitOf(await fairway.quotes.get(query), 100);
      const excluded = isOverPairs ? { excludeSources: [other] } : {};
      const trade = { ...asked, ...excluded, ...(isPaidToOther ? { recipient } : {}) };
      const before = {
        in: await balances.balanceOf(address, tokens.tokenIn),
        out: await balances.balanceOf(recipient, tokens.tokenOut),
      };
      const swap = { trade, limit, router };
      const { quote, txHashes } =
        library === 'viem'
          ? await withViem.executeSwap(fairway, { ...swap, wallet: signers.wallet, node: signers.node })
          : await withEthers.executeSwap(fairway, { ...swap, signer: signers.signer });
      const received = (await balances.balanceOf(recipient, tokens.tokenOut)) - before.out;
      const spent = before.in - (await balances.balanceOf(address, tokens.tokenIn));
      const surplus = BigInt(quote.route?.surplus ?? 0);
      assert.equal(received, BigInt(quote.amountOut) + surplus);
      // Fees are paid in native currency, too.
      if (from === 'ETH') assert.ok(spent >= BigInt(quote.amountIn));
      else assert.equal(spent, BigInt(quote.amountIn));
      assert.equal(txHashes.length, from === 'ETH' ? 1 : 2);
    });

/** A node that mines the transaction while viem looks for a replacement: viem overlooks the only block that comes. */
function nodeThatMinesMeanwhile(node: PublicClient) {
  let isMined = false;
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    const answer: unknown = await node.request({ method, params } as never);
    if (isMined) return answer;
    if (method === 'eth_getTransactionReceipt') return null;
    if (method === 'eth_getTransactionByHash') return { ...(answer as object), blockNumber: null };
    if (method === 'eth_blockNumber') return numberToHex(BigInt(answer as string) - 1n);
    if (method === 'eth_getBlockByNumber' && (params as unknown[])[1] === true) {
      isMined = true;
      await setTimeout(4 * node.pollingInterval);
    }
    return answer;
  };
  const { chain, pollingInterval } = node;
  return createPublicClient({ chain, pollingInterval, transport: custom({ request }) });
}

test('viem finds the receipt when the only block comes while it looks for a replacement', async () => {
  const { fairway, facts, router } = sdk;
  const { wallet, node } = await sdk.signers(FUNDS);
  const tokens = { tokenIn: NATIVE_TOKEN, tokenOut: sdk.token('WETH') };
  const trade = { chainId: facts.chainId, ...tokens, tradeType: 'EXACT_IN', amount: '1000000000' } as const;
  const limit = limitOf(await fairway.quotes.get(trade), 100);
  const swap = { trade, limit, router, wallet, node: nodeThatMinesMeanwhile(node) };
  const { txHashes } = await withViem.executeSwap(fairway, swap);
  assert.equal(txHashes.length, 1);
});

test('a limit that the market does not reach is refused, and nothing is signed', async () => {
  const { fairway, facts, router } = sdk;
  const { wallet, node, address } = await sdk.signers(FUNDS);
  const tokens = { tokenIn: sdk.token('USDC'), tokenOut: sdk.token('WETH') };
  const trade = { chainId: facts.chainId, ...tokens, tradeType: 'EXACT_IN', amount: '1000000000' } as const;
  const { amountOut } = await fairway.quotes.get(trade);
  const limit = { minAmountOut: BigInt(amountOut) + 1n };
  await assert.rejects(
    withViem.executeSwap(fairway, { trade, limit, router, wallet, node }),
    (error) => error instanceof UnsafeAnswerError && error.reason === 'LIMIT',
  );
  assert.equal(await node.getTransactionCount({ address }), 0);
});

test('a refusal of the service has its code', async () => {
  const { fairway, facts } = sdk;
  const tokenIn = sdk.token('USDC');
  const trade = {
    chainId: facts.chainId,
    tokenIn,
    tokenOut: tokenIn,
    tradeType: 'EXACT_IN',
    amount: '1',
  } as const;
  const codes: string[] = [];
  for (const call of [
    () => fairway.quotes.get(trade),
    () => fairway.quotes.get({ ...trade, amount: '1.5' }),
    () => fairway.quotes.get({ ...trade, chainId: 999 }),
    () => fairway.payments.get('plan_0'),
    () => fairway.events.list({ after: 'nonsense' }).pages().next(),
  ])
    await call().then(
      () => codes.push('none'),
      (error: unknown) => codes.push(isFairwayError(error) ? error.code : String(error)),
    );
  assert.deepEqual(codes, [
    'same-token',
    'validation-failed',
    'unknown-chain',
    'not-found',
    'validation-failed',
  ]);
});
