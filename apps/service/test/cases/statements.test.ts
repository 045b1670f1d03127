// Statements of the custodian's bank, over HTTP: imported once, compared with the ledger and the chain, decided by a person.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Event, PaymentPlan } from '@fairway/wire';
import { type PaymentsTest, startPaymentsTest } from '../paymentsHarness.ts';
import { dayOf, decimal, type Paid, paidOn, swappedOn } from '../paidPlans.ts';
import { camtOf, statementsOn } from '../statementsHarness.ts';

let payments: PaymentsTest;
let bank: ReturnType<typeof statementsOn>;
const swapped = () => swappedOn(payments);
const paid = (plan?: PaymentPlan) => paidOn(payments, plan);
before(async () => {
  payments = await startPaymentsTest();
  bank = statementsOn(payments.service.url, payments.service.authorization);
});
after(() => payments?.close());

/** The events of a subject, once there are so many. */
async function eventsOf(subject: string, count: number): Promise<readonly Event[]> {
  for (const untilMs = performance.now() + 10_000; performance.now() < untilMs; await sleep(25)) {
    const { body } = await payments.service.request(`/v1/events?subject=${subject}`);
    const { data } = body as { data: Event[] };
    if (data.length >= count) return data;
  }
  return assert.fail(`${subject} has no ${count} events`);
}

test('an entry with the end-to-end id and amount of a payout is it, down to the chain', async () => {
  const { plan, payout, minor } = await paid();
  const on = dayOf(payout);
  const booking = {
    amount: `-${decimal(minor)}`,
    on,
    endToEndId: payout.endToEndId ?? '',
    name: 'Josephine Citizen',
  };
  const file = camtOf({ bookings: [booking, { amount: '-0.50', on }], openingOn: on, closingOn: on });
  const statement = await bank.imported(file);
  assert.deepEqual(statement.entries, {
    OPEN: 1,
    TENTATIVE: 0,
    PARTLY_MATCHED: 0,
    MATCHED: 1,
    IGNORED: 0,
    TOTAL: 2,
  });
  const [entry, fee] = await bank.entries(statement);
  assert.equal(fee?.status, 'OPEN');
  assert.equal(entry?.status, 'MATCHED');
  assert.deepEqual(entry.counterparty, { name: 'J. C.' });
  const [match] = entry.matches;
  assert.deepEqual(
    [match?.movementId, match?.amount, match?.by],
    [payout.movementId, String(minor), 'END_TO_END_ID'],
  );
  assert.deepEqual(
    [
      entry.verification,
      match?.ledger?.movement.verification,
      match?.ledger?.log?.verification,
      match?.ledger?.log?.kind,
    ],
    ['REPORTED', 'REPORTED', 'VERIFIED', 'SWAP_OUT'],
  );
  assert.equal(match?.ledger?.planId, plan.planId);

  const again = await bank.upload(file);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(again.statement, statement);
  const told = await eventsOf(entry.entryId, 1);
  assert.deepEqual(
    told.map(({ type }) => type),
    ['statement_entry.matched'],
  );
  assert.ok(!JSON.stringify(told).includes('Citizen'));
});

test('a payout that is told after its statement is matched by itself', async () => {
  const plan = await swapped();
  const due = plan.steps.find(({ type }) => type === 'CUSTODIAN_PAYOUT')?.custodianAction;
  assert.ok(due !== undefined);
  const minor = BigInt(due.amount) / 10_000n;
  const statement = await bank.imported(
    camtOf({ id: 'late', bookings: [{ amount: `-${decimal(minor)}`, endToEndId: due.endToEndId }] }),
  );
  const [before] = await bank.entries(statement);
  assert.equal(before?.status, 'OPEN');
  const { payout } = await paid(plan);
  const [event] = await eventsOf(before.entryId, 1);
  assert.equal(event?.type, 'statement_entry.matched');
  const [entry] = await bank.entries(statement);
  assert.deepEqual(
    [entry?.status, entry?.matches.map(({ movementId, by }) => [movementId, by])],
    ['MATCHED', [[payout.movementId, 'END_TO_END_ID']]],
  );
});

test('a person decides: one entry is several payouts, several are one, the rest is open', async () => {
  const [one, two] = [await paid(), await paid()];
  const on = dayOf(one.payout);
  const sum = one.minor + two.minor;
  const half = one.minor / 2n;
  const statement = await bank.imported(
    camtOf({
      id: 'decided',
      bookings: [
        { amount: `-${decimal(sum)}`, on, reference: `batch ${one.plan.planId}` },
        { amount: `-${decimal(half)}`, on, reference: `half ${one.plan.planId}` },
        { amount: '12.00', on, reference: `credit ${one.plan.planId}` },
        { amount: '-3.00', on, reference: `fee ${one.plan.planId}` },
      ],
    }),
  );
  const [batch, part, credit, fee] = await bank.entries(statement);
  assert.ok(batch && part && credit && fee);
  assert.equal(statement.entries.OPEN, 4);
  const whole = (of: Paid, minor = of.minor) => ({ movementId: of.payout.movementId, amount: String(minor) });

  const both = await bank.match(batch.entryId, whole(one), whole(two));
  assert.deepEqual([both.entry.status, both.entry.openAmount], ['MATCHED', '0'], both.text);
  assert.equal(both.entry.matches.length, 2);
  assert.deepEqual((await bank.entry(batch.entryId)).entry, both.entry, 'read by its id');
  assert.ok(
    both.entry.matches.every(({ by, ledger }) => by === 'PERSON' && ledger?.log?.verification === 'VERIFIED'),
  );
  assert.equal(
    (await bank.match(batch.entryId, whole(one), whole(two))).status,
    200,
    'again changes nothing',
  );
  const taken = await bank.match(part.entryId, whole(one, half));
  assert.deepEqual([taken.status, taken.problem.code], [409, 'match-mismatch']);
  assert.match(taken.problem.detail, /: 0 minor units of the movement are left/);
  assert.ok(taken.problem.detail.includes(`. ${batch.entryId} has the rest: unmatch it first`));

  const fewer = await bank.match(batch.entryId, whole(one, half), whole(two));
  assert.deepEqual(
    [fewer.entry.status, fewer.entry.openAmount],
    ['PARTLY_MATCHED', String(one.minor - half)],
  );
  assert.equal((await bank.match(part.entryId, whole(one, half))).entry.status, 'MATCHED');

  const refused = [
    await bank.match(credit.entryId, whole(two, 1n)),
    await bank.match(fee.entryId, whole(two, 301n)),
    await bank.match(fee.entryId, { movementId: `mov_${'0'.repeat(40)}`, amount: '1' }),
    await bank.ignore(part.entryId, 'no reason'),
  ];
  assert.deepEqual(
    refused.map(({ status, problem }) => `${status} ${problem.code}`),
    Array(4).fill('409 match-mismatch'),
  );
  assert.match(refused[1]?.problem.detail ?? '', /The allocations come to 301, the entry has 300 in all/);
  const ignored = await bank.ignore(fee.entryId, 'fee of the account');
  assert.deepEqual([ignored.entry.status, ignored.entry.ignoredReason], ['IGNORED', 'fee of the account']);
  assert.equal((await bank.unmatch(fee.entryId)).entry.status, 'OPEN');
  const told = await eventsOf(fee.entryId, 2);
  assert.equal(told.map(({ type }) => type).join(), 'statement_entry.ignored,statement_entry.unmatched');

  const differences = await bank.differences(statement);
  const entries = differences.flatMap(({ entry }) => entry?.entryId ?? []);
  assert.deepEqual(entries, [batch.entryId, credit.entryId, fee.entryId]);
  const mine = differences.find(({ ledger }) => ledger?.movement.movementId === one.payout.movementId);
  // Two halves of an odd amount leave a cent.
  assert.equal(mine?.openAmount, one.minor === 2n * half ? undefined : '1');
});

test('what is unmatched is wholly open again, and gives its movement back', async () => {
  const { payout, minor } = await paid();
  const bookings = ['right', 'wrong'].map((name) => ({
    amount: `-${decimal(minor)}`,
    reference: `${name} ${payout.movementId}`,
  }));
  const [right, wrong] = await bank.entries(await bank.imported(camtOf({ id: 'undone', bookings })));
  assert.ok(right && wrong);
  const all = { movementId: payout.movementId, amount: String(minor) };
  assert.equal((await bank.match(wrong.entryId, all)).entry.status, 'MATCHED');
  assert.equal((await bank.match(right.entryId, all)).status, 409);
  const { entry } = await bank.unmatch(wrong.entryId);
  assert.deepEqual([entry.status, entry.openAmount, entry.matches], ['OPEN', String(minor), []]);
  assert.equal((await bank.match(right.entryId, all)).entry.status, 'MATCHED');
});

test('a payout that the bank lacks is seen, also of a day on which the bank booked nothing', async () => {
  const { payout, minor } = await paid();
  const days = (count: number) =>
    new Date(Date.parse(dayOf(payout)) + count * 86_400_000).toISOString().slice(0, 10);
  const missing = async (openingOn: string, feeOn: string, closingOn: string) => {
    const account = `AU${openingOn}${feeOn}${closingOn}`.replaceAll('-', '');
    const bookings = [{ amount: '-0.90', on: feeOn }];
    const differences = await bank.differences(
      await bank.imported(camtOf({ account, bookings, openingOn, closingOn })),
    );
    return differences.find(({ ledger }) => ledger?.movement.movementId === payout.movementId);
  };
  assert.equal((await missing(days(-3), days(-2), days(0)))?.openAmount, String(minor));
  assert.equal((await missing(days(0), days(2), days(3)))?.openAmount, String(minor));
  assert.equal(await missing(days(-3), days(-2), days(-1)), undefined);
  assert.equal(await missing(days(1), days(2), days(3)), undefined);
});

test('a payout that was retried on the day of its failure is certain by the references of both', async () => {
  const plan = await swapped();
  const told = {
    outcome: 'FAILED',
    providerReference: `NPP-1 ${plan.planId}`,
    failure: { code: 'RAIL_UNAVAILABLE' },
  };
  const failed = await payments.report(plan, 'CUSTODIAN_PAYOUT', told);
  assert.equal(failed.status, 200, failed.text);
  const retried = await payments.again(failed.body);
  const { payout, minor } = await paid(retried.body);
  const [amount, endToEndId] = [decimal(minor), payout.endToEndId ?? ''];
  const details = (reference: string | undefined, sign = '-') => ({
    amount: `${sign}${amount}`,
    on: dayOf(payout),
    endToEndId,
    details: [{ amount: `${sign}${amount}`, endToEndId, ...(reference === undefined ? {} : { reference }) }],
  });
  const bookings = [
    details(told.providerReference),
    details(told.providerReference, ''),
    details(payout.providerReference),
  ];
  const statement = await bank.imported(camtOf({ id: `retry ${plan.planId}`, bookings }));
  const seen = (await bank.entries(statement)).map(({ status, matches, proposals }) => [
    status,
    matches[0]?.movementId ?? proposals[0]?.reasons.join(),
  ]);
  assert.deepEqual(seen, [
    ['TENTATIVE', 'EARLIER_ATTEMPT'],
    ['TENTATIVE', 'DIRECTION_DIFFERS,EARLIER_ATTEMPT'],
    ['MATCHED', payout.movementId],
  ]);
});

test('a payment that is nearly a payout is tentative, with its reasons', async () => {
  const { payout, minor } = await paid();
  const { endToEndId = '' } = payout;
  const on = dayOf(payout);
  const booked = { on, name: 'Josephine Citizen' };
  const statement = await bank.imported(
    camtOf({
      id: 'near',
      bookings: [
        { ...booked, amount: `-${decimal(minor - 150n)}`, endToEndId, reference: `r1 ${endToEndId}` },
        {
          ...booked,
          amount: `-${decimal(minor)}`,
          endToEndId: endToEndId.slice(0, -3),
          reference: `r2 ${endToEndId}`,
        },
        { ...booked, amount: decimal(minor), endToEndId, reference: `r3 ${endToEndId}` },
      ],
    }),
  );
  const entries = await bank.entries(statement, '?status=TENTATIVE');
  assert.deepEqual(
    entries.map(({ proposals }) => proposals.map(({ movementId, reasons }) => [movementId, reasons])),
    [
      [[payout.movementId, ['AMOUNT_DIFFERS']]],
      [[payout.movementId, ['REFERENCE_CUT', 'SEVERAL_ENTRIES']]],
      [[payout.movementId, ['DIRECTION_DIFFERS']]],
    ],
  );
  const [first] = entries;
  assert.equal(first?.proposals[0]?.ledger?.bank.amount, String(minor));
  assert.equal(
    (await bank.match(first?.entryId ?? '', { movementId: payout.movementId, amount: String(minor - 150n) }))
      .entry.status,
    'MATCHED',
  );
});

test('an entry of two files is one, each payment of a booking is one, and gaps are shown', async () => {
  const account = `DE${String(Date.now()).padStart(20, '0')}`;
  const days = ['2026-03-02', '2026-03-03', '2026-03-04'] as const;
  const twice = { amount: '-10.00', on: days[0] };
  const known = { amount: '-7.00', on: days[0], reference: 'ref-7', endToEndId: 'E-7' };
  const batch = {
    amount: '-31.50',
    on: days[0],
    reference: 'batch-1',
    details: [
      { amount: '-10.00', endToEndId: 'B-1' },
      { amount: '-20.00', endToEndId: 'B-2' },
    ],
  };
  const bookings = [twice, twice, known, batch, { amount: '-5.00', status: 'PDNG' }];
  const first = await bank.imported(
    camtOf({ account, bookings, openingOn: days[0], closingOn: days[0], version: '02' }),
  );
  const entries = await bank.entries(first);
  assert.deepEqual(
    entries.map(({ amount, isRest, endToEndId }) => [amount, isRest, endToEndId]),
    [
      ['1000', false, undefined],
      ['1000', false, undefined],
      ['700', false, 'E-7'],
      ['1000', false, 'B-1'],
      ['2000', false, 'B-2'],
      ['150', true, undefined],
    ],
  );
  // The same day again, and the next one.
  const later = { amount: '-2.00', on: days[1], reference: 'ref-2' };
  const valued = { ...known, valueOn: days[1] };
  const wide = camtOf({
    account,
    bookings: [twice, twice, valued, batch, later],
    openingOn: days[0],
    closingOn: days[1],
    version: '13',
  });
  const second = await bank.imported(wide);
  const again = await bank.entries(second);
  assert.deepEqual(
    again.slice(0, 6).map(({ entryId }) => entryId),
    entries.map(({ entryId }) => entryId),
  );
  assert.equal(again[2]?.valueOn, days[1]);
  assert.deepEqual(
    (await eventsOf(again[2]?.entryId ?? '', 1)).map(({ type }) => type),
    ['statement_entry.updated'],
  );
  assert.equal(again.length, 7);
  const third = await bank.imported(
    camtOf({
      account,
      bookings: [{ ...later, on: days[2], reference: 'ref-3' }],
      opening: '50.00',
      openingOn: days[2],
      closingOn: days[2],
    }),
  );
  const [section] = third.sections;
  assert.equal(section?.gap?.afterStatementId, second.statementId);
  assert.equal(section?.gap?.expectedOpening.on, days[1]);
  assert.equal(section?.account, `…${account.slice(-4)}`);
});

test('a statement in which nothing was booked is kept, and there is nothing to do', async () => {
  for (const bookings of [[], [{ amount: '-1.00', status: 'PDNG' }]]) {
    const account = `AU${Date.now()}${bookings.length}`;
    const statement = await bank.imported(
      camtOf({ account, bookings, openingOn: '2025-01-03', closingOn: '2025-01-03' }),
    );
    assert.deepEqual([statement.entries.TOTAL, statement.sections[0]?.isBalanced], [0, 'YES']);
    assert.deepEqual(await bank.differences(statement), []);
  }
});

test('a file is read in the encoding that it declares or shows', async () => {
  const written = (encoding: string) =>
    camtOf({
      bookings: [{ amount: '-1.00', reference: 'Größe 7', name: 'Zoë' }],
      account: `E${encoding}`,
    }).replace('UTF-8', encoding);
  const marked = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');
  for (const [bytes, type] of [
    [Buffer.from(written('ISO-8859-1'), 'latin1'), 'application/xml'],
    [Buffer.from(written('windows-1252'), 'latin1'), 'application/xml'],
    [
      Buffer.from(written('UTF-8').replace(' encoding="UTF-8"', ''), 'latin1'),
      'text/xml; charset=iso-8859-1',
    ],
    [marked(written('UTF-16')), 'application/xml'],
    [marked(written('UTF-16')).swap16(), 'application/xml'],
    [Buffer.from(written('utf-16'), 'utf16le'), 'application/xml'],
  ] as const) {
    const { statement, status, text } = await bank.upload(new Uint8Array(bytes), type);
    assert.equal(status, 201, text);
    assert.deepEqual((await bank.entries(statement))[0]?.references, ['Größe 7']);
  }
});

test('files that are no whole statement are refused, and leave nothing', async () => {
  const before = (await bank.send('STATEMENTS', '/statements?limit=100')).text;
  const good = camtOf({ id: 'refused', bookings: [{ amount: '-1.00', endToEndId: 'a & b' }] });
  const laughs = Array.from(
    { length: 9 },
    (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`,
  ).join('');
  const dtd = (inner: string) => good.replace('<Document', `<!DOCTYPE Document [${inner}]><Document`);
  const files: readonly (readonly [string, string | Uint8Array<ArrayBuffer>, RegExp])[] = [
    ['billion laughs', dtd(`<!ENTITY l0 "lol">${laughs}`).replace('a &amp; b', '&l9;'), /document type/],
    [
      'an external entity',
      dtd('<!ENTITY x SYSTEM "file:///etc/passwd">').replace('a &amp; b', '&x;'),
      /document type/,
    ],
    [
      'an external DTD',
      good.replace('<Document', '<!DOCTYPE Document SYSTEM "http://127.0.0.1:1/x.dtd"><Document'),
      /document type/,
    ],
    ['an unknown entity', good.replace('a &amp; b', '&nbsp;'), /not well-formed/],
    ['a deep document', good.replace('a &amp; b', '<x>'.repeat(200)), /deeper than/],
    ['a truncated file', good.slice(0, -30), /not well-formed/],
    ['another sum', camtOf({ bookings: [{ amount: '-1.00' }], closing: '5.00' }), /come to/],
    ['a version of later', good.replace('053.001.08', '053.001.14'), /camt/],
    ['another document', '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"/>', /camt/],
    ['Latin letters', Buffer.from(good.replace('a &amp; b', 'Zoë'), 'latin1'), /no.* valid UTF-8/],
    ['an unknown encoding', good.replace('UTF-8', 'KOI-99'), /encoding that is not known/],
    ['a NUL character', good.replace('a &amp; b', 'a\0b'), /NUL character/],
    ['a day of the year 9999', good.replaceAll('2026-11-24<', '9999-12-31<'), /^line \d+: .*1970 to 2199/],
    ['a reference without end', good.replace('a &amp; b', 'r'.repeat(4_000)), /^line \d+: .*256 char/],
    ['ZIP', Buffer.from('PK\x03\x04rest', 'latin1'), /packed/],
    ['gzip', Buffer.from('\x1f\x8brest', 'latin1'), /packed/],
    ['nothing', '', /empty/],
    ['too many decimals', good.replace('>1.00<', '>1.001<'), /decimals/],
    ['another currency', good.replace('<Ntry><Amt Ccy="AUD">', '<Ntry><Amt Ccy="USD">'), /currency/],
  ];
  for (const [name, file, detail] of files) {
    const { status, problem } = await bank.upload(file);
    assert.equal(status, 400, name);
    assert.match(problem.detail, detail, name);
    assert.ok(!problem.detail.includes('passwd') && !problem.detail.includes('lol'), name);
  }
  const media = await bank.upload(good, 'text/html');
  assert.deepEqual([media.status, media.problem.code], [415, 'unsupported-media-type']);
  assert.equal((await bank.upload(good, 'application/xml; charset=koi-99')).status, 415);
  assert.equal(
    (
      await bank.send('STATEMENT', '/statements', {
        method: 'POST',
        body: good,
        headers: { 'content-type': 'text/xml', 'content-encoding': 'gzip' },
      })
    ).status,
    415,
  );
  assert.equal(
    (await bank.upload('--x', 'multipart/form-data; boundary=x')).problem.code,
    'malformed-request',
  );
  assert.equal((await bank.send('STATEMENTS', '/statements?limit=100')).text, before);
});

test('a file of 33 MiB is refused, one of 31 MiB is read, and neither stays in memory', {
  timeout: 120_000,
}, async () => {
  const url = new URL('/v1/reconciliation/statements', payments.service.url);
  const large = await fetch(url, {
    method: 'POST',
    headers: { authorization: payments.service.authorization, 'content-type': 'application/xml' },
    body: Buffer.alloc(33 * 1024 * 1024, 0x20),
  }).then(
    async (response) => [response.status, ((await response.json()) as { code: string }).code],
    () => [413, 'body-too-large'],
  );
  assert.deepEqual(large, [413, 'body-too-large']);
  // An upload that its sender gives up leaves its place to the next one.
  const gone = new AbortController();
  const unfinished = fetch(url, {
    method: 'POST',
    headers: { authorization: payments.service.authorization, 'content-type': 'application/xml' },
    body: new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('<Document')) }),
    duplex: 'half',
    signal: gone.signal,
  });
  setTimeout(() => gone.abort(), 200);
  await assert.rejects(unfinished);
  for (let tries = 0; (await bank.upload('<a/>')).status === 429; tries += 1) {
    assert.ok(tries < 100);
    await sleep(50);
  }
  const held = () => process.memoryUsage().arrayBuffers;
  const heldBefore = held();
  const text = 'x'.repeat(9_000);
  const many = Array.from({ length: 3_400 }, (_, index) => ({
    amount: '-1.00',
    reference: `large-${index}`,
    text,
  }));
  const file = camtOf({ id: 'large', bookings: many });
  assert.ok(file.length > 30 * 1024 * 1024 && file.length < 32 * 1024 * 1024, String(file.length));
  for (let round = 0; round < 3; round += 1) {
    const answer = await bank.upload(file.replace('</Document>', ' '.repeat(round)));
    assert.equal(answer.status, 400, answer.text);
  }
  assert.ok(held() - heldBefore < 200 * 1024 * 1024, `${held() - heldBefore} bytes`);
});
