// Where the money of a plan is: its funds, and every movement of it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Movement } from '@fairway/wire';
import {
  assertProblem,
  freshAddress,
  startPaymentsTest,
  stepOf,
  type WholePlan,
} from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

/** The amounts of a plan's funds that are not zero, each as a line. */
function linesOf({ funds }: WholePlan): string[] {
  return funds.map(({ swapped, unallocated, asset: _asset, ...amounts }) => {
    const told = { ...amounts, in: swapped.in, out: swapped.out };
    const parts = Object.entries(told).filter(([, amount]) => amount !== '0');
    const rest = unallocated.map(({ amount, direction, reason }) => `${direction} ${reason} ${amount}`);
    return [...parts.map(([name, amount]) => `${name} ${amount}`), ...rest].join(', ');
  });
}

type Page = { readonly data: readonly Movement[]; readonly nextCursor?: string };

async function movementsOf(planId: string, query = ''): Promise<Page> {
  const { status, body, text } = await payments.ask(`/v1/payments/${planId}/movements${query}`);
  assert.equal(status, 200, text);
  return body as unknown as Page;
}

test('funds follow the money from the deposit to the payout and back', async () => {
  const made = await payments.plan({ amountIn: '70000000' });
  const { amount: expected } = stepOf(made, 'CUSTODIAN_PAYOUT').custodianAction ?? assert.fail();
  assert.deepEqual(linesOf(made), ['expected 70000000', `expected ${expected}`]);
  assert.deepEqual(await movementsOf(made.planId), { data: [] });
  const deposited = await payments.played(made, 'deposit.exact');
  assert.deepEqual(
    linesOf(deposited)[0],
    'expected 70000000, received 70000000, settled 70000000, outstanding 70000000',
  );
  const swapped = await payments.played(deposited, 'swap.done');
  const brought = stepOf(swapped, 'EXECUTE_SWAP').evidence?.amount ?? assert.fail();
  assert.deepEqual(linesOf(swapped), [
    'expected 70000000, received 70000000, settled 70000000, in 70000000',
    `expected ${brought}, settled ${brought}, outstanding ${brought}, out ${brought}`,
  ]);
  // The bank pays whole cents.
  const rest = BigInt(brought) % 10_000n;
  const whole = BigInt(brought) - rest;
  const report = { outcome: 'DONE', providerReference: 'NPP-1' };
  const paid = (await payments.report(swapped, 'CUSTODIAN_PAYOUT', report)).body;
  assert.deepEqual(
    linesOf(paid)[1],
    `expected ${brought}, settled ${brought}, paidOut ${whole}, deducted ${rest}, out ${brought}`,
  );
  const back = { outcome: 'RETURNED', providerReference: 'RET-1' };
  const returned = (await payments.report(paid, 'CUSTODIAN_PAYOUT', back)).body;
  const told = `expected ${brought}, settled ${brought}, paidOut ${whole}, returned ${whole}, deducted ${rest}, outstanding ${whole}, out ${brought}`;
  assert.deepEqual(linesOf(returned)[1], told);
  const { data } = await movementsOf(made.planId);
  assert.deepEqual(
    data.map(({ kind, direction, actual, verification }) => `${kind} ${direction} ${actual} ${verification}`),
    [
      'DEPOSIT IN 70000000 UNVERIFIABLE',
      'SWAP_IN OUT 70000000 VERIFIED',
      `SWAP_OUT IN ${brought} VERIFIED`,
      `PAYOUT OUT ${whole} REPORTED`,
      `DEDUCTION OUT ${rest} REPORTED`,
      `RETURN IN ${whole} REPORTED`,
    ],
  );
  const out = data[2] ?? assert.fail();
  const evidence = stepOf(swapped, 'EXECUTE_SWAP').evidence ?? assert.fail();
  assert.deepEqual(
    [out.transfer?.txHash, out.transfer?.blockHash, out.transfer?.logIndex],
    [evidence.txHash, evidence.blockHash, evidence.transfers[0]?.logIndex],
  );
  assert.match(out.movementId, /^mov_[0-9a-f]{40}$/);
  assert.equal(data[3]?.providerReference, 'NPP-1');
  const list = await payments.ask(`/v1/payments?clientReference=${made.clientReference}`);
  assert.deepEqual((list.body as unknown as { data: WholePlan[] }).data[0]?.funds, returned.funds);
});

test('movements come in pages, oldest first, and a cursor is of one plan', async () => {
  const made = await payments.plan({ amountIn: '70000000' });
  const deposited = await payments.played(made, 'deposit.exact');
  await payments.played(deposited, 'swap.done');
  const all = (await movementsOf(made.planId)).data;
  const pages: Movement[] = [];
  let cursor: string | undefined;
  do {
    const page = await movementsOf(made.planId, `?limit=1${cursor === undefined ? '' : `&cursor=${cursor}`}`);
    assert.equal(page.data.length, 1);
    pages.push(...page.data);
    cursor = page.nextCursor;
    if (pages.length === 1) {
      const other = await payments.plan({ amountIn: '70000000' });
      const wrong = await payments.ask(`/v1/payments/${other.planId}/movements?cursor=${cursor}`);
      assertProblem(wrong, 400, 'validation-failed', /cursor/);
    }
  } while (cursor !== undefined);
  assert.deepEqual(pages, all);
  assert.equal(all.length, 3);
});

test('what came above the amount is unallocated, and names its movement', async () => {
  const made = await payments.plan({
    amountIn: '70000000',
    options: { mode: 'STANDARD', depositAddress: freshAddress() },
  });
  const over = await payments.played(made, 'deposit.over');
  const { data } = await movementsOf(made.planId);
  const [source] = over.funds;
  const extra = BigInt(source?.received ?? 0) - 70_000_000n;
  assert.ok(extra > 0n);
  assert.deepEqual(
    source?.unallocated.map(({ movementId, amount, reason }) => [movementId, amount, reason]),
    [[data.at(-1)?.movementId, String(extra), 'ABOVE_AMOUNT']],
  );
  for (const due of [over, await payments.played(over, 'swap.done')]) {
    const { do: what, detail } = due.next ?? assert.fail();
    assert.match(
      `${what} ${detail}`,
      /^(EXECUTE|PAY) .* Besides, .* refund it and record the refund, now or/,
    );
    assert.doesNotMatch(detail, /end the plan/, 'nobody ends a payment that goes on');
  }
  assert.match(data[0]?.transfer?.from ?? '', /^0x[0-9a-fA-F]{40}$/);
});

test('one provider reference settles one payout, and the refusal names the plan that has it', async () => {
  const due = async () => {
    const made = await payments.plan({ amountIn: '70000000' });
    return payments.played(made, 'deposit.exact', 'swap.done');
  };
  const [one, two] = [await due(), await due()];
  const report = { outcome: 'DONE', providerReference: 'PO-771' };
  assert.equal((await payments.report(one, 'CUSTODIAN_PAYOUT', report)).body.status, 'COMPLETED');
  assert.equal((await payments.report(one, 'CUSTODIAN_PAYOUT', report)).status, 200, 'the same report again');
  const text = await payments.textOf(two.planId);
  const refused = await payments.report(two, 'CUSTODIAN_PAYOUT', report);
  assertProblem(
    refused,
    409,
    'evidence-mismatch',
    new RegExp(`PO-771 settles a payout of the plan ${one.planId}`),
  );
  assert.equal(await payments.textOf(two.planId), text);
  const other = await payments.report(two, 'CUSTODIAN_PAYOUT', { ...report, providerReference: 'PO-772' });
  assert.equal(other.body.status, 'COMPLETED');
});

test('a plan that only transfers has one asset, and a second transfer is unallocated', async () => {
  const recipient = { type: 'wallet', chainId: payments.service.chainId, address: freshAddress() };
  const fields = { corridorId: 'usdc-wallet', amountIn: '70000000', recipient };
  const made = await payments.plan({
    ...fields,
    options: { mode: 'STANDARD', depositAddress: freshAddress() },
  });
  const deposited = await payments.played(made, 'deposit.exact');
  const arrived = 'expected 70000000, received 70000000, settled 70000000';
  assert.deepEqual(linesOf(deposited), [`${arrived}, outstanding 70000000`]);
  const sent = await payments.played(deposited, 'swap.done');
  const moved = 'in 70000000, out 70000000';
  assert.deepEqual(linesOf(sent), [`${arrived}, outstanding 70000000, ${moved}`]);
  const twice = await payments.played(sent, 'swap.again');
  const again = 'in 140000000, out 140000000, OUT SECOND_EXECUTION 70000000, IN SECOND_EXECUTION 70000000';
  assert.deepEqual(linesOf(twice), [`${arrived}, outstanding 70000000, ${again}`]);
  assert.match(twice.next?.detail ?? '', /Besides, 70 USDC .* came that the plan has no use for/);
});
