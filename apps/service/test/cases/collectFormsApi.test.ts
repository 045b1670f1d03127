// What an integrator does with a link, and with the payment to the chosen destination.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '@fairway/values';
import { codeIn, collectOf, DESTINATIONS, freshEmail, startCollectTest, tokenIn } from '../collectCalls.ts';
import { keyWallet, transferCall } from '../keyWallet.ts';
import { assertProblem, freshAddress, stepOf, type WholePlan } from '../paymentsHarness.ts';

const collect = await startCollectTest();
after(() => collect.close());

type Visit = { readonly plan: WholePlan; readonly email: string; readonly token: string };

async function invited(): Promise<Visit> {
  const email = freshEmail();
  const plan = await collect.swapped(collect.requestFields({ email }));
  return { plan, email, token: await newestToken(email, 1) };
}

async function newestToken(email: string, nth: number): Promise<string> {
  const [mail = assert.fail()] = await collect.mailsTo(email, nth);
  return tokenIn(mail);
}

async function submit(
  visit: Visit,
  mails: number,
  destination: object = DESTINATIONS.iban,
): Promise<WholePlan> {
  const { token, email, plan } = visit;
  const fields = { token, ...destination, confirmed: 'yes' };
  const page = await collect.post('submit', fields);
  assert.equal(page.status, 200, page.title);
  const [mail = assert.fail()] = await collect.mailsTo(email, mails);
  const done = await collect.post('confirm', { ...fields, code: codeIn(mail) });
  assert.equal(done.status, 200, done.title);
  return collect.client.get(plan.planId);
}

const openedWith = async (token: string) => (await collect.post('open', { token })).status;
const { deliver } = collect;

test('a link can be resent after a minute, five times, and only the newest works', async () => {
  const { plan, email, token: first } = await invited();
  await collect.advance('PT40S');
  const soon = await collect.linkAgain(plan);
  assertProblem(soon, 429, 'rate-limited');
  assert.match(soon.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
  let token = first;
  for (let times = 1; times <= 5; times++) {
    await collect.advance('PT61S');
    const [sent, ...others] = await Promise.all([1, 2, 3].map(() => collect.linkAgain(plan)));
    const statuses = [sent, ...others].map((answer) => answer?.status).toSorted();
    // After the fifth time waiting does not help.
    assert.deepEqual(statuses, times < 5 ? [200, 429, 429] : [200, 409, 409]);
    const next = await newestToken(email, times + 1);
    assert.deepEqual([await openedWith(token), await openedWith(next)], [410, 200]);
    token = next;
  }
  await collect.advance('PT61S');
  assertProblem(await collect.linkAgain(plan), 409, 'step-not-ready', /5 times/);
  const { link } = collectOf(await collect.client.get(plan.planId));
  assert.deepEqual([link?.version, link?.resends], [6, 5]);
  assert.equal(await openedWith(token), 200);
});

test('readdressing mails a new link, ends the old one and masks the new address', async () => {
  const { plan, email, token } = await invited();
  await collect.post('submit', { token, ...DESTINATIONS.iban });
  const [codeMail = assert.fail()] = await collect.mailsTo(email, 2);
  await collect.advance('PT61S');
  const right = freshEmail();
  const { status, body, text } = await collect.linkAgain(plan, {
    email: right,
    name: 'Kim Citizen',
  });
  assert.equal(status, 200, text);
  assert.ok(!text.includes(right) && !text.includes(email) && !text.includes('Kim'), 'masked');
  assert.notEqual(body.recipient.fingerprint, plan.recipient.fingerprint);
  const next = await newestToken(right, 1);
  assert.deepEqual([await openedWith(token), await openedWith(next)], [410, 200]);
  const late = await collect.post('confirm', { token, ...DESTINATIONS.iban, code: codeIn(codeMail) });
  assert.equal(late.status, 410);
  assert.equal((await collect.mailsTo(email, 2)).length, 2);
  assert.equal((await collect.mailsTo(right, 1)).length, 1);
});

test('a readdressed payment keeps its language unless another is named', async () => {
  const email = freshEmail();
  const plan = await collect.swapped(collect.requestFields({ email, locale: 'de' }));
  for (const [locale, subject] of [
    [undefined, 'Ein neuer Link für Ihre Zahlung von Sandbox demo'],
    ['en', 'A new link for your payment from Sandbox demo'],
  ]) {
    await collect.advance('PT61S');
    const right = freshEmail();
    const body = defined({ email: right, locale });
    assert.equal((await collect.linkAgain(plan, body)).status, 200);
    const [mail] = await collect.mailsTo(right, 1);
    assert.equal(mail?.subject, subject);
  }
});

test('an expired link is dead until there is another, and that of an ended plan for ever', async () => {
  const { plan, email, token } = await invited();
  await collect.advance('P14DT1S');
  assert.equal(await openedWith(token), 410);
  assert.equal((await collect.post('submit', { token, ...DESTINATIONS.iban })).status, 410);
  const again = await collect.linkAgain(plan);
  assert.deepEqual([again.status, again.body.did], [200, 'LINK'], again.text);
  const next = await newestToken(email, 2);
  assert.deepEqual([await openedWith(token), await openedWith(next)], [410, 200]);
  const ended = await collect.client.end(plan, { reason: 'OTHER' });
  assert.deepEqual([ended.status, ended.body.status], [200, 'ENDED'], ended.text);
  assert.equal(collectOf(ended.body).link?.state, 'CANCELLED');
  assert.equal(await openedWith(next), 410);
  assert.equal((await collect.post('submit', { token: next, ...DESTINATIONS.iban })).status, 410);
  await collect.advance('PT61S');
  for (const email of [undefined, freshEmail()])
    assertProblem(
      await collect.linkAgain(plan, email === undefined ? undefined : { email }),
      409,
      'step-not-ready',
    );
});

test('an account is paid by reports: SENT, DELIVERED, RETURNED; a repeated one changes nothing', async () => {
  const visit = await invited();
  assertProblem(await deliver(visit.plan, { outcome: 'SENT' }), 409, 'step-not-ready');
  const plan = await submit(visit, 2);
  assertProblem(
    await deliver(plan, { outcome: 'RETURNED', providerReference: 'R-1' }),
    409,
    'step-not-ready',
  );
  assertProblem(await deliver(plan, { outcome: 'DONE' }), 400, 'validation-failed', /providerReference/);
  assertProblem(
    await deliver(plan, { outcome: 'DONE', txHash: `0x${'1'.repeat(64)}` }),
    400,
    'validation-failed',
  );
  const sent = { outcome: 'SENT', providerReference: 'PAID-1' };
  const late = { ...sent, occurredAt: '2099-01-01T00:00:00Z' };
  assertProblem(await deliver(plan, late), 400, 'validation-failed', /future/);
  const unfit = { ...sent, failure: { code: 'OTHER' } };
  assertProblem(await deliver(plan, unfit), 400, 'validation-failed', /leave it out/);
  for (const [outcome, over] of [
    ['SENT', 'ACTION_REQUIRED'],
    ['DONE', 'COMPLETED'],
    ['RETURNED', 'RETURNED'],
  ] as const) {
    const report = { outcome, providerReference: outcome === 'RETURNED' ? 'BACK-1' : 'PAID-1' };
    const { body, text } = await deliver(plan, report);
    assert.equal(collectOf(body).delivery?.status, outcome === 'DONE' ? 'DELIVERED' : outcome, text);
    if (outcome !== 'SENT') assert.equal(body.status, over);
    assert.equal((await deliver(plan, report)).text, text);
  }
  const back = { outcome: 'RETURNED', providerReference: 'BACK-1' };
  const [{ amount = '' } = {}] = (await deliver(plan, back)).body.returns;
  const returned = { amount: String(BigInt(amount) / 10n ** 16n), asset: { currency: 'EUR' } };
  assertProblem(await deliver(plan, { ...sent, returned }), 400, 'validation-failed', /goes with RETURNED/);
  const wrong = { ...back, returned: { ...returned, amount: '1' } };
  assertProblem(
    await deliver(plan, wrong),
    409,
    'evidence-mismatch',
    /units that did are [\d.]+ EUR \(\d+ minor units\)/,
  );
  for (const told of [{ ...back, returned }, { ...back, returned }, back]) {
    const { body, text } = await deliver(plan, told);
    assert.deepEqual(body.returns?.[0]?.returned, returned, text);
  }
  for (const reference of ['<b>x</b>', 'a\r\nb', 'a\0b', '\u202ex', 'x'.repeat(10_000)]) {
    const { status } = await deliver(plan, { outcome: 'RETURNED', providerReference: reference });
    assert.ok([200, 400, 409].includes(status), `${reference.slice(0, 10)} ${status}`);
  }
  const page = await collect.post('open', { token: visit.token });
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.html, /<b>x|[\0\u202e]/);
});

test('before the recipient has chosen, any report of a delivery is refused for that reason', async () => {
  const { plan } = await invited();
  for (const told of [{}, { txHash: `0x${'ab'.repeat(32)}` }, { providerReference: 'P-1' }])
    assertProblem(await deliver(plan, { outcome: 'DONE', ...told }), 409, 'step-not-ready', /has not chosen/);
  assertProblem(await deliver(plan, { outcome: 'PAID' }), 400, 'validation-failed', /outcome/);
});

test('a delivery that was SENT with a reference is DELIVERED without naming it again', async () => {
  const plan = await submit(await invited(), 2);
  await deliver(plan, { outcome: 'SENT', providerReference: 'ONCE-1' });
  const { body, text } = await deliver(plan, { outcome: 'DONE' });
  const { delivery } = collectOf(body);
  assert.deepEqual([body.status, delivery?.providerReference], ['COMPLETED', 'ONCE-1'], text);
});

test('a destination that is chosen late is due from then on', async () => {
  const visit = await invited();
  await collect.advance('P3D');
  const plan = await submit(visit, 2);
  const { notAfter = '' } = stepOf(plan, 'SEND_DIGITAL_COLLECT').custodianAction ?? {};
  const { submittedAt = '' } = collectOf(plan);
  assert.equal(Date.parse(notAfter), Date.parse(submittedAt) + 86_400_000);
});

/** A plan whose recipient chose an account, what is due to it in units of the token, and the reports about it. */
async function dueToAccount() {
  const plan = await submit(await invited(), 2);
  const { custodianAction } = stepOf(plan, 'SEND_DIGITAL_COLLECT');
  const { amount, asset } = custodianAction ?? assert.fail();
  assert.deepEqual([asset.symbol, asset.decimals], ['tEUR', 18]);
  // The asset of an answer is an asset of a request.
  const tokens = (units: bigint) => ({ amount: String(units), asset });
  const told = { outcome: 'DONE', providerReference: `PO ${plan.planId}` };
  const reported = async (more: object): Promise<WholePlan> => {
    const { status, text, body } = await deliver(plan, { ...told, ...more });
    assert.equal(status, 200, text);
    return body;
  };
  return { plan, due: BigInt(amount), tokens, told, reported };
}

function paidFunds({ funds }: WholePlan) {
  const { paidOut, deducted, outstanding } = funds.at(-1) ?? assert.fail();
  return [paidOut, deducted, outstanding].map(BigInt);
}

test('an account that is paid less than is due asks a person, until a deduction explains it', async () => {
  const { due, tokens, reported } = await dueToAccount();
  const short = await reported({ amount: String(due - 5n) });
  const { collect: asked } = stepOf(short, 'SEND_DIGITAL_COLLECT');
  assert.deepEqual([short.status, short.next?.why], ['ACTION_REQUIRED', 'PAYMENT_UNCLEAR']);
  assert.deepEqual(
    [asked?.delivery?.status, short.next?.do, short.next?.pay],
    ['PENDING', 'DECIDE', undefined],
  );
  assert.deepEqual(paidFunds(short), [due - 5n, 0n, 5n]);
  const deductions = [{ ...tokens(5n), reason: 'wire fee' }];
  const done = await reported({ deductions, fee: tokens(5n) });
  const step = stepOf(done, 'SEND_DIGITAL_COLLECT');
  assert.deepEqual([done.status, step.collect?.delivery?.status], ['COMPLETED', 'DELIVERED']);
  assert.deepEqual([step.deductions, step.fee], [deductions, tokens(5n)]);
  assert.deepEqual(paidFunds(done), [due - 5n, 5n, 0n]);
  const again = await reported({ amount: String(due - 5n), deductions });
  assert.equal(again.revision, done.revision);
});

/** What an account is paid of an amount, in whole cents of a token with 18 decimals, and the rest. */
function inCents(due: bigint): readonly bigint[] {
  const rest = due % 10n ** 16n;
  return [due - rest, rest];
}

test('what an account is paid in euros settles as much, and is corrected by its movement', async () => {
  const { plan, due, told, reported } = await dueToAccount();
  const euros = { amount: '100', asset: { currency: 'EUR' } };
  const short = await reported({ paid: euros });
  const [paidOut = 0n, , outstanding] = paidFunds(short);
  assert.ok(
    paidOut > 100n && paidOut < due && outstanding === due - paidOut,
    'a euro is a unit of its token',
  );
  assert.deepEqual(stepOf(short, 'SEND_DIGITAL_COLLECT').paid, euros);
  const otherwise = await deliver(plan, { ...told, amount: String(due) });
  assertProblem(
    otherwise,
    409,
    'evidence-mismatch',
    new RegExp(`amount ${paidOut}, this report says ${due}`),
  );
  const pesos = { ...told, paid: { amount: '100', asset: { currency: 'PHP' } } };
  assertProblem(await deliver(plan, pesos), 400, 'validation-failed', /must be of EUR or of the token/);
  const [, corrects] = /"corrects": "(mov_\w+)"/.exec(short.next?.detail ?? '') ?? [];
  const right = await reported({ amount: String(due), corrects });
  assert.deepEqual([right.status, ...paidFunds(right)], ['COMPLETED', ...inCents(due), 0n]);
});

test('the amount that was told when a payment was SENT is what is DELIVERED', async () => {
  const { plan, due, told, reported } = await dueToAccount();
  const sent = { ...told, outcome: 'SENT' };
  const early = await deliver(plan, { ...sent, deductions: [] });
  assertProblem(early, 400, 'validation-failed', /deductions goes with DONE, to an account/);
  await reported({ ...sent, amount: String(due - 5n) });
  const short = await reported({});
  assert.deepEqual([short.next?.why, ...paidFunds(short)], ['PAYMENT_UNCLEAR', due - 5n, 0n, 5n]);
});

test('the sandbox plays a custodian who keeps a part of a delivery, and tells it or does not', async () => {
  const played = async (plan: WholePlan, event: 'payout.deducted' | 'payout.short' | 'payout.done') => {
    const { status, text, body } = await collect.client.simulate(plan, 'SEND_DIGITAL_COLLECT', event);
    assert.equal(status, 200, text);
    return body;
  };
  const deducted = await played((await dueToAccount()).plan, 'payout.deducted');
  const [, kept = 0n, left] = paidFunds(deducted);
  assert.deepEqual([deducted.status, kept > 0n, left], ['COMPLETED', true, 0n]);
  const { plan, due } = await dueToAccount();
  const short = await played(plan, 'payout.short');
  assert.deepEqual([short.next?.why, paidFunds(short)[1]], ['PAYMENT_UNCLEAR', 0n]);
  const done = await played(short, 'payout.done');
  assert.deepEqual([done.status, ...paidFunds(done)], ['COMPLETED', ...inCents(due), 0n]);
});

/** A plan whose recipient chose a wallet, the amount that is due to it, and who pays it. */
async function dueToWallet() {
  const visit = await invited();
  const { rpc, chainId } = collect.service;
  const address = freshAddress();
  const plan = await submit(visit, 2, { type: 'wallet', chainId: String(chainId), address });
  type Sandbox = { rpcUrl: string; tokens: { symbol: string; address: string }[] };
  const { rpcUrl, tokens } = await collect.service.ask<Sandbox>('/v1/sandbox');
  const token = tokens.find(({ symbol }) => symbol === 'tEUR')?.address ?? '';
  const wallet = keyWallet(rpcUrl, rpc);
  await rpc('anvil_setBalance', [wallet.address, '0x8ac7230489e80000']);
  const due = BigInt(plan.steps[2]?.custodianAction?.amount ?? '0');
  assert.ok(due > 0n, JSON.stringify(plan.steps[2]));
  const amount = String(due * 3n);
  await collect.client.ask('/v1/sandbox/faucet', {
    address: wallet.address,
    asset: { chainId: 31337, address: token },
    amount,
  });
  const pay = (units: bigint, to = address) => wallet.transfer(token, to, units);
  const send = (units: bigint) => wallet.send(transferCall(token, address, units));
  return { plan, due, pay, send };
}

test('a delivery that waits to be mined is asked for once, and counts when it is mined', async () => {
  const { plan, due, send } = await dueToWallet();
  const { rpc } = collect.service;
  await rpc('evm_setAutomine', [false]);
  try {
    const { hash: txHash } = await send(due);
    for (const outcome of ['SENT', 'DONE']) {
      const { body, text } = await deliver(plan, { outcome, txHash });
      assert.equal(body.next?.why, 'TRANSACTION_PENDING', text);
      assert.equal(body.next?.pay, undefined);
    }
    const failed = { outcome: 'FAILED', failure: { code: 'OTHER' } };
    assertProblem(await deliver(plan, failed), 409, 'execution-in-flight', new RegExp(txHash));
    await rpc('evm_mine');
    const done = await collect.client.until(plan, 'it is found', (now) => now.status === 'COMPLETED');
    assert.equal(collectOf(done).delivery?.evidence?.txHash, txHash);
  } finally {
    await rpc('evm_setAutomine', [true]);
  }
});

test('a wallet is paid when the chain shows it; a false hash is refused and changes nothing', async () => {
  const { plan, due, pay } = await dueToWallet();
  const elsewhere = await pay(due, freshAddress());
  const before = await collect.client.textOf(plan.planId);
  for (const txHash of [elsewhere.hash, `0x${'ab'.repeat(32)}`])
    for (const outcome of ['SENT', 'DONE'])
      assertProblem(await deliver(plan, { outcome, txHash }), 409, 'evidence-mismatch');
  assertProblem(await deliver(plan, { outcome: 'DONE' }), 400, 'validation-failed', /txHash/);
  const unused = { outcome: 'DONE', rate: '1' };
  assertProblem(await deliver(plan, unused), 400, 'validation-failed', /rate goes with DONE, to an account/);
  assert.equal(await collect.client.textOf(plan.planId), before);
  const paid = await pay(due);
  const lie = { outcome: 'DONE', txHash: paid.hash, amount: String(due + 1n) };
  assertProblem(await deliver(plan, lie), 409, 'evidence-mismatch');
  assert.equal(await collect.client.textOf(plan.planId), before);
  const { status, text } = await deliver(plan, { outcome: 'DONE', txHash: paid.hash });
  assert.equal(status, 200, text);
  const done = await collect.client.until(plan, 'it is final', (now) => now.status === 'COMPLETED');
  const { delivery } = collectOf(done);
  assert.deepEqual(
    [delivery?.status, delivery?.verification, delivery?.evidence?.txHash],
    ['DELIVERED', 'REPORTED', paid.hash],
  );
});

test('a wallet that a recipient chose is paid by two transactions, each recorded', async () => {
  const { plan, due, pay } = await dueToWallet();
  const part = await pay(due - 7n);
  const sent = await deliver(plan, { outcome: 'DONE', txHash: part.hash });
  assert.equal(sent.status, 200, sent.text);
  const open = await collect.client.until(plan, 'the part is final', ({ funds }) =>
    funds.some(({ outstanding }) => outstanding === '7'),
  );
  const reviewed = await collect.client.until(
    open,
    'the rest is asked for',
    (now) => now.next?.why === 'PAYMENT_UNCLEAR',
  );
  const { amount } = reviewed.steps[2]?.custodianAction ?? assert.fail();
  assert.deepEqual([collectOf(reviewed).delivery?.status, amount], ['PENDING', '7']);
  assert.equal(reviewed.funds.at(-1)?.expected, String(due), 'the rest is not all that was expected');
  const again = await deliver(plan, { outcome: 'DONE', txHash: part.hash });
  assert.equal(again.body.revision, reviewed.revision);
  const rest = await pay(7n);
  assert.equal((await deliver(plan, { outcome: 'DONE', txHash: rest.hash })).status, 200);
  const done = await collect.client.until(plan, 'it is final', (now) => now.status === 'COMPLETED');
  assert.deepEqual(paidFunds(done), [due, 0n, 0n]);
});

test('a second payment to a wallet that a recipient chose is recorded above what was due', async () => {
  const { plan, due, pay } = await dueToWallet();
  const first = await pay(due);
  assert.equal((await deliver(plan, { outcome: 'DONE', txHash: first.hash })).status, 200);
  await collect.client.until(plan, 'it is final', (now) => now.status === 'COMPLETED');
  const second = { outcome: 'DONE', txHash: (await pay(5n)).hash };
  let told = await deliver(plan, second);
  for (let tries = 0; told.status === 409 && tries < 2_000; tries += 1) {
    assert.match(told.text, /when it has the confirmations of the corridor/);
    await sleep(25);
    told = await deliver(plan, second);
  }
  assert.deepEqual([told.status, told.body.status], [200, 'COMPLETED'], told.text);
  const { json } = await collect.client.ask(`/v1/payments/${plan.planId}/movements`);
  const { data } = json as {
    data: { kind: string; reason?: string; actual: string; verification: string }[];
  };
  const above = data.filter(({ reason }) => reason === 'PAID_ABOVE_DUE');
  assert.deepEqual(
    above.map(({ kind, actual, verification }) => [kind, actual, verification]),
    [['PAYOUT', '5', 'REPORTED']],
    JSON.stringify(data),
  );
  const again = await deliver(plan, second);
  assert.deepEqual([again.status, again.body.revision], [200, told.body.revision], 'it counts once');
});

test('a failed delivery opens a new round: a new e-mail, another destination, a payment there', async () => {
  const visit = await invited();
  const plan = await submit(visit, 2);
  assertProblem(await deliver(plan, { outcome: 'FAILED' }), 400, 'validation-failed', /failure/);
  const failure = { code: 'ACCOUNT_NOT_FOUND' };
  const failed = await deliver(plan, { outcome: 'FAILED', providerReference: 'F-1', failure });
  assert.equal(failed.status, 200, failed.text);
  const token = await newestToken(visit.email, 3);
  assert.notEqual(token, visit.token);
  const reopened = collectOf(await collect.client.get(plan.planId));
  assert.deepEqual([reopened.rounds.length, reopened.link?.version], [1, 2]);
  const { custodianAction } = stepOf(await collect.client.get(plan.planId), 'SEND_DIGITAL_COLLECT');
  assert.equal(custodianAction, undefined, 'no payment is due before a new destination is chosen');
  assert.equal((await collect.post('submit', { token: visit.token, ...DESTINATIONS.iban })).status, 200);
  assert.equal((await collect.mailsTo(visit.email, 3)).length, 3, 'a used link mails no codes');
  const again = await submit({ ...visit, token }, 4, DESTINATIONS.otherIban);
  const events = (await collect.client.events(plan)).filter(({ type }) => type === 'COLLECT_SUBMITTED');
  assert.equal(events.length, 2);
  const late = await deliver(again, { outcome: 'DONE', providerReference: 'F-1' });
  assertProblem(late, 409, 'step-not-ready', /failed/);
  const delivered = await deliver(again, { outcome: 'DONE', providerReference: 'P-2' });
  assert.equal(delivered.body.status, 'COMPLETED', delivered.text);
});

test('the chosen destination can be revealed, which is recorded; the history names nobody', async () => {
  const visit = await invited();
  const path = `/v1/payments/${visit.plan.planId}/recipient/reveal`;
  const before = (await collect.client.ask(path, {})).json as { recipient: { email?: string } };
  assert.equal(before.recipient.email, visit.email);
  const plan = await submit(visit, 2);
  const { recipient } = (await collect.client.ask(path, {})).json as { recipient: object };
  assert.deepEqual(recipient, {
    type: 'bank',
    country: 'DE',
    name: DESTINATIONS.iban.name,
    account: { iban: DESTINATIONS.iban['account.iban'] },
  });
  const events = await collect.client.events(plan);
  const types = events.map(({ type }) => type);
  for (const type of ['LINK_MADE', 'LINK_MAILED', 'COLLECT_SUBMITTED']) assert.ok(types.includes(type), type);
  assert.equal(types.filter((type) => type === 'RECIPIENT_REVEALED').length, 2, types.join());
  const history = JSON.stringify(events) + (await collect.client.textOf(plan.planId));
  for (const secret of [visit.email, visit.token, DESTINATIONS.iban['account.iban'], 'Jo Citizen'])
    assert.ok(!history.includes(secret), secret);
});

test('a plan of mode STANDARD has no link', async () => {
  const plan = await collect.client.plan();
  assertProblem(await collect.linkAgain(plan, { email: freshEmail() }), 400, 'recipient-invalid');
  assert.equal((await collect.linkAgain(plan)).status, 409);
  const sent = await collect.client.report(plan, 'CUSTODIAN_PAYOUT', { outcome: 'SENT' });
  assertProblem(sent, 409, 'step-not-ready');
  assert.equal((await collect.client.get(plan.planId)).revision, plan.revision);
});
