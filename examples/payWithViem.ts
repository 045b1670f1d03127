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
type Step = {
  stepId: string;
  status: string;
  attemptId?: string;
  instructions?: { to: `0x${string}`; data: `0x${string}`; value: string }[];
  evidence?: { amount: string };
  custodianAction?: { asset: { amount: string }; endToEndId: string };
};
type Plan = {
  planId: string;
  status: string;
  nextAction?: { what: string; detail: string };
  steps: [Step, Step, Step];
  funds: { asset: { address?: string }; received: string; paidOut: string; outstanding: string }[];
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

function tell({ status, steps, nextAction }: Plan): void {
  const stands = steps.map((step) => step.status).join(', ');
  console.log(`${status}: ${stands}${nextAction === undefined ? '' : `; ${nextAction.detail}`}`);
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
while (plan.nextAction?.what !== 'EXECUTE_INSTRUCTIONS') {
  if (plan.nextAction === undefined) throw new Error(`The plan ended: ${plan.status}`);
  await sleep(100);
  plan = await ask<Plan>(`/v1/payments/${plan.planId}`);
}
tell(plan);

// The swap: an approval and the call, executed by the treasury's wallet. The call is signed and reported before it is
// sent. If this program stops then, the service gives out no other instructions while this call may be executed.
const [, swap, payout] = plan.steps;
const reports = (step: Step) => `/v1/payments/${plan.planId}/steps/${step.stepId}/reports`;
const calls = swap.instructions ?? [];
let txHash: `0x${string}` | undefined;
for (const [place, { to, data, value }] of calls.entries()) {
  const request = await treasury.prepareTransactionRequest({ to, data, value: BigInt(value) });
  const serializedTransaction = await treasury.signTransaction(request);
  txHash = keccak256(serializedTransaction);
  const { attemptId } = swap;
  const told = { outcome: 'SUBMITTED', attemptId, txHash, sender: address, nonce: request.nonce };
  if (place === calls.length - 1) tell(await ask<Plan>(reports(swap), told));
  await node.sendRawTransaction({ serializedTransaction });
  await succeeded(txHash);
}
plan = await ask<Plan>(reports(swap), { outcome: 'DONE', txHash });
tell(plan);

// The payout, which the custodian makes, and its reference, which settles one payout.
const providerReference = `BANK-REF-${address}`;
plan = await ask<Plan>(reports(payout), { outcome: 'DONE', providerReference });
tell(plan);
const [, executed, paid] = plan.steps;
console.log(`swapped   ${executed.evidence?.amount} units of tAUD arrived at the custodian`);
console.log(
  `paid out  ${paid.custodianAction?.asset.amount}, end-to-end id ${paid.custodianAction?.endToEndId}`,
);
for (const { asset, received, paidOut, outstanding } of plan.funds)
  console.log(`funds     ${asset.address}: received ${received}, paid out ${paidOut}, left ${outstanding}`);
if (plan.status !== 'COMPLETED') throw new Error('The payment did not complete');
