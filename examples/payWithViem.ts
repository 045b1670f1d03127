// Pays 1,000 USDC to an Australian bank account on the sandbox: the plan, the deposit, the swap, the payout.
//
//   npm start -- --ready-file ready.json            (in another terminal)
//   npm run example:payment -- ready.json
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPublicClient, createWalletClient, erc20Abi, http, keccak256 } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { anvil } from 'viem/chains';

type Ready = { url: string; username: string; password: string; chainId: number; rpcUrl: string };
type Sandbox = { accounts: { privateKey: `0x${string}` }[] };
type Corridor = { id: string; source: { token: `0x${string}` } };
type Next = {
  do: string;
  detail: string;
  stepId: string;
  attemptId?: string;
  calls?: { to: `0x${string}`; data: `0x${string}`; value: string }[];
  pay?: { amount: string; endToEndId: string };
};
type Plan = {
  planId: string;
  status: string;
  next?: Next;
  steps: { stepId: string; status: string }[];
  money: { asset: { symbol?: string }; in: string; out: string; left: string }[];
};

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

function tell({ status, steps, next }: Plan): void {
  const stands = steps.map((step) => step.status).join(', ');
  console.log(`${status}: ${stands}${next === undefined ? '' : `; ${next.detail}`}`);
}

/** Reads the plan until it asks for something. */
async function comesTo(what: 'EXECUTE' | 'PAY'): Promise<Plan> {
  for (;;) {
    const now = await ask<Plan>(`/v1/payments/${plan.planId}`);
    if (now.next?.do === what) return now;
    if (now.next === undefined || now.next.do === 'DECIDE')
      throw new Error(`The plan is ${now.status}: ${now.next?.detail}`);
    await sleep(100);
  }
}

/** Waits until a transaction is mined. */
async function succeeded(hash: `0x${string}`): Promise<void> {
  const { status } = await node.waitForTransactionReceipt({ hash });
  if (status !== 'success') throw new Error(`Transaction ${hash} was reverted`);
}

// The payer is an account of the sandbox. The treasury has a wallet of its own for each payment.
const { accounts } = await ask<Sandbox>('/v1/sandbox');
const corridors = await ask<Corridor[]>('/v1/markets/corridors');
const corridor = corridors.find(({ id }) => id === 'usdc-aud-bank');
if (accounts[0] === undefined || corridor === undefined) throw new Error('This is not the sandbox');
const chain = { ...anvil, id: ready.chainId };
const transport = http(ready.rpcUrl);
const node = createPublicClient({ chain, transport, pollingInterval: 100 });
const payer = createWalletClient({ account: privateKeyToAccount(accounts[0].privateKey), chain, transport });
const treasury = createWalletClient({ account: privateKeyToAccount(generatePrivateKey()), chain, transport });
const { address } = treasury.account;
await ask('/v1/sandbox/faucet', { address, native: true, amount: '1000000000000000000' });

// The plan. Its reference is unique for ever: sent again, the same request gives the same plan.
let plan = await ask<Plan>('/v1/payments', {
  clientReference: `EXAMPLE-${address}`,
  corridorId: corridor.id,
  amountIn: '1000000000',
  recipient: {
    type: 'bank',
    name: 'Jo Citizen',
    country: 'AU',
    account: { bsb: '062-000', accountNumber: '12345678' },
  },
  options: { mode: 'STANDARD', sender: address, depositAddress: address },
});
tell(plan);

// The deposit. The service sees it on the chain by itself, and derives the swap from its latest block.
const deposit = await payer.writeContract({
  address: corridor.source.token,
  abi: erc20Abi,
  functionName: 'transfer',
  args: [address, 1_000_000_000n],
});
await succeeded(deposit);
plan = await comesTo('EXECUTE');
tell(plan);

// The swap: an approval and the call, executed by the treasury's wallet. The call is signed and reported before it is
// sent. If this program stops then, the service gives out no other instructions while this call may be executed.
const reports = (stepId: string) => `/v1/payments/${plan.planId}/steps/${stepId}/reports`;
const { stepId: swapId = '', attemptId, calls = [] } = plan.next ?? {};
let txHash: `0x${string}` | undefined;
for (const [place, { to, data, value }] of calls.entries()) {
  const request = await treasury.prepareTransactionRequest({ to, data, value: BigInt(value) });
  const serializedTransaction = await treasury.signTransaction(request);
  txHash = keccak256(serializedTransaction);
  const told = { outcome: 'SUBMITTED', attemptId, txHash, sender: address, nonce: request.nonce };
  if (place === calls.length - 1) tell(await ask<Plan>(reports(swapId), told));
  await node.sendRawTransaction({ serializedTransaction });
  await succeeded(txHash);
}
await ask<Plan>(reports(swapId), { outcome: 'DONE', txHash });
plan = await comesTo('PAY');
tell(plan);

// The payout: the custodian pays what `pay` says. Its reference settles one payout.
const { stepId: payoutId = '', pay } = plan.next ?? {};
plan = await ask<Plan>(reports(payoutId), { outcome: 'DONE', providerReference: `BANK-REF-${address}` });
tell(plan);
const [, swapped] = plan.money;
console.log(`swapped   ${swapped?.in} units of tAUD arrived at the custodian`);
console.log(`paid out  ${pay?.amount}, end-to-end id ${pay?.endToEndId}`);
for (const { asset, in: came, out, left } of plan.money)
  console.log(`money     ${asset.symbol}: in ${came}, out ${out}, left ${left}`);
if (plan.status !== 'COMPLETED') throw new Error('The payment did not complete');
