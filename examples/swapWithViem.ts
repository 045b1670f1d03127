// Sells one ETH for USDC on the sandbox with viem, and checks that exactly the quoted amount arrived.
//
//   npm start -- --ready-file ready.json            (in another terminal)
//   npm run example:viem -- ready.json
import { readFileSync } from 'node:fs';
import { createFairway, limitOf } from '@fairway/sdk';
import { createSandbox } from '@fairway/sdk/sandbox';
import { executeSwap } from '@fairway/sdk/viem';
import { createPublicClient, createWalletClient, erc20Abi, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { anvil } from 'viem/chains';

type Ready = { url: string; username: string; password: string; chainId: number; rpcUrl: string };

const ready: Ready = JSON.parse(readFileSync(process.argv[2] ?? 'ready.json', 'utf8'));
const fairway = createFairway(ready);

// An account with funds, the token to buy, and the router that may be called. In production all three are your own.
const { accounts, tokens, routers } = await createSandbox(fairway.connection).get();
const usdc = tokens.find(({ symbol }) => symbol === 'USDC');
const router = routers['swapRouter02'];
if (accounts[0] === undefined || usdc === undefined || router === undefined)
  throw new Error('The sandbox has neither accounts nor USDC');
const account = privateKeyToAccount(accounts[0].privateKey as Hex);

const transport = http(ready.rpcUrl);
const chain = { ...anvil, id: ready.chainId };
const wallet = createWalletClient({ account, chain, transport });
const node = createPublicClient({ chain, transport, pollingInterval: 100 });
const balance = () =>
  node.readContract({
    address: usdc.address as Hex,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [account.address],
  });

// Look at a quote, and let its price become 1 % worse at most. The answer is checked before it is signed.
const trade = {
  chainId: ready.chainId,
  tokenIn: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
  tokenOut: usdc.address,
  tradeType: 'EXACT_IN',
  amount: '1000000000000000000',
} as const;
const limit = limitOf(await fairway.quotes.get(trade), 100);
const before = await balance();
const { quote } = await executeSwap(fairway, { trade, limit, router, wallet, node });
const received = (await balance()) - before;

console.log(`quoted    ${quote.amountOut} units of USDC for 1 ETH, at block ${quote.asOf.blockNumber}`);
console.log(`received  ${received}`);
if (received !== BigInt(quote.amountOut)) throw new Error('The swap did not pay what was quoted');
