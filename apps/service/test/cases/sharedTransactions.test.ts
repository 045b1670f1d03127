// One transaction pays several plans of one sender. Each plan counts what it is due, by log or by exact amount, and never
// what is another plan's.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { MovementList, PaymentPlan } from '@fairway/wire';
import { encodeFunctionData, erc20Abi, multicall3Abi } from 'viem';
import { receiptOf, transferCall } from '../keyWallet.ts';
import { assertProblem, freshAddress, startPaymentsTest, statusesOf, stepOf } from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const CORRIDOR = 'usdc-wallet';
/** What the two plans of the tests are due. */
const [SMALL, LARGE] = [1_000_000n, 2_000_000n];
/** Multicall3 has this address on every chain. It makes the calls that it is given from its own account. */
const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';

type TokenCall = { readonly to: string; readonly data: string };

/** One transaction of a contract that makes these calls; its hash. */
async function together(calls: readonly TokenCall[]): Promise<string> {
  const all = calls.map(({ to, data }) => ({
    target: to as `0x${string}`,
    allowFailure: false,
    callData: data as `0x${string}`,
  }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [all] });
  return (await (await payments.freshWallet()).execute([{ to: MULTICALL3, data, value: '0' }])).hash;
}

/** One transaction that sends an account USDC in transfers of these amounts; its hash. */
async function paidTogether(to: string, ...amounts: readonly bigint[]): Promise<string> {
  await payments.give(
    MULTICALL3,
    'USDC',
    amounts.reduce((sum, units) => sum + units, 0n),
  );
  return together(amounts.map((units) => transferCall(payments.token('USDC'), to, units)));
}

/** A plan of a sender, to a wallet. */
async function planOf(sender: string, amount: bigint, address = freshAddress()): Promise<PaymentPlan> {
  return payments.plan({
    corridorId: CORRIDOR,
    amountIn: String(amount),
    recipient: { type: 'wallet', chainId: payments.sandbox.chainId, address },
    options: { mode: 'STANDARD', sender },
  });
}

const deposited = (plan: PaymentPlan, told: object) =>
  payments.report(plan, 'AWAIT_DEPOSIT', { outcome: 'DONE', ...told });

/** What a plan has received, and by which amounts. */
function receivedBy(plan: PaymentPlan): readonly string[] {
  const { received = '', transfers = [] } = stepOf(plan, 'AWAIT_DEPOSIT').deposit ?? {};
  return [received, ...transfers.map(({ amount }) => amount)];
}

/** Reports the deposit of a plan, which is done by exactly this amount in one transfer, and told again is known. */
async function assertDeposited(plan: PaymentPlan, told: object, amount: bigint): Promise<void> {
  const { status, text, body } = await deposited(plan, told);
  assert.equal(status, 200, text);
  assert.equal(statusesOf(body), 'DONE READY PENDING');
  assert.deepEqual(receivedBy(body), [String(amount), String(amount)]);
  assert.equal(body.funds[0]?.received, String(amount));
  const again = await deposited(plan, told);
  assert.deepEqual([again.status, again.body.revision], [200, body.revision], again.text);
}

async function logIndexesOf(txHash: string): Promise<readonly number[]> {
  return (await receiptOf(payments.service.rpc, txHash)).logs.map(({ logIndex }) => Number(logIndex));
}

test('one transaction is the deposit of two plans of a sender, each of what it is due', async () => {
  for (const isSmallFirst of [true, false]) {
    const sender = freshAddress();
    const [small, large] = [await planOf(sender, SMALL), await planOf(sender, LARGE)];
    const third = await planOf(sender, SMALL);
    const txHash = await paidTogether(sender, SMALL, LARGE);
    const told = [[small, SMALL] as const, [large, LARGE] as const];
    for (const [plan, amount] of isSmallFirst ? told : told.toReversed())
      await assertDeposited(plan, { txHash }, amount);
    assertProblem(
      await deposited(third, { txHash }),
      409,
      'evidence-mismatch',
      /no transfer of it is exactly that/,
    );
  }
});

test('equal transfers of a transaction are the deposits of as many plans, and of no further one', async () => {
  const sender = freshAddress();
  const plans = [await planOf(sender, SMALL), await planOf(sender, SMALL)];
  const txHash = await paidTogether(sender, SMALL, SMALL);
  for (const plan of plans) await assertDeposited(plan, { txHash }, SMALL);
  const places = await Promise.all(
    plans.map(async ({ planId }) => {
      const { data } = (await payments.ask(`/v1/payments/${planId}/movements`)).json as MovementList;
      return data.map(({ transfer }) => transfer?.logIndex);
    }),
  );
  assert.deepEqual(places.flat().toSorted(), [...(await logIndexesOf(txHash))].toSorted());
});

test('a deposit takes more than is due only where the report names the transfer or its amount', async () => {
  const sender = freshAddress();
  const [small, large] = [await planOf(sender, SMALL), await planOf(sender, LARGE)];
  const txHash = await paidTogether(sender, LARGE, LARGE + 5n);
  const before = await payments.textOf(small.planId);
  assertProblem(
    await deposited(small, { txHash }),
    409,
    'evidence-mismatch',
    /brings 4\.000005 USDC .* 1 USDC .* is due.* logIndex/,
  );
  assert.equal(await payments.textOf(small.planId), before);
  await assertDeposited(large, { txHash }, LARGE);
  const [, over] = await logIndexesOf(txHash);
  await assertDeposited(small, { txHash, logIndex: over }, LARGE + 5n);

  const other = await planOf(sender, SMALL);
  const single = await paidTogether(sender, LARGE);
  assertProblem(await deposited(other, { txHash: single }), 409, 'evidence-mismatch', /amount/);
  await assertDeposited(other, { txHash: single, amount: String(LARGE) }, LARGE);
});

test('a deposit in parts of one transaction counts whole, and one part alone is refused', async () => {
  const sender = freshAddress();
  const plan = await planOf(sender, SMALL);
  const txHash = await paidTogether(sender, 400_000n, 600_000n);
  const [log = 0] = await logIndexesOf(txHash);
  for (const logIndex of [log, log + 1_000])
    assertProblem(await deposited(plan, { txHash, logIndex }), 409, 'evidence-mismatch');
  const { body } = await deposited(plan, { txHash });
  assert.deepEqual(receivedBy(body), [String(SMALL), '400000', '600000']);
});

/** A plan whose payout is due, to a wallet. */
async function payableTo(wallet: string, amount: bigint): Promise<PaymentPlan> {
  const payer = await payments.freshWallet();
  const plan = await planOf(payer.address, amount, wallet);
  await payments.give(payer.address, 'USDC', amount);
  await payer.execute(stepOf(plan, 'EXECUTE_SWAP').instructions ?? []);
  return payments.until(plan, 'the swap is found', (now) => now.steps[2]?.status === 'READY');
}

test('one transaction pays two plans of one wallet, each by the transfer of what it is due', async () => {
  for (const isSmallFirst of [true, false]) {
    const wallet = freshAddress();
    const due = [
      [await payableTo(wallet, SMALL), SMALL],
      [await payableTo(wallet, LARGE), LARGE],
    ] as const;
    const txHash = await paidTogether(wallet, SMALL, LARGE);
    for (const [plan, amount] of isSmallFirst ? due : due.toReversed()) {
      const told = { outcome: 'DONE', txHash };
      const { status, text, body } = await payments.report(plan, 'CUSTODIAN_PAYOUT', told);
      assert.equal(status, 200, text);
      assert.deepEqual(
        [body.status, stepOf(body, 'CUSTODIAN_PAYOUT').paidAmount, body.funds.at(-1)?.paidOut],
        ['COMPLETED', String(amount), String(amount)],
      );
    }
  }
});

test('one transaction executes two plans that only transfer, each with what its own call brought', async () => {
  const sender = freshAddress();
  const plans = [
    [await planOf(sender, SMALL), SMALL],
    [await planOf(sender, LARGE), LARGE],
  ] as const;
  await payments.give(MULTICALL3, 'USDC', SMALL + LARGE);
  const calls = plans.map(([plan]) => stepOf(plan, 'EXECUTE_SWAP').instructions?.at(-1) ?? assert.fail());
  const txHash = await together(calls);
  for (const [plan, amount] of plans) {
    await deposited(plan, {});
    const told = { outcome: 'DONE', txHash };
    const { status, text, body } = await payments.report(plan, 'EXECUTE_SWAP', told);
    assert.equal(status, 200, text);
    const { evidence } = stepOf(body, 'EXECUTE_SWAP');
    assert.deepEqual([evidence?.amount, evidence?.transfers.length], [String(amount), 1]);
    assert.equal(stepOf(body, 'CUSTODIAN_PAYOUT').custodianAction?.amount, String(amount));
  }
});

test('one transaction swaps for two plans, each with what its own call brought', async () => {
  const options = { mode: 'STANDARD', sender: freshAddress() };
  const plans = [
    [await payments.plan({ amountIn: String(SMALL), options }), SMALL],
    [await payments.plan({ amountIn: String(LARGE), options }), LARGE],
  ] as const;
  await payments.give(MULTICALL3, 'USDC', SMALL + LARGE);
  const swaps = plans.map(([plan]) => stepOf(plan, 'EXECUTE_SWAP').instructions?.at(-1) ?? assert.fail());
  const args = [swaps[0]?.to as `0x${string}`, SMALL + LARGE] as const;
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args });
  const txHash = await together([{ to: payments.token('USDC'), data: approve }, ...swaps]);
  const brought: bigint[] = [];
  for (const [plan, amount] of plans) {
    await deposited(plan, {});
    const { text, body } = await payments.report(plan, 'EXECUTE_SWAP', { outcome: 'DONE', txHash });
    const { evidence } = stepOf(body, 'EXECUTE_SWAP');
    assert.equal(evidence?.transfers.length, 1, text);
    assert.equal(body.funds[0]?.swapped.in, String(amount));
    brought.push(BigInt(evidence?.amount ?? '0'));
  }
  const [less = 0n, more = 0n] = brought;
  assert.ok(less * 19n < more * 10n && more * 10n < less * 21n, `${less} and ${more}`);
});
