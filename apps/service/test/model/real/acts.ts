// What payers, integrators and custodians do, in a run on a real service: each act is chosen by the seed alone, and asks
// the service by its API.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeFunctionData, erc20Abi } from 'viem';
import { AUSTRALIAN, type PlanAnswer, stepOf } from '../../paymentsHarness.ts';
import { expectedNow, type Kept, rememberAttempt } from './books.ts';
import { type NodeCall, PATIENCE_MS, transferOf } from './ground.ts';
import type { Act, Run } from './runTypes.ts';

/** What every plan swaps. */
const AMOUNT_IN = 20_000_000n;
const DUST = AMOUNT_IN / 1_000n;
const MOST_PLANS = 3;

/** The acts of people, some of them more often. */
export const ACTS: readonly Act[] = [
  { name: 'another plan', act: makePlan, isPossible: ({ kept }) => kept.length < MOST_PLANS },
  { name: 'deposit', act: deposit },
  { name: 'deposit', act: deposit },
  { name: 'pay in', act: payIn },
  { name: 'execute', act: execute, isPossible: (run) => ready(run).length > 0 },
  { name: 'execute', act: execute, isPossible: (run) => ready(run).length > 0 },
  { name: 'execute again', act: executeAgain },
  { name: 'refresh', act: refresh },
  { name: 'cancel', act: cancel },
  { name: 'pay out', act: payOut, isPossible: (run) => due(run).length > 0 },
  { name: 'pay out', act: payOut, isPossible: (run) => due(run).length > 0 },
  { name: 'pay a part', act: payPart, isPossible: (run) => due(run).length > 0 },
  { name: 'return', act: giveBack, isPossible: (run) => withStatus(run, 'COMPLETED').length > 0 },
  { name: 'pay again', act: payAgain, isPossible: (run) => withStatus(run, 'RETURNED').length > 0 },
  { name: 'refund', act: refund, isPossible: (run) => run.kept.some((one) => strayOf(run, one) > 0n) },
  { name: 'close', act: close, isPossible: (run) => closable(run).length > 0 },
];

const ready = ({ kept }: Run) => kept.filter(({ plan }) => plan.nextAction?.what === 'EXECUTE_INSTRUCTIONS');
const due = ({ kept }: Run) =>
  kept.filter(({ plan }) => ['PAY_OUT', 'REVIEW_PAYOUT'].includes(plan.nextAction?.what ?? ''));
const withStatus = ({ kept }: Run, status: string) => kept.filter(({ plan }) => plan.status === status);
const closable = ({ kept }: Run) =>
  kept.filter(({ plan }) => !['COMPLETED', 'RETURNED', 'CANCELLED', 'CLOSED'].includes(plan.status));

/** What came in a token that nobody asked for, and is still there. */
function strayOf({ ground }: Run, { plan }: Kept): bigint {
  const usdt = ground.token('USDT').toLowerCase();
  const stray = plan.funds.find(({ asset }) => 'address' in asset && asset.address.toLowerCase() === usdt);
  const there = stray?.unallocated.filter(({ direction }) => direction === 'IN') ?? [];
  return there.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

/** Asks one of the services; while it catches up with the chain, again. */
async function say(run: Run, path: string, body: unknown): Promise<PlanAnswer> {
  const client = run.random.pick(run.ground.clients());
  for (const untilMs = performance.now() + PATIENCE_MS; ; await sleep(60)) {
    const answer = await client.ask(path, body);
    if (answer.status !== 503 || performance.now() > untilMs) return answer;
  }
}

const pathOf = ({ plan }: Kept, deed: string) => `/v1/payments/${plan.planId}/${deed}`;
const stepPath = (one: Kept, type: Parameters<typeof stepOf>[1], deed: string) =>
  pathOf(one, `steps/${stepOf(one.plan, type).stepId}/${deed}`);

/** Makes a plan at an address of its own. */
export async function makePlan(run: Run): Promise<void> {
  const { kept, name, random } = run;
  const number = kept.length + 1;
  const address =
    `0x${(BigInt(random.seed) * 1_000n + BigInt(number)).toString(16).padStart(12, '0')}`.padEnd(42, 'd');
  const answer = await say(run, '/v1/payments', {
    clientReference: `${name}-${number}`,
    corridorId: 'usdc-aud-bank',
    amountIn: String(AMOUNT_IN),
    recipient: AUSTRALIAN,
    options: { mode: 'STANDARD', depositAddress: address, slippageBps: 500 },
  });
  assert.equal(answer.status, 200, answer.text);
  const plain = { paid: [], deducted: [], returned: [], refunds: [], begun: { paid: 0, returned: 0 } };
  const one: Kept = { plan: answer.body, address, attempts: [], sent: new Map(), ...plain, isShort: false };
  rememberAttempt(one);
  kept.push(one);
}

/** Up to four transfers in one block: parts, dust, too much, other tokens, native currency, and to oneself. */
async function deposit({ ground, random, kept, payer }: Run): Promise<void> {
  const calls = Array.from({ length: random.integer(1, 4) }, (): NodeCall => {
    const { address } = random.pick(kept);
    const amount = random.pick([1n, DUST - 1n, DUST, AMOUNT_IN / 2n, AMOUNT_IN / 2n, AMOUNT_IN + 3n]);
    const usdc = ground.token('USDC');
    switch (random.integer(1, 7)) {
      case 1:
        return transferOf(ground.token('USDT'), payer, address, amount);
      case 2:
        return transferOf(usdc, address, address, 1n);
      case 3:
        return { from: payer, to: address, value: '0x5' };
      default:
        return transferOf(usdc, payer, address, amount);
    }
  });
  await ground.batch(calls);
}

/** Exactly the whole amount for one plan. */
async function payIn({ ground, random, kept, payer }: Run): Promise<void> {
  const { address } = random.pick(kept);
  await ground.batch([transferOf(ground.token('USDC'), payer, address, AMOUNT_IN)]);
}

/** Executes the instructions that a plan asks to execute. */
async function execute(run: Run): Promise<void> {
  const one = run.random.pick(ready(run));
  await send(run, one, one.attempts.length - 1);
}

/** Executes instructions late or twice, whatever the plan says, if the wallet has the money. */
async function executeAgain(run: Run): Promise<void> {
  const one = run.random.pick(run.kept);
  if (one.attempts.length > 0) await send(run, one, run.random.integer(0, one.attempts.length - 1));
}

async function send({ ground, random }: Run, one: Kept, place: number): Promise<void> {
  const attempt = one.attempts[place];
  if (attempt === undefined) return;
  const { to, data, key } = attempt;
  const args = [to as `0x${string}`, 2n * AMOUNT_IN] as const;
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args });
  const from = one.address;
  const swap = { from, to, data };
  const [, ...hashes] = await ground.batch([
    { from, to: ground.token('USDC'), data: approve },
    ...(random.integer(1, 4) === 1 ? [swap, swap] : [swap]),
  ]);
  for (const hash of hashes) one.sent.set(hash, key);
  const newest = hashes[0];
  if (newest === undefined || random.integer(0, 1) === 0) return;
  // Half of them are reported; the others are found.
  const [client] = ground.clients();
  await client?.ask(stepPath(one, 'EXECUTE_SWAP', 'reports'), { outcome: 'DONE', txHash: newest });
}

async function refresh(run: Run): Promise<void> {
  const one = run.random.pick(run.kept);
  const { status, body } = await say(run, stepPath(one, 'EXECUTE_SWAP', 'refresh'), {});
  if (status !== 200) return;
  one.plan = body;
  rememberAttempt(one);
}

async function cancel(run: Run): Promise<void> {
  const one = run.random.pick(run.kept);
  const { cancelable } = one.plan;
  const { status, text } = await say(run, pathOf(one, 'cancel'), {});
  assert.equal(status, cancelable ? 200 : one.ended === 'CANCELLED' ? 200 : 409, text);
  if (cancelable) one.ended = 'CANCELLED';
}

async function leftOf({ ground, kept, fromBlock }: Run, one: Kept): Promise<bigint> {
  const expected = await expectedNow(ground, kept, fromBlock);
  return expected.get(one.plan.planId)?.funds.get(ground.token('tAUD').toLowerCase())?.outstanding ?? 0n;
}

const countOf = ({ paid, returned, refunds }: Kept) => paid.length + returned.length + refunds.length;

async function report(run: Run, one: Kept, told: object): Promise<PlanAnswer> {
  const answer = await say(run, stepPath(one, 'CUSTODIAN_PAYOUT', 'reports'), told);
  assert.equal(answer.status, 200, `${JSON.stringify(told)}: ${answer.text}`);
  one.plan = answer.body;
  return answer;
}

/** The custodian pays all that is due. */
async function payOut(run: Run): Promise<void> {
  const one = run.random.pick(due(run));
  const left = await leftOf(run, one);
  const providerReference = `${one.plan.clientReference} P${countOf(one)}`;
  const amount = one.isShort ? { amount: String(left) } : {};
  await report(run, one, { outcome: 'DONE', providerReference, ...amount });
  one.paid.push(left);
  one.isShort = false;
}

/** The custodian pays a part; what is missing is explained, or has to be. */
async function payPart(run: Run): Promise<void> {
  const one = run.random.pick(due(run));
  const left = await leftOf(run, one);
  const amount = left / BigInt(run.random.integer(2, 5));
  if (amount === 0n) return;
  const { chainId } = run.ground.chain;
  const isExplained = run.random.integer(0, 1) === 0;
  const missing = { amount: String(left - amount), asset: { chainId, address: run.ground.token('tAUD') } };
  const deductions = isExplained ? { deductions: [{ ...missing, reason: 'a fee' }] } : {};
  const providerReference = `${one.plan.clientReference} P${countOf(one)}`;
  const told = { outcome: 'DONE', providerReference, amount: String(amount), ...deductions };
  const { body } = await report(run, one, told);
  one.paid.push(amount);
  if (isExplained) one.deducted.push(left - amount);
  one.isShort = !isExplained;
  if (one.isShort) assert.equal(body.nextAction?.what, 'REVIEW_PAYOUT');
}

/** Some of what was paid last comes back. */
async function giveBack(run: Run): Promise<void> {
  const one = run.random.pick(withStatus(run, 'COMPLETED'));
  const last = one.paid.at(-1) ?? 0n;
  const units = last / BigInt(run.random.integer(1, 3));
  if (units === 0n) return;
  const providerReference = `${one.plan.clientReference} R${countOf(one)}`;
  await report(run, one, { outcome: 'RETURNED', providerReference, amount: String(units) });
  one.returned.push(units);
}

async function payAgain(run: Run): Promise<void> {
  const one = run.random.pick(withStatus(run, 'RETURNED'));
  const { status } = await say(run, stepPath(one, 'CUSTODIAN_PAYOUT', 'retry'), {});
  if (status === 200) one.begun = { paid: one.paid.length, returned: one.returned.length };
}

/** What nobody asked for goes back to the payer, in the token that it came in. */
async function refund(run: Run): Promise<void> {
  const one = run.random.pick(run.kept.filter((each) => strayOf(run, each) > 0n));
  const [units, address] = [strayOf(run, one), run.ground.token('USDT')];
  const providerReference = `${one.plan.clientReference} B${countOf(one)}`;
  const asset = { chainId: run.ground.chain.chainId, address };
  const answer = await say(run, pathOf(one, 'refunds'), { amount: String(units), asset, providerReference });
  assert.equal(answer.status, 200, answer.text);
  one.refunds.push({ token: address.toLowerCase(), amount: units, isPayers: true });
}

async function close(run: Run): Promise<void> {
  const one = run.random.pick(closable(run));
  await closeNow(run, one);
}

/** Closes a plan with exactly the money that is left, which the refusal of a wrong list names. */
export async function closeNow(run: Run, one: Kept): Promise<void> {
  const path = pathOf(one, 'close');
  const told = { reason: 'OTHER', note: `at ${one.plan.revision}`, force: true };
  const wrong = [
    { amount: '1', asset: { chainId: run.ground.chain.chainId, address: run.ground.token('WETH') } },
  ];
  const refused = await say(run, path, { ...told, acknowledge: wrong });
  if (refused.problem.code === 'step-not-ready') return;
  assert.deepEqual([refused.status, refused.problem.code], [409, 'acknowledgement-mismatch'], refused.text);
  const { acknowledge } = refused.json as { acknowledge: unknown };
  const answer = await say(run, path, { ...told, acknowledge });
  assert.equal(answer.status, 200, answer.text);
  one.plan = answer.body;
  if (answer.body.status === 'CLOSED') one.ended = 'CLOSED';
}
