// What payers, integrators and custodians do in a run on a real service. The seed alone chooses each act, which asks the
// service by its API.
import assert from 'node:assert/strict';
import { encodeFunctionData, erc20Abi } from 'viem';
import { swapTogether } from './batches.ts';
import { rememberAttempt } from './books.ts';
import type { Kept } from './keptTypes.ts';
import { askedOf, walletOf, WAYS } from './corridors.ts';
import { type NodeCall, transferOf } from './ground.ts';
import { HOLDS } from './holds.ts';
import { choose, CHOOSES, isDue, payOut, PAYOUTS } from './payouts.ts';
import { pathOf, say, stepPath } from './requests.ts';
import { ROUNDS } from './rounds.ts';
import { type Act, canForget, type Run } from './runTypes.ts';
import type { PlanAnswer } from '../../paymentsHarness.ts';

/** What every plan swaps. */
const AMOUNT_IN = 20_000_000n;
const DUST = AMOUNT_IN / 1_000n;
const MOST_PLANS = 4;

/** The acts of people, some of them more often. */
export const ACTS: readonly Act[] = [
  { name: 'another plan', act: makePlan, isPossible: ({ kept }) => kept.length < MOST_PLANS },
  { name: 'go on', act: goOn, isPossible: (run) => underWay(run).length > 0 },
  { name: 'go on', act: goOn, isPossible: (run) => underWay(run).length > 0 },
  { name: 'go on', act: goOn, isPossible: (run) => underWay(run).length > 0 },
  { name: 'go on', act: goOn, isPossible: (run) => underWay(run).length > 0 },
  { name: 'deposit', act: deposit },
  { name: 'deposit', act: deposit },
  { name: 'pay in', act: payIn },
  { name: 'pay in for all', act: payInForAll, isPossible: (run) => awaiting(run).length > 1 },
  { name: 'pay in for all', act: payInForAll, isPossible: (run) => awaiting(run).length > 1 },
  { name: 'execute', act: execute, isPossible: (run) => ready(run).length > 0 },
  { name: 'execute', act: execute, isPossible: (run) => ready(run).length > 0 },
  { name: 'execute in a batch', act: executeTogether, isPossible: (run) => ready(run).length > 1 },
  { name: 'execute in a batch', act: executeTogether, isPossible: (run) => ready(run).length > 1 },
  { name: 'execute again', act: executeAgain },
  { name: 'again', act: again },
  { name: 'cancel', act: cancel },
  ...PAYOUTS,
  ...ROUNDS,
  ...HOLDS,
  { name: 'refund', act: refund, isPossible: (run) => run.kept.some((one) => strayOf(run, one) > 0n) },
  { name: 'close', act: close, isPossible: (run) => closable(run).length > 0 },
];

const ready = ({ kept }: Run) => kept.filter(({ plan }) => plan.next?.why === 'SWAP_DUE');
const awaiting = ({ kept }: Run) =>
  kept.filter(({ plan }) => ['DEPOSIT_MISSING', 'DEPOSIT_PARTIAL'].includes(plan.next?.why ?? ''));
const ASKED = ['DEPOSIT_MISSING', 'DEPOSIT_PARTIAL', 'SWAP_DUE', ...CHOOSES];
const underWay = ({ kept }: Run) =>
  kept.filter((one) => ASKED.includes(one.plan.next?.why ?? '') || isDue(one));
const closable = ({ kept }: Run) =>
  kept.filter(({ plan }) => !['COMPLETED', 'RETURNED', 'ENDED'].includes(plan.status));

/** What came in a token that nobody asked for, and is still there. */
function strayOf({ ground }: Run, { plan }: Kept): bigint {
  const usdt = ground.token('USDT').toLowerCase();
  const stray = plan.funds?.find(({ asset }) => 'address' in asset && asset.address.toLowerCase() === usdt);
  const there = stray?.unallocated.filter(({ direction }) => direction === 'IN') ?? [];
  return there.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

/** Makes a plan, and answers what it pays to. */
export async function makePlan(run: Run): Promise<string> {
  const { kept, name, random } = run;
  run.made += 1;
  const number = run.made;
  const own = (BigInt(random.seed) * 1_000n + BigInt(number)).toString(16).padStart(12, '0');
  // An address that a plan no longer needs may be the next plan's.
  const former = random.integer(0, 1) === 0 ? undefined : kept.find((one) => isAddressFree(kept, one));
  const address = former?.address ?? `0x${own}`.padEnd(42, 'd');
  const head = Number(await run.ground.chain.rpc('eth_blockNumber'));
  const way = random.pick(WAYS);
  const wallet = random.pick([walletOf(own), walletOf(own), ...walletsOf(run)]);
  const { corridorId, mode, recipient } = askedOf(way, run.ground.chain, own, wallet);
  const asked = {
    clientReference: `${name}-${number}`,
    corridorId,
    amountIn: String(AMOUNT_IN),
    recipient,
    options: { mode, depositAddress: address, slippageBps: 500 },
  };
  const isToWallet = way === 'wallet' || way === 'transfer';
  await keepPlan(run, { asked, way, own, address, wallet: isToWallet ? wallet : undefined, from: head + 1 });
  const more = former === undefined ? '' : ' at the address of an earlier plan';
  return `to ${way}${more}${isToWallet && wallet !== walletOf(own) ? ' that an earlier plan pays' : ''}`;
}

/**
 * The wallets of other plans. While the database may be restored, a payment to one of them may stay reported for another plan.
 */
function walletsOf(run: Run): readonly string[] {
  return canForget(run) ? [] : run.kept.flatMap(({ wallet }) => wallet ?? []);
}

/** Asks for a plan, and keeps what is known of it. */
export async function keepPlan(
  run: Run,
  known: Pick<Kept, 'asked' | 'way' | 'own' | 'address' | 'wallet' | 'from'>,
): Promise<Kept> {
  const answer = await say(run, '/v1/payments', known.asked);
  assert.equal(answer.status, 200, answer.text);
  const lists = { attempts: [], payouts: [], paid: [], deducted: [], returned: [], refunds: [], older: [] };
  const not = { isShort: false, isChosen: false };
  const one: Kept = { ...known, plan: answer.body, sent: new Map(), turn: 0, ...lists, ...not };
  rememberAttempt(one);
  run.kept.push(one);
  return one;
}

/**
 * Whether another plan can have an address now. The plan that had it last must be over for good. A reorganisation can take
 * back a payment to a wallet, and then its plan needs the address again.
 */
function isAddressFree(kept: readonly Kept[], { address }: Kept): boolean {
  const last = kept.findLast((one) => one.address === address);
  if (last === undefined) return false;
  const isPaid = ['COMPLETED', 'RETURNED'].includes(last.plan.status) && last.wallet === undefined;
  return last.ended !== undefined || isPaid;
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

/** Pays what is missing of the deposits of all plans, in one block. */
async function payInForAll(run: Run): Promise<void> {
  const usdc = run.ground.token('USDC');
  const deposits = awaiting(run).map((one) => transferOf(usdc, run.payer, one.address, missingOf(one, usdc)));
  await run.ground.batch(deposits);
}

/** Does for a plan what it asks for. */
async function goOn(run: Run): Promise<string> {
  const one = run.random.pick(underWay(run));
  const { plan, address } = one;
  const { why } = plan.next ?? {};
  const usdc = run.ground.token('USDC');
  if (why === 'DEPOSIT_MISSING' || why === 'DEPOSIT_PARTIAL')
    await run.pay(usdc, address, missingOf(one, usdc));
  if (why === 'SWAP_DUE') await send(run, one, one.attempts.length - 1);
  if (CHOOSES.includes(why ?? '')) await choose(run, one);
  if (isDue(one)) await payOut(run, one);
  return `with ${why}`;
}

function missingOf({ plan }: Kept, usdc: string): bigint {
  const isUsdc = (address: string) => address.toLowerCase() === usdc.toLowerCase();
  const funds = plan.funds?.find(({ asset }) => 'address' in asset && isUsdc(asset.address));
  return AMOUNT_IN - BigInt(funds?.received ?? 0);
}

/** Executes the instructions that a plan asks to execute. */
async function execute(run: Run): Promise<void> {
  const one = run.random.pick(ready(run));
  await send(run, one, one.attempts.length - 1);
}

/** Executes the instructions of all plans that ask for it, in one transaction. */
async function executeTogether(run: Run): Promise<void> {
  await swapTogether(run, ready(run), AMOUNT_IN);
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

/** Asks for instructions once more. A plan that has none to give would do something else. */
async function again(run: Run): Promise<void> {
  const one = run.random.pick(run.kept);
  const due = one.plan.steps.find(({ status }) => status !== 'DONE');
  if (due?.type !== 'EXECUTE_SWAP') return;
  const { status, body } = await say(run, pathOf(one, 'again'), {});
  if (status !== 200) return;
  one.plan = body;
  rememberAttempt(one);
}

/** Ends a plan without a reason: only one whose money has not moved. One that has ended stays as it is. */
async function cancel(run: Run): Promise<void> {
  const one = run.random.pick(run.kept);
  const { steps } = one.plan;
  const isMoved =
    steps[0]?.status !== 'PENDING' ||
    steps.some(({ evidence }) => evidence !== undefined && evidence.status !== 'LOST');
  const { status, text } = await endAt(run, one, {});
  // Where money has come since, a plan that is over asks for a reason.
  const statuses = { CANCELLED: [200, 400], CLOSED: [400, 409], open: isMoved ? [400, 409] : [200] };
  assert.ok(statuses[one.ended ?? 'open'].includes(status), `${status}: ${text}`);
  if (status === 200) one.ended = 'CANCELLED';
}

/** Ends a plan at the revision that it has now. */
async function endAt(run: Run, one: Kept, request: object): Promise<PlanAnswer> {
  const [client] = run.ground.clients();
  assert.ok(client !== undefined);
  const { revision } = await client.get(one.plan.planId);
  return say(run, pathOf(one, 'end'), request, `"${revision}"`);
}

/** Unexpected money goes back to the payer, in the token that it came in. */
async function refund(run: Run): Promise<void> {
  const one = run.random.pick(run.kept.filter((each) => strayOf(run, each) > 0n));
  const [units, address] = [strayOf(run, one), run.ground.token('USDT')];
  const providerReference = `${one.plan.clientReference} B${one.refunds.length}`;
  const asset = { chainId: run.ground.chain.chainId, address };
  const answer = await say(run, pathOf(one, 'refunds'), { amount: String(units), asset, providerReference });
  assert.equal(answer.status, 200, answer.text);
  one.refunds.push({ token: address.toLowerCase(), amount: units, isPayers: true, known: [] });
}

async function close(run: Run): Promise<void> {
  const one = run.random.pick(closable(run));
  await closeNow(run, one);
}

/** Ends a plan; all that is left counts as known then. One that has ended already stays as it is. */
export async function closeNow(run: Run, one: Kept): Promise<void> {
  const told = { reason: 'OTHER', note: `at ${one.plan.revision}`, force: true };
  let answer = await endAt(run, one, told);
  // Native currency may be found between the reading and the request, once.
  if (answer.status === 412) answer = await endAt(run, one, told);
  if (answer.problem.code === 'step-not-ready') return;
  assert.equal(answer.status, 200, answer.text);
  one.plan = answer.body;
  if (answer.body.status === 'ENDED') one.ended ??= 'CLOSED';
}
