// Plans of two organisations owe a wallet the same amount, and both tell one transaction before it is mined. It pays the
// plan that told it first, whichever of them is looked at first.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { PaymentPlan } from '@fairway/wire';
import { basic } from '../harness.ts';
import { transferCall } from '../keyWallet.ts';
import { makeLogin } from '../paymentCalls.ts';
import {
  assertProblem,
  freshAddress,
  type PaymentsClient,
  paymentsClient,
  type PaymentsTest,
  startPaymentsTest,
  stepOf,
} from '../paymentsHarness.ts';
import { endEverything, freshFolder } from '../processHarness.ts';

/** A sandbox of its own, because the tests stop its mining. */
let payments: PaymentsTest;
/** Another organisation on the same service. */
let other: PaymentsClient;
before(async () => {
  const data = join(freshFolder(), 'data');
  payments = await startPaymentsTest(undefined, ['--data', data]);
  const { username, password } = await makeLogin({ data }, 'Other');
  other = paymentsClient(payments.service.url, basic(username, password));
});
after(async () => {
  await payments?.close();
  await endEverything();
});

const AMOUNT = 40_000_000n;

type Owed = { readonly client: PaymentsClient; readonly plan: PaymentPlan };

/** A plan of an organisation whose payout to a wallet is due. */
async function owed(client: PaymentsClient, address: string): Promise<Owed> {
  const payer = await payments.freshWallet();
  const options = { mode: 'STANDARD', depositAddress: payer.address };
  const recipient = { type: 'wallet', chainId: payments.sandbox.chainId, address };
  const made = await client.plan({
    corridorId: 'usdc-wallet',
    amountIn: String(AMOUNT),
    recipient,
    options,
  });
  await payments.give(payer.address, 'USDC', AMOUNT);
  const ready = await client.until(made, 'the deposit is seen', (now) => now.steps[1]?.status === 'READY');
  await payer.execute([stepOf(ready, 'EXECUTE_SWAP').instructions?.at(-1) ?? assert.fail()]);
  const plan = await client.until(ready, 'it is due', (now) => now.next?.why === 'PAYOUT_DUE');
  return { client, plan };
}

/** Does something while blocks are mined on demand alone. */
async function unmined(act: () => Promise<void>): Promise<void> {
  const { rpc } = payments.service;
  await rpc('evm_setAutomine', [false]);
  try {
    await act();
  } finally {
    await rpc('evm_setAutomine', [true]);
  }
}

const mine = () => payments.service.rpc('evm_mine');

/** The custodian sends a transfer that waits to be mined; its hash. */
async function custodianSends(to: string): Promise<string> {
  const { rpc } = payments.service;
  const from = await payments.settlementAddress('usdc-wallet');
  await rpc('anvil_impersonateAccount', [from]);
  await rpc('anvil_setBalance', [from, '0x8ac7230489e80000']);
  const { to: token, data } = transferCall(payments.token('USDC'), to, AMOUNT);
  return rpc<string>('eth_sendTransaction', [{ from, to: token, data, gas: '0x30d40' }]);
}

const tell = ({ client, plan }: Owed, txHash: string) =>
  client.report(plan, 'CUSTODIAN_PAYOUT', { outcome: 'DONE', txHash });

const isPaid = ({ status }: PaymentPlan) => status === 'COMPLETED';

for (const isOlderFirst of [true, false])
  for (const isTenantFirst of [true, false])
    test(`${isOlderFirst ? 'older' : 'newer'} plan first, organisation ${isTenantFirst ? 1 : 2}`, async () => {
      const wallet = freshAddress();
      const clients = isTenantFirst === isOlderFirst ? [payments, other] : [other, payments];
      const plans = [await owed(clients[0] ?? payments, wallet), await owed(clients[1] ?? other, wallet)];
      const [first = assert.fail(), second = assert.fail()] = isOlderFirst ? plans : plans.toReversed();
      await unmined(async () => {
        const txHash = await custodianSends(wallet);
        for (const each of [first, second]) {
          const { status, text, body } = await tell(each, txHash);
          assert.equal(status, 200, text);
          assert.equal(body.next?.why, 'TRANSACTION_PENDING');
        }
        await mine();
        const told = await tell(second, txHash);
        if (told.status !== 200) assertProblem(told, 409, 'evidence-mismatch');
        const done = await first.client.until(first.plan, 'the first is paid', isPaid);
        assert.equal(stepOf(done, 'CUSTODIAN_PAYOUT').verification, 'VERIFIED');
        await mine();
        // What paid somebody else pays this plan nothing: all of it is due.
        const due = await second.client.until(
          second.plan,
          'the second is due again',
          (now) => now.next?.why === 'PAYOUT_DUE',
        );
        assert.equal(due.next?.pay?.amount, String(AMOUNT));
        assertProblem(await tell(second, txHash), 409, 'evidence-mismatch', /settles another step/);
      });
    });
