// What becomes of payments afterwards: they fail or come back, and the same recipient or another account is paid again.
import assert from 'node:assert/strict';
import { AUSTRALIAN, stepOf } from '../../paymentsHarness.ts';
import type { Kept } from './keptTypes.ts';
import { standingOf } from './chainNow.ts';
import { SETTLEMENT, targetOf, walletOf } from './corridors.ts';
import { transferOf } from './ground.ts';
import { due, isBegun, isGone, reference, report } from './payouts.ts';
import { pathOf, say } from './requests.ts';
import { canForget, type Act, type Run } from './runTypes.ts';

/** The acts by which a payment is tried again. */
export const ROUNDS: readonly Act[] = [
  { name: 'return', act: giveBack, isPossible: (run) => paid(run).length > 0 },
  { name: 'fail', act: fail, isPossible: (run) => failing(run).length > 0 },
  { name: 'pay again', act: payAgain, isPossible: (run) => unpaid(run).length > 0 },
  { name: 'pay again', act: payAgain, isPossible: (run) => unpaid(run).length > 0 },
];

// A restored database does not know what was reported, and would take the next payment to a wallet for a repeated one.
export const isTellable = (run: Run, { way }: Kept): boolean => way === 'bank' || !canForget(run);
const paid = (run: Run) => run.kept.filter((one) => one.plan.status === 'COMPLETED' && isTellable(run, one));
const failing = (run: Run) =>
  due(run).filter(
    (one) => !isGone(one) && (one.wallet === undefined || !isBegun(one)) && isTellable(run, one),
  );
const unpaid = (run: Run) =>
  run.kept.filter((one) => (one.plan.status === 'RETURNED' || isFailed(one)) && isTellable(run, one));
const isFailed = ({ plan, failedSwap }: Kept) =>
  plan.steps.some(({ status }) => status === 'FAILED') && failedSwap !== undefined;

/** Some of what was paid last comes back; a wallet sends it back. */
async function giveBack(run: Run): Promise<void> {
  const { ground, random } = run;
  const one = random.pick(paid(run));
  const token = ground.token(targetOf(one.way));
  // A payment that the chain has lost by now was not made, and does not come back.
  const standing = await standingOf(ground, token.toLowerCase(), one);
  const all = one.wallet === undefined ? one.paid : standing;
  const last = all.findLast(({ turn }) => turn === one.turn)?.amount ?? 0n;
  const units = last / BigInt(random.integer(1, 3));
  if (units === 0n) return;
  if (one.wallet !== undefined) await ground.batch([transferOf(token, one.wallet, SETTLEMENT, units)]);
  await report(run, one, 'RETURNED', { providerReference: reference(one, 'R'), amount: String(units) });
  one.returned.push({ amount: units, turn: one.turn });
  for (const sent of standing) if (sent.turn === one.turn) sent.isBack = true;
}

/** The custodian could not pay: an e-mailed recipient is asked again by itself. */
async function fail(run: Run): Promise<string> {
  const one = run.random.pick(failing(run));
  await failNow(run, one);
  return `the payment to ${one.way}`;
}

/** A payment fails. `name` is the reference of the failure; the reference of an earlier failure would repeat that one. */
export async function failNow(
  run: Run,
  one: Kept,
  name: string = `${reference(one, 'F')}-${one.plan.revision}`,
): Promise<void> {
  const code = run.random.pick(['ACCOUNT_CLOSED', 'NAME_MISMATCH', 'OTHER']);
  await report(run, one, 'FAILED', { providerReference: name, failure: { code } });
  if (one.way === 'email') one.wallet = undefined;
  else one.failedSwap = stepOf(one.plan, 'EXECUTE_SWAP').evidence;
}

/** Has the same recipient paid again, or another account; an e-mailed recipient is asked again. */
async function payAgain(run: Run): Promise<string> {
  const one = run.random.pick(unpaid(run));
  if (one.way === 'email') {
    if (await isBegunAgain(run, pathOf(one, 'again'), {}, one)) one.wallet = undefined;
    return 'by another link';
  }
  if (run.random.integer(0, 1) === 0) {
    await isBegunAgain(run, pathOf(one, 'again'), {}, one);
    return `to the same ${one.way}`;
  }
  run.made += 1;
  const wallet = walletOf(`${one.own}${run.made.toString(16).padStart(2, '0')}`);
  const { chainId } = run.ground.chain;
  const account = {
    ...AUSTRALIAN,
    account: { bsb: '062-000', accountNumber: String(10_000_000 + run.made) },
  };
  const recipient = one.way === 'bank' ? account : { type: 'wallet', chainId, address: wallet };
  const isBegun = await isBegunAgain(run, pathOf(one, 'again'), { recipient }, one);
  if (isBegun && one.way !== 'bank') one.wallet = wallet;
  return `to another ${one.way}`;
}

/** Whether another attempt to pay began: not while the swap is not final, and not when nothing came back. */
async function isBegunAgain(run: Run, path: string, body: object, one: Kept): Promise<boolean> {
  const { status, text } = await say(run, path, body);
  assert.ok([200, 409].includes(status), text);
  if (status === 409) return false;
  one.turn += 1;
  one.failedSwap = undefined;
  return true;
}
