// Buys exactly 1,000 USDC with WBTC on the sandbox with ethers: approval first, then the swap.
//
//   npm start -- --ready-file ready.json            (in another terminal)
//   npm run example:ethers -- ready.json
import { readFileSync } from 'node:fs';
import { createFairway, limitOf } from '@fairway/sdk';
import { executeSwap } from '@fairway/sdk/ethers';
import { createSandbox } from '@fairway/sdk/sandbox';
import { Contract, JsonRpcProvider, NonceManager, Wallet } from 'ethers';

type Ready = { url: string; username: string; password: string; chainId: number; rpcUrl: string };

const ready: Ready = JSON.parse(readFileSync(process.argv[2] ?? 'ready.json', 'utf8'));
const fairway = createFairway(ready);

// An account with funds, the tokens, and the router that may be called. In production all of these are your own.
const { accounts, tokens, routers } = await createSandbox(fairway.connection).get();
const buyer = accounts[1];
const usdc = tokens.find(({ symbol }) => symbol === 'USDC')?.address;
const wbtc = tokens.find(({ symbol }) => symbol === 'WBTC')?.address;
const router = routers['swapRouter02'];
if (buyer === undefined || usdc === undefined || wbtc === undefined || router === undefined)
  throw new Error('The sandbox lacks what this needs');

const provider = new JsonRpcProvider(ready.rpcUrl, ready.chainId, { staticNetwork: true });
const signer = new NonceManager(new Wallet(buyer.privateKey, provider));
const ERC20 = ['function balanceOf(address) view returns (uint256)'];
const balanceOf = (token: string): Promise<bigint> =>
  new Contract(token, ERC20, provider).getFunction('balanceOf')(buyer.address);

// Look at a quote, and let its price become 1 % worse at most. The answer is checked before it is signed.
const trade = {
  chainId: ready.chainId,
  tokenIn: wbtc,
  tokenOut: usdc,
  tradeType: 'EXACT_OUT',
  amount: '1000000000',
} as const;
const limit = limitOf(await fairway.quotes.get(trade), 100);
const before = { usdc: await balanceOf(usdc), wbtc: await balanceOf(wbtc) };
const { quote, txHashes } = await executeSwap(fairway, { trade, limit, router, signer });
const received = (await balanceOf(usdc)) - before.usdc;
const spent = before.wbtc - (await balanceOf(wbtc));
provider.destroy();

console.log(`quoted    ${quote.amountIn} units of WBTC for 1,000 USDC, at block ${quote.asOf.blockNumber}`);
console.log(`spent     ${spent}, in ${txHashes.length} transactions`);
console.log(`received  ${received} units of USDC`);
// Over a V2 pair the recipient gets slightly more than asked; the quote says by how much.
const expected = BigInt(quote.amountOut) + BigInt(quote.route?.surplus ?? 0);
if (received !== expected || spent !== BigInt(quote.amountIn))
  throw new Error('The swap differs from its quote');
