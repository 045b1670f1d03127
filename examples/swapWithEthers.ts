// Buys exactly 1,000 USDC with WBTC on the sandbox with ethers: approval first, then the swap.
//
//   npm start -- --ready-file ready.json            (in another terminal)
//   npm run example:ethers -- ready.json
import { readFileSync } from 'node:fs';
import { Contract, JsonRpcProvider, NonceManager, Wallet } from 'ethers';

type Sandbox = {
  accounts: { address: string; privateKey: string }[];
  tokens: { symbol: string; address: string }[];
};
type Quote = {
  amountIn: string;
  amountOut: string;
  asOf: { blockNumber: number };
  route: { surplus?: string };
};
type SwapPlan = { quote: Quote; instructions: { to: string; data: string; value: string }[] };

const ready = JSON.parse(readFileSync(process.argv[2] ?? 'ready.json', 'utf8'));
const authorization = `Basic ${btoa(`${ready.username}:${ready.password}`)}`;

async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${ready.url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`The service refused: ${await response.text()}`);
  return (await response.json()) as Answer;
}

const { accounts, tokens } = await ask<Sandbox>('/v1/sandbox');
const buyer = accounts[1];
const usdc = tokens.find(({ symbol }) => symbol === 'USDC')?.address;
const wbtc = tokens.find(({ symbol }) => symbol === 'WBTC')?.address;
if (buyer === undefined || usdc === undefined || wbtc === undefined)
  throw new Error('The sandbox lacks what this needs');

const provider = new JsonRpcProvider(ready.rpcUrl, ready.chainId, { staticNetwork: true });
const wallet = new NonceManager(new Wallet(buyer.privateKey, provider));
const ERC20 = ['function balanceOf(address) view returns (uint256)'];
const balanceOf = (token: string): Promise<bigint> =>
  new Contract(token, ERC20, provider).getFunction('balanceOf')(buyer.address);

const { quote, instructions } = await ask<SwapPlan>('/v1/swap', {
  chainId: ready.chainId,
  tokenIn: wbtc,
  tokenOut: usdc,
  tradeType: 'EXACT_OUT',
  amount: '1000000000',
  slippageBps: 50,
  sender: buyer.address,
});
const before = { usdc: await balanceOf(usdc), wbtc: await balanceOf(wbtc) };
for (const { to, data, value } of instructions) {
  const transaction = await wallet.sendTransaction({ to, data, value: BigInt(value) });
  await transaction.wait();
}
const received = (await balanceOf(usdc)) - before.usdc;
const spent = before.wbtc - (await balanceOf(wbtc));
provider.destroy();

console.log(`quoted    ${quote.amountIn} units of WBTC for 1,000 USDC, at block ${quote.asOf.blockNumber}`);
console.log(`spent     ${spent}, in ${instructions.length} transactions`);
console.log(`received  ${received} units of USDC`);
// Over a V2 pair the recipient gets slightly more than asked; the quote says by how much.
const expected = BigInt(quote.amountOut) + BigInt(quote.route.surplus ?? 0);
if (received !== expected || spent !== BigInt(quote.amountIn))
  throw new Error('The swap differs from its quote');
