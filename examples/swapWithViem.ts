// Sells one ETH for USDC on the sandbox with viem, and checks that exactly the quoted amount arrived.
//
//   npm start -- --ready-file ready.json            (in another terminal)
//   npm run example:viem -- ready.json
import { readFileSync } from 'node:fs';
import { createPublicClient, createWalletClient, erc20Abi, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { anvil } from 'viem/chains';

type Ready = { url: string; username: string; password: string; chainId: number; rpcUrl: string };
type Sandbox = {
  accounts: { address: `0x${string}`; privateKey: `0x${string}` }[];
  tokens: { symbol: string; address: `0x${string}` }[];
};
type Quote = {
  amountIn: string;
  amountOut: string;
  asOf: { blockNumber: number };
  route: { surplus?: string };
};
type SwapPlan = { quote: Quote; instructions: { to: `0x${string}`; data: `0x${string}`; value: string }[] };

const ready: Ready = JSON.parse(readFileSync(process.argv[2] ?? 'ready.json', 'utf8'));
const authorization = `Basic ${Buffer.from(`${ready.username}:${ready.password}`).toString('base64')}`;

async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${ready.url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`The service refused: ${await response.text()}`);
  return (await response.json()) as Answer;
}

// An account with funds, and the token to buy.
const { accounts, tokens } = await ask<Sandbox>('/v1/sandbox');
const usdc = tokens.find(({ symbol }) => symbol === 'USDC');
if (accounts[0] === undefined || usdc === undefined)
  throw new Error('The sandbox has neither accounts nor USDC');
const account = privateKeyToAccount(accounts[0].privateKey);

const transport = http(ready.rpcUrl);
const chain = { ...anvil, id: ready.chainId };
const wallet = createWalletClient({ account, chain, transport });
const node = createPublicClient({ chain, transport, pollingInterval: 100 });
const balance = () =>
  node.readContract({
    address: usdc.address,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [account.address],
  });

// Ask for the swap, and execute what comes back, in order.
const { quote, instructions } = await ask<SwapPlan>('/v1/swap', {
  chainId: ready.chainId,
  tokenIn: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
  tokenOut: usdc.address,
  tradeType: 'EXACT_IN',
  amount: '1000000000000000000',
  slippageBps: 50,
  sender: account.address,
});
const before = await balance();
for (const { to, data, value } of instructions) {
  const hash = await wallet.sendTransaction({ to, data, value: BigInt(value) });
  const receipt = await node.waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error(`Transaction ${hash} was reverted`);
}
const received = (await balance()) - before;

console.log(`quoted    ${quote.amountOut} units of USDC for 1 ETH, at block ${quote.asOf.blockNumber}`);
console.log(`received  ${received}`);
if (received !== BigInt(quote.amountOut)) throw new Error('The swap did not pay what was quoted');
