// Pays 1,000 USDC to an Australian bank account on the sandbox: the plan, the deposit, the swap, the payout.
//
//   npm start -- --ready-file ready.json            (in another terminal)
//   npm run example:payment -- ready.json
import { readFileSync } from 'node:fs';
import { createFairway, limitOf } from '@fairway/sdk';
import type { PaymentPlan } from '@fairway/sdk/payments';
import { createSandbox } from '@fairway/sdk/sandbox';
import { executePlan } from '@fairway/sdk/viem';
import { createPublicClient, createWalletClient, erc20Abi, type Hex, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { anvil } from 'viem/chains';

type Ready = { url: string; username: string; password: string; chainId: number; rpcUrl: string };

const ready: Ready = JSON.parse(readFileSync(process.argv[2] ?? 'ready.json', 'utf8'));
const fairway = createFairway(ready);
const sandbox = createSandbox(fairway.connection);

function tell({ status, steps, next }: PaymentPlan): void {
  const stands = steps.map((step) => step.status).join(', ');
  console.log(`${status}: ${stands}${next === undefined ? '' : `; ${next.detail}`}`);
}

// The payer is an account of the sandbox. The treasury has a wallet of its own for each payment. The corridor and the
// router are your own copies in production, so that nobody who takes the service over can name others.
const { accounts, routers } = await sandbox.get();
const corridor = (await fairway.markets.corridors()).find(({ id }) => id === 'usdc-aud-bank');
const router = routers['swapRouter02'];
const tokenOut = corridor?.target.address;
if (accounts[0] === undefined || corridor === undefined || router === undefined || tokenOut === undefined)
  throw new Error('This is not the sandbox');
const chain = { ...anvil, id: ready.chainId };
const transport = http(ready.rpcUrl);
const node = createPublicClient({ chain, transport, pollingInterval: 100 });
const payer = createWalletClient({
  account: privateKeyToAccount(accounts[0].privateKey as Hex),
  chain,
  transport,
});
const treasury = createWalletClient({ account: privateKeyToAccount(generatePrivateKey()), chain, transport });
const { address } = treasury.account;
await sandbox.faucet({ address, native: true, amount: '1000000000000000000' });

// The plan. Its reference is unique for ever: sent again, the same request gives the same plan. No price is taken that
// is more than 2 % below the one that was quoted.
const AMOUNT_IN = '1000000000';
const { address: tokenIn } = corridor.source;
const trade = {
  chainId: ready.chainId,
  tokenIn,
  tokenOut,
  tradeType: 'EXACT_IN',
  amount: AMOUNT_IN,
} as const;
const limit = limitOf(await fairway.quotes.get(trade), 200);
const minAmountOut = 'minAmountOut' in limit ? String(limit.minAmountOut) : '';
const request = {
  clientReference: `EXAMPLE-${address}`,
  corridorId: corridor.id,
  amountIn: AMOUNT_IN,
  recipient: {
    type: 'bank',
    name: 'Jo Citizen',
    country: 'AU',
    account: { bsb: '062-000', accountNumber: '12345678' },
  },
  options: { mode: 'STANDARD', sender: address, depositAddress: address, minAmountOut },
} as const;
const made = await fairway.payments.create(request);
tell(made);
const { planId } = made;

// The deposit. The service sees it on the chain by itself, and derives the swap from its latest block.
await payer.writeContract({
  address: tokenIn as Hex,
  abi: erc20Abi,
  functionName: 'transfer',
  args: [address, BigInt(AMOUNT_IN)],
});

// The swap: an approval and the call, checked, and executed by the treasury's wallet. The call is reported when it is
// signed, before it is sent. Run again after a crash, this waits for that call and sends no other.
const swap = { planId, request, corridor, router, wallet: treasury, node };
const executed = await executePlan(fairway, swap, { everyMs: 100 });
tell(executed);

// The payout: the custodian pays what `pay` says. Its reference settles one payout.
const { stepId = '', pay } = executed.next ?? {};
const report = { outcome: 'DONE', providerReference: `BANK-REF-${address}` } as const;
const paid = await fairway.payments.steps.report(planId, stepId, report);
tell(paid);
const [, swapped] = paid.money;
console.log(`swapped   ${swapped?.in} units of tAUD arrived at the custodian`);
console.log(`paid out  ${pay?.amount}, end-to-end id ${pay?.endToEndId}`);
for (const { asset, in: came, out, left } of paid.money)
  console.log(`money     ${asset.symbol}: in ${came}, out ${out}, left ${left}`);
if (paid.status !== 'COMPLETED') throw new Error('The payment did not complete');
