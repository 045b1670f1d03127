// Recipients' details enter through the API and leave through the reveal call alone. Files, tables and logs hold no
// trace of them, in any encoding that the service writes.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectToRunning } from '@fairway/postgres';
import { OPERATIONS, operation, type OperationId, type PaymentPlan } from '@fairway/wire';
import { Client } from 'pg';
import { digits, germanIban } from './bankNumbers.ts';
import { basic } from './harness.ts';
import { codeIn, type Mail, otherCode, postForm, tokenIn } from './collectCalls.ts';
import { type Caller, callerOf, type Login, makeLogin, payment, urlOf } from './paymentCalls.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import { camtOf, statementsOn } from './statementsHarness.ts';
import { startFairway } from './commandHarness.ts';

after(endEverything);

const folder = freshFolder();
const data = join(folder, 'data');

/** A word that no file holds by chance, with a letter that encodings write differently. */
const word = () => `Zé${randomBytes(6).toString('hex').replaceAll(/\d/g, 'x')}`;

/** The planted values: all personal details of recipients. */
const canaries = {
  name: `${word()} ${word()}`,
  bsb: `${digits(3)}-${digits(3)}`,
  accountNumber: digits(9),
  replacedName: `${word()} ${word()}`,
  replacedAccount: digits(9),
  iban: germanIban(),
  ibanName: `${word()} ${word()}`,
  phone: `+63917${digits(7)}`,
  emoneyName: `${word()} ${word()}`,
  email: `quill.${randomBytes(6).toString('hex')}@${randomBytes(6).toString('hex')}.example`,
  emailName: `${word()} ${word()}`,
  movedEmail: `quill.${randomBytes(6).toString('hex')}@${randomBytes(6).toString('hex')}.example`,
  readdressedEmail: `quill.${randomBytes(6).toString('hex')}@${randomBytes(6).toString('hex')}.example`,
  chosenIban: germanIban(),
  chosenName: `${word()} ${word()}`,
  otherIban: germanIban(),
  refusedIban: 'DE00'.concat(digits(18)),
  refusedName: `${word()} ${word()}`,
  refusedAccount: digits(10),
  refusedEmail: `quill ${randomBytes(6).toString('hex')}@nowhere.example`,
  simulatedIban: germanIban(),
  simulatedName: `${word()} ${word()}`,
  statementName: `${word()} ${word()}`,
  statementIban: germanIban(),
  statementText: `${word()} ${word()}`,
} as const;

/** Secrets that the service makes and tells only the recipient: the token of a link and its codes. */
const secrets: Record<string, string> = {};

const recipients = {
  bank: {
    type: 'bank',
    name: canaries.name,
    country: 'AU',
    account: { bsb: canaries.bsb, accountNumber: canaries.accountNumber },
  },
  replaced: {
    type: 'bank',
    name: canaries.replacedName,
    country: 'AU',
    account: { bsb: canaries.bsb, accountNumber: canaries.replacedAccount },
  },
  iban: { type: 'bank', name: canaries.ibanName, country: 'DE', account: { iban: canaries.iban } },
  emoney: {
    type: 'emoney',
    name: canaries.emoneyName,
    provider: 'GCash',
    idType: 'PHONE',
    idValue: canaries.phone,
    currency: 'PHP',
  },
  email: { type: 'email', email: canaries.email, name: canaries.emailName },
} as const;

async function plantAll(url: string, ask: Caller): Promise<void> {
  for (const kind of ['bank', 'iban', 'emoney', 'email'] as const) {
    const asked = payment(kind, `canary ${kind}`, { recipient: recipients[kind] });
    const { status, body, text } = await ask('/v1/payments', asked);
    assert.equal(status, 200, text);
    assert.equal((await ask('/v1/payments', { ...asked, amountIn: '5000001' })).status, 422);
    await carryOn(ask, body);
  }
  await choose(url, ask);
  await lookFor(ask);
  await plantSimulated(ask);
  await plantRegistered(ask);
}

/** Has the sandbox choose a destination as a recipient does. */
async function plantSimulated(ask: Caller): Promise<void> {
  const { simulatedName: name, simulatedIban: iban } = canaries;
  const { body } = await ask(
    '/v1/payments',
    payment('email', 'canary simulated', { recipient: recipients.email }),
  );
  const destination = { type: 'bank', name, country: 'DE', account: { iban } };
  const events = [
    { event: 'deposit.exact' },
    { event: 'swap.done' },
    { event: 'collect.submitted', destination },
  ];
  for (const [index, event] of events.entries()) {
    const path = `/v1/sandbox/payments/${body.planId}/steps/${body.steps[index]?.stepId}/simulate`;
    const { status, text } = await ask(path, event);
    assert.equal(status, 200, text);
  }
}

/** Looks for rounds by addresses: the one that was asked last, one that was replaced, and one that is none. */
async function lookFor(ask: Caller): Promise<void> {
  const { email, readdressedEmail, refusedEmail } = canaries;
  for (const [address, count] of [
    [email, 0],
    [readdressedEmail, 1],
  ] as const) {
    const listed = await ask(`/v1/collect_requests?limit=1&email=${encodeURIComponent(address)}`);
    assert.equal((JSON.parse(listed.text) as { data: object[] }).data.length, count, listed.text);
    assert.ok(!listed.text.includes(address));
  }
  const refused = await ask(`/v1/collect_requests?email=${encodeURIComponent(refusedEmail)}`);
  assert.equal(refused.status, 400);
  assert.ok(!refused.text.includes('nowhere'), refused.text);
}

/** Keeps recipients, looks at them, changes and reveals them, and pays one. */
async function plantRegistered(ask: Caller): Promise<void> {
  for (const kind of ['bank', 'iban', 'emoney', 'email'] as const) {
    const recipient = recipients[kind];
    const clientReference = `canary ${kind}`;
    for (const body of [{ recipient }, { recipient, clientReference }, { recipient, clientReference }])
      assert.equal((await ask('/v1/recipients', body)).status, 201);
    assert.equal((await ask('/v1/recipients/validate', { recipient })).status, 200);
    const other = { recipient: recipients.replaced, clientReference };
    assert.equal((await ask('/v1/recipients', other)).status, 422);
  }
  const { data: registered } = JSON.parse((await ask('/v1/recipients?country=AU')).text) as {
    data: { recipientId: string }[];
  };
  const [{ recipientId } = assert.fail()] = registered;
  const own = `/v1/recipients/${recipientId}`;
  const changed = await ask(own, { recipient: recipients.replaced }, 'PATCH');
  assert.equal(changed.status, 200, changed.text);
  assert.ok((await ask(`${own}/reveal`, {})).text.includes(canaries.replacedAccount));
  const paid = payment('bank', 'canary saved', { recipient: { type: 'saved', recipientId } });
  assert.equal((await ask('/v1/payments', paid)).status, 200);
  assert.equal((await ask(own, undefined, 'DELETE')).status, 200);
  assert.equal((await ask('/v1/payments', { ...paid, clientReference: 'canary gone' })).status, 400);
}

/** Imports a statement with a payment to a person, twice: the second file tells more of it. */
async function plantStatement(url: string, { username, password }: Login): Promise<void> {
  const { statementName: name, statementIban: account, statementText: text } = canaries;
  const bank = statementsOn(url, basic(username, password));
  for (const told of [{ name }, { name, account, text }]) {
    const booking = { amount: '-1.00', reference: 'canary', ...told };
    const [entry] = await bank.entries(await bank.imported(camtOf({ bookings: [booking] })));
    assert.ok(entry?.counterparty?.name?.startsWith('Z'), 'a mask is shown');
  }
}

/** Plays the recipient: one destination, a wrong code, then another destination and the right code. */
async function choose(url: string, ask: Caller): Promise<void> {
  await mailsOf(ask, 1);
  const listed = await ask('/v1/payments?mode=DIGITAL_COLLECT');
  const {
    data: [plan = assert.fail()],
  } = JSON.parse(listed.text) as { data: PaymentPlan[] };
  for (const [index, email] of [canaries.movedEmail, canaries.readdressedEmail].entries()) {
    // A link can be sent again one minute after the last time.
    assert.equal((await ask('/v1/sandbox/clock', { advance: 'PT61S' })).status, 200);
    const recipient = { type: 'email', email };
    const readdressed = await ask(`/v1/payments/${plan.planId}/again`, { recipient });
    assert.equal(readdressed.status, 200, readdressed.text);
    await mailsOf(ask, index + 2);
  }
  const [link = assert.fail()] = await mailsOf(ask, 3);
  const token = tokenIn(link);
  const form = { token, type: 'bank', country: 'DE', name: canaries.chosenName };
  assert.equal((await postForm(url, 'open', { token })).status, 200);
  assert.equal((await postForm(url, 'submit', { ...form, 'account.iban': canaries.otherIban })).status, 200);
  const [early = assert.fail()] = await mailsOf(ask, 4);
  assert.equal((await ask('/v1/sandbox/clock', { advance: 'PT31S' })).status, 200);
  const chosen = { ...form, 'account.iban': canaries.chosenIban };
  assert.equal((await postForm(url, 'submit', chosen)).status, 200);
  const [late = assert.fail()] = await mailsOf(ask, 5);
  const code = codeIn(late);
  Object.assign(secrets, { token, earlyCode: codeIn(early), code });
  assert.equal((await postForm(url, 'confirm', { ...chosen, code: otherCode(code) })).status, 400);
  assert.equal((await postForm(url, 'confirm', { ...chosen, code })).status, 200);
}

async function mailsOf(ask: Caller, atLeast: number): Promise<readonly Mail[]> {
  for (let tries = 0; tries < 2_000; tries++) {
    const { data } = JSON.parse((await ask('/v1/sandbox/mailbox')).text) as { data: Mail[] };
    if (data.length >= atLeast) return data;
    await sleep(25);
  }
  return assert.fail(`There are not ${atLeast} e-mails.`);
}

/** Plays a plan from the deposit to its end, with failures, another account and a reveal in between. */
async function carryOn(ask: Caller, { planId, steps, recipient }: PaymentPlan): Promise<void> {
  const own = `/v1/payments/${planId}`;
  const revealed = await ask(`${own}/recipient/reveal`, {});
  assert.equal(revealed.status, 200, revealed.text);
  for (const [index, event] of ['deposit.exact', 'swap.done'].entries()) {
    const path = `/v1/sandbox/payments/${planId}/steps/${steps[index]?.stepId}/simulate`;
    const { status, text } = await ask(path, { event });
    assert.equal(status, 200, text);
  }
  const last = steps.at(-1);
  if (last?.type !== 'CUSTODIAN_PAYOUT') return;
  const failed = { outcome: 'FAILED', failure: { code: 'NAME_MISMATCH' } };
  const step = `${own}/steps/${last.stepId}`;
  const isAustralian = recipient.type === 'bank' && recipient.country === 'AU';
  const again = `${own}/again`;
  const told: readonly (readonly [string, object])[] = [
    [`${step}/reports`, failed],
    [again, {}],
    [`${step}/reports`, { ...failed, providerReference: `FAILED ${planId.slice(-8)}` }],
    [again, isAustralian ? { recipient: recipients.replaced } : {}],
    [`${step}/reports`, { outcome: 'DONE', providerReference: `PAID ${planId.slice(-8)}` }],
  ];
  for (const [path, body] of told) assert.equal((await ask(path, body)).status, 200);
}

/** Sends requests that are refused: their values must not be stored either. */
async function plantRefused(ask: Caller): Promise<void> {
  const { refusedName: name, refusedIban: iban, refusedAccount: accountNumber, refusedEmail } = canaries;
  const bank = { ...recipients.bank, name, account: { bsb: '062-000', accountNumber } };
  const refused: unknown[] = [
    payment('iban', 'refused', { recipient: { ...recipients.iban, name, account: { iban } } }),
    payment('bank', 'refused', { recipient: bank }),
    payment('bank', 'refused', { recipient: { ...bank, [name]: accountNumber } }),
    payment('email', 'refused', { recipient: { type: 'email', email: refusedEmail, name } }),
    payment('iban', 'refused', { recipient: bank }),
    { ...payment('bank', 'refused'), [name]: accountNumber },
    JSON.stringify(payment('bank', 'refused', { recipient: bank })).slice(0, -1),
  ];
  for (const body of refused) {
    const { status } = await ask('/v1/payments', body);
    assert.ok(status >= 400 && status < 500, String(status));
  }
  for (const body of [
    { recipient: { ...recipients.iban, name, account: { iban } } },
    { recipient: { ...bank, [name]: accountNumber } },
    { recipient: { type: 'email', email: refusedEmail, name } },
    { recipient: recipients.bank, [name]: accountNumber },
  ]) {
    assert.equal((await ask('/v1/recipients', body)).status, 400);
    const looked = await ask('/v1/recipients/validate', body);
    assert.ok(!looked.text.includes(iban) && !looked.text.includes(refusedEmail), looked.text);
  }
  assert.equal((await ask(`/v1/payments?${new URLSearchParams({ [name]: iban })}`)).status, 400);
  assert.equal((await ask(`/v1/payments/${encodeURIComponent(refusedEmail)}`)).status, 404);
}

/** Every row of every table as text, because the files may hold values compressed. */
async function dump(): Promise<string> {
  const running = connectToRunning(join(data, 'postgres'));
  assert.ok(running);
  const client = new Client(urlOf(running));
  await client.connect();
  const tables = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
    texts.push(name, ...rows.map(({ row }) => row));
  }
  await client.end();
  assert.ok(tables.rows.length > 15 && texts.join('').includes('canary bank'), 'the dump holds the plans');
  return texts.join('\n');
}

/** The forms in which a value could be stored: bytes in latin1, in lower case. */
function formsOf(value: string): string[] {
  const compact = value.replaceAll(/[ -]/g, '');
  const [first = '', second = ''] = value.split(' ');
  const spellings = [value, compact, ...(value.startsWith('Zé') ? [first, second] : [])];
  return [...new Set(spellings)].flatMap((spelling) => {
    const bytes = Buffer.from(spelling);
    const escaped = spelling.replaceAll('é', '\\u00e9');
    const base64 = [0, 1, 2].flatMap((shift) => {
      const whole = Buffer.concat([Buffer.alloc(shift, 'x'), bytes]).toString('base64url');
      // Without the characters at both ends, which depend on neighbouring bytes.
      return whole.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
    });
    const utf16 = Buffer.from(spelling, 'utf16le').toString('latin1');
    return [
      bytes.toString('latin1'),
      bytes.toString('hex'),
      escaped,
      encodeURIComponent(spelling),
      utf16,
      ...base64,
    ];
  });
}

/**
 * Finds a form in a text. Six digits may be part of a longer number by chance, so they count only where they stand
 * alone.
 */
function finds(haystack: string, form: string): boolean {
  if (!/^\d{1,8}$/.test(form)) return haystack.includes(form.toLowerCase());
  return new RegExp(`(?<![0-9a-z])${form}(?![0-9a-z])`).test(haystack);
}

/** The planted values that a place holds. base64 is compared in its URL form and in lower case. */
function found(place: string, bytes: Buffer): string[] {
  const text = bytes.toString('latin1').toLowerCase();
  const alphabet = text.replaceAll('+', '-').replaceAll('/', '_');
  return Object.entries({ ...canaries, ...secrets }).flatMap(([name, value]) =>
    formsOf(value)
      .filter((form) => finds(text, form) || finds(alphabet, form))
      .map((form) => `${place} holds ${name} as ${JSON.stringify(form)}`),
  );
}

/** The operations whose bodies hold personal details, each with values that are planted above. */
const PLANTED = [
  ...[
    'createPayment',
    'againPayment',
    'createRecipient',
    'validateRecipient',
    'changeRecipient',
    'simulateStep',
  ],
];
/** Bodies with a `recipient` that is the address of a swap, or an `account` of the organisation itself, and no person. */
const NO_PERSON = ['planSwap', 'keepStatementMap'];

test('every operation that takes personal details has planted values', () => {
  const taking = (Object.keys(OPERATIONS) as OperationId[]).filter((id) => {
    const { body } = operation(id);
    const { properties = {} } = (body ?? {}) as { properties?: object };
    return ['recipient', 'email', 'destination', 'name', 'account'].some((field) => field in properties);
  });
  assert.deepEqual(
    taking.filter((id) => !NO_PERSON.includes(id)),
    PLANTED,
  );
});

test('the search finds planted values in every form', () => {
  const { name, iban, bsb } = canaries;
  for (const planted of [
    `x${name}y`,
    JSON.stringify(name).replaceAll('é', '\\u00e9'),
    `{"bsb":"${bsb.replace('-', '')}"}`,
    Buffer.from(`?${iban}?`).toString('base64'),
    Buffer.from(`??{"name":"${name}"}`).toString('base64'),
    Buffer.from(iban).toString('hex').toUpperCase(),
    encodeURIComponent(name),
  ])
    assert.notDeepEqual(found('here', Buffer.from(`before ${planted} after`)), [], planted);
  assert.deepEqual(found('here', randomBytes(1_000_000)), []);
});

test('the data folder, the tables and the log of a used service hold no personal details', async () => {
  const env = { FAIRWAY_SEALING_KEYS: `k1:${randomBytes(32).toString('hex')}` };
  const args = ['--port', '0', '--data', data, '--log-level', 'trace'];
  const service = await startFairway(args, env);
  const login = await makeLogin({ data, env }, 'Canary Ltd');
  const ask = callerOf(service.ready.url, login);
  await plantAll(service.ready.url, ask);
  await plantStatement(service.ready.url, login);
  await plantRefused(ask);
  const tables = await dump();
  assert.equal(await service.stop(), 0);
  const leaks = [
    ...found('a table', Buffer.from(tables)),
    ...found('the log', Buffer.from(service.output())),
  ];
  let bytesSearched = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    bytesSearched += bytes.length;
    leaks.push(...found(path, bytes));
  }
  assert.deepEqual(leaks, []);
  assert.ok(bytesSearched > 30_000_000, 'the database and its journal were searched');
});
