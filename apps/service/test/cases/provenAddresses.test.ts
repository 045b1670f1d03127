// Anybody can name an address as the deposit address of a plan. An organisation that proves that the address is its own
// gets it all the same.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createWaitingLimit } from '../../src/parts/payments/making/waitingPlans.ts';
import { basic } from '../harness.ts';
import { makeLogin } from '../paymentCalls.ts';
import {
  assertProblem,
  freshAddress,
  type PaymentsClient,
  paymentsClient,
  type PaymentsTest,
  requestOf,
  startPaymentsTest,
  stepOf,
} from '../paymentsHarness.ts';
import { endEverything, freshFolder } from '../processHarness.ts';

let payments: PaymentsTest;
/** Another organisation on the same service. */
let stranger: PaymentsClient;
before(async () => {
  const data = join(freshFolder(), 'data');
  payments = await startPaymentsTest(undefined, ['--data', data]);
  const { username, password } = await makeLogin({ data }, 'Stranger');
  stranger = paymentsClient(payments.service.url, basic(username, password));
});
after(async () => {
  await payments?.close();
  await endEverything();
});

const AMOUNT_IN = 100_000_000n;
const TEXT = /: (Fairway: 0x.*\.)$/;

/** The text that an address is to sign, as a refusal gives it. */
function textIn(reply: { readonly body: unknown }): string {
  const { detail } = reply.body as { readonly detail: string };
  return TEXT.exec(detail)?.[1] ?? assert.fail(detail);
}

type Options = Readonly<Record<string, unknown>>;
const bodyOf = (clientReference: string, options: Options) =>
  requestOf({ clientReference, amountIn: String(AMOUNT_IN), options: { mode: 'STANDARD', ...options } });

test('whoever proves a deposit address takes it from a plan that only names it', async () => {
  const own = await payments.freshWallet();
  const depositAddress = own.address;
  const named = await stranger.plan({
    amountIn: String(AMOUNT_IN),
    options: { mode: 'STANDARD', depositAddress },
  });
  // More than dust: the plan can no longer be cancelled.
  await payments.give(depositAddress, 'USDC', AMOUNT_IN / 2n);
  await stranger.until(named, 'a part is seen', (now) => stepOf(now, 'AWAIT_DEPOSIT').status === 'READY');

  const refused = await payments.ask('/v1/payments', bodyOf('proven', { depositAddress }));
  assertProblem(refused, 409, 'deposit-address-in-use', /If the address is yours/);
  const text = textIn(refused);
  assert.ok(text.includes(depositAddress) && text.includes('"proven"'), text);
  const addressSignature = await own.signText(text);

  const others = [
    ['another text', bodyOf('proven', { depositAddress, addressSignature: await own.signText(`${text} `) })],
    ['another payment', bodyOf('other', { depositAddress, addressSignature })],
    ['another address', bodyOf('proven', { depositAddress: freshAddress(), addressSignature })],
    ['no address', bodyOf('proven', { addressSignature })],
    ['no signature', bodyOf('proven', { depositAddress, addressSignature: '0x1' })],
  ] as const;
  for (const [what, body] of others) {
    const reply = await payments.ask('/v1/payments', body);
    assertProblem(reply, 400, 'validation-failed');
    assert.ok(reply.text.includes('/options/addressSignature'), `${what}: ${reply.text}`);
  }
  const foreign = await stranger.ask('/v1/payments', bodyOf('proven', { depositAddress, addressSignature }));
  assertProblem(foreign, 400, 'validation-failed', /is not the signature/);

  const made = await payments.ask('/v1/payments', bodyOf('proven', { depositAddress, addressSignature }));
  assert.equal(made.status, 200, made.text);
  const again = await payments.ask('/v1/payments', bodyOf('proven', { depositAddress }));
  assert.equal(again.body.planId, made.body.planId, 'the signature makes no other request');

  await payments.give(depositAddress, 'USDC', AMOUNT_IN);
  await payments.until(made.body, 'its deposit is seen', (now) => now.steps[1]?.status === 'READY');
  const lost = await stranger.get(named.planId);
  assert.equal(stepOf(lost, 'AWAIT_DEPOSIT').deposit?.received, String(AMOUNT_IN / 2n));
  assert.deepEqual(
    [lost.next?.why, /proven that the deposit address is its own/.test(lost.next?.detail ?? '')],
    ['ADDRESS_LOST', true],
  );
  const retaken = await stranger.ask('/v1/payments', bodyOf('retaken', { depositAddress }));
  assertProblem(retaken, 409, 'deposit-address-in-use');
});

test('a proven address is kept against another proof until its plan is over', async () => {
  const own = await payments.freshWallet();
  const depositAddress = own.address;
  const first = await payments.ask('/v1/payments', bodyOf('kept', { depositAddress }));
  assert.equal(first.status, 200, 'a free address needs no proof');
  const text = textIn(await stranger.ask('/v1/payments', bodyOf('theirs', { depositAddress })));
  const proven = bodyOf('theirs', { depositAddress, addressSignature: await own.signText(text) });
  const second = await stranger.ask('/v1/payments', proven);
  assert.equal(second.status, 200, second.text);
  const asked = await payments.ask('/v1/payments', bodyOf('third', { depositAddress }));
  const signed = { depositAddress, addressSignature: await own.signText(textIn(asked)) };
  const third = await payments.ask('/v1/payments', bodyOf('third', signed));
  assertProblem(third, 409, 'deposit-address-in-use');
  assert.equal((await stranger.end(second.body)).status, 200);
  assert.equal((await payments.ask('/v1/payments', bodyOf('third', signed))).status, 200);
});

test('a payment that is refused takes no address, whatever it proves', async () => {
  const own = await payments.freshWallet();
  for (const name of ['depositAddress', 'sender'] as const) {
    const theirs = await stranger.plan({
      amountIn: String(AMOUNT_IN),
      options: { mode: 'STANDARD', depositAddress: own.address },
    });
    const named = { [name]: own.address };
    const text = textIn(await payments.ask('/v1/payments', bodyOf(`refused ${name}`, named)));
    // An amount of another token's decimals.
    const minAmountOut = `${AMOUNT_IN}000000000000`;
    const addressSignature = await own.signText(text);
    const refused = await payments.ask(
      '/v1/payments',
      bodyOf(`refused ${name}`, { ...named, minAmountOut, addressSignature }),
    );
    assertProblem(refused, 400, 'validation-failed', /minAmountOut/);
    await payments.give(own.address, 'USDC', AMOUNT_IN);
    const paid = await stranger.until(
      theirs,
      'its deposit is seen',
      (now) => stepOf(now, 'AWAIT_DEPOSIT').status === 'DONE',
    );
    assert.equal(stepOf(paid, 'AWAIT_DEPOSIT').deposit?.received, String(AMOUNT_IN));
    const closed = await stranger.end(theirs, { reason: 'ABANDONED' });
    assert.equal(closed.status, 200, closed.text);
  }
});

test('a sender that proves to be its own needs no deposit address of its own', async () => {
  const own = await payments.freshWallet();
  const named = await stranger.plan({
    amountIn: String(AMOUNT_IN),
    options: { mode: 'STANDARD', depositAddress: own.address },
  });
  const sender = own.address;
  const refused = await payments.ask('/v1/payments', bodyOf('sender', { sender }));
  assertProblem(refused, 409, 'deposit-address-in-use', /options.sender is the deposit address/);
  const addressSignature = await own.signText(textIn(refused));
  const made = await payments.ask('/v1/payments', bodyOf('sender', { sender, addressSignature }));
  assert.equal(made.status, 200, made.text);

  await payments.give(sender, 'USDC', AMOUNT_IN);
  const other = freshAddress();
  const later = await payments.plan({
    amountIn: String(AMOUNT_IN),
    options: { mode: 'STANDARD', depositAddress: other },
  });
  await payments.give(other, 'USDC', AMOUNT_IN);
  await payments.until(later, 'later blocks are read', (now) => now.steps[1]?.status === 'READY');
  const lost = await stranger.get(named.planId);
  assert.equal(stepOf(lost, 'AWAIT_DEPOSIT').deposit?.received, '0', JSON.stringify(lost.next));
  const told = await payments.report(made.body, 'AWAIT_DEPOSIT', {
    outcome: 'DONE',
    txHash: await paymentTo(sender),
  });
  assert.equal(told.status, 200, told.text);
});

/** The last transaction that brought an address USDC. */
async function paymentTo(address: string): Promise<string> {
  const receiver = `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
  const filter = { address: payments.token('USDC'), fromBlock: '0x0', topics: [null, null, receiver] };
  const logs = await payments.service.rpc<{ transactionHash: string }[]>('eth_getLogs', [filter]);
  return logs.at(-1)?.transactionHash ?? assert.fail('no payment');
}

test('a contract wallet proves its address by EIP-1271', async () => {
  const { rpc } = payments.service;
  const answering = {
    taken: '0x631626ba7e60e01b60005260206000f3',
    reverting: '0x60006000fd',
    other: '0x60206000f3',
  };
  const [taken, reverting, other] = [freshAddress(), freshAddress(), freshAddress()];
  await rpc('anvil_setCode', [taken, answering.taken]);
  await rpc('anvil_setCode', [reverting, answering.reverting]);
  await rpc('anvil_setCode', [other, answering.other]);
  const addressSignature = '0x1234';
  const reply = (name: string, depositAddress: string) =>
    payments.ask('/v1/payments', bodyOf(name, { depositAddress, addressSignature }));
  assert.equal((await reply('contract', taken)).status, 200);
  for (const [name, address] of Object.entries({ reverting, other }))
    assertProblem(await reply(name, address), 400, 'validation-failed', /is not the signature/);
});

test('plans that wait for their first money are counted before they are too many', async () => {
  let [counts, waiting] = [0, 0];
  const refuse = createWaitingLimit(
    {
      payments: {
        countWaiting: async () => {
          counts += 1;
          return { ok: true, count: waiting };
        },
      },
    },
    100,
  );
  const scope = { organisationId: 'org_1', environment: 'sandbox' } as const;
  for (; waiting < 1000; waiting += 1) {
    const problem = await refuse(scope);
    if (problem !== undefined) break;
  }
  assert.deepEqual([waiting, counts <= 9], [100, true], `${counts} counts`);
  assert.equal((await refuse(scope))?.code, 'rate-limited');
  waiting -= 1;
  assert.equal(await refuse(scope), undefined);
  const { body: now } = await payments.ask('/v1/payments', bodyOf('counted', {}));
  assert.equal(now.next?.why, 'DEPOSIT_MISSING', 'a plan without money is counted');
});
