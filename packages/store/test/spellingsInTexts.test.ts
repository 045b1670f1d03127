// References in texts, beside any signs and in any spelling: an entry that has one is no other payment.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { BY, bookedPayments, NAME, newId } from './bookedPayments.ts';
import { statementFile } from './everyStatementOperation.ts';
import { openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
beforeEach(() => bench.clear());
after(() => bench?.close());

const { due, pay, imported, latest, madeLate, stateOf } = bookedPayments(bench);

/** Texts as banks write them around a reference, and the reference of a plan that nobody has paid. */
const AROUND: readonly (readonly [string, string])[] = [
  ...[
    'Ref.#',
    'RE.NR.#',
    'RNR-#',
    'Rechnung##',
    '#-Miete',
    '#_Miete',
    'Rent[#]',
    'Rechnung „#“',
    '«#»',
    '№#',
  ].map((around) => [around.replace(/#(?!.*#)/, 'INV-2026-4711'), 'INV-2026-4711'] as const),
  ...[...`'&<>@!$%^{}\\~*·•§"\`€`].map((sign) => [`a${sign}INV-2026-4711${sign}b`, 'INV-2026-4711'] as const),
  ['rent INV‑2026–4711', 'INV-2026-4711'],
  ['rent INV-2026\u00AD-4711', 'INV-2026-4711'],
  ['CONSULTING-BERLI', 'CONSULTING-BERLIN-2026-77'],
  ['rent PAYROLL-NOVEMBER', 'PAYROLL-NOVEMBER-2026-77'],
  ['rent of the harbour office in old town 77', 'rent of the harbour office in old town 77'],
];

for (const [text, clientReference] of AROUND)
  test(`the text ${text} names ${clientReference}`, async () => {
    await pay(await due());
    await madeLate(clientReference);
    assert.deepEqual(await imported({ name: NAME, text }), ['TENTATIVE', 'REFERENCE_DIFFERS']);
  });

/** Spellings of MÜLLER-2026-77, and the fields that may have them. */
const SPELLINGS = ['MUELLER-2026-77', 'müller-2026-77', 'Mu\u0308ller 2026-77', 'MULLER-2026-77'];

for (const spelling of SPELLINGS)
  for (const [place, unit] of [
    ['text', { text: `rent ${spelling}` }],
    ['field', { references: [spelling] }],
  ] as const)
    for (const isLate of place === 'text' ? [false, true] : [false])
      test(`${spelling} in a ${place} is MÜLLER-2026-77, made ${isLate ? 'later' : 'before'}`, async () => {
        await pay(await due());
        if (!isLate) await madeLate('MÜLLER-2026-77');
        await imported({ name: NAME, ...unit });
        const late = isLate ? [await madeLate('MÜLLER-2026-77')] : [];
        for (const { planId } of late) await bench.store.statements.matchPayments(bench.scope, planId, BY);
        assert.deepEqual(await latest(), ['TENTATIVE', 'REFERENCE_DIFFERS']);
      });

test('a reference with an e behind a vowel is not the one without it', async () => {
  const told = await pay(await due());
  await madeLate('BAUR-2026-77');
  const state = await imported({ name: NAME, text: 'BAUER-2026-77' });
  assert.deepEqual(state, ['MATCHED', 'AMOUNT_DATE_NAME', told.planId]);
});

test('an umlaut is found as banks spell it in a file of long texts, too', async () => {
  await pay(await due());
  await madeLate('MÜLLER-2026-77');
  const longText = 'services to the harbour office '.repeat(30);
  const long = Array.from({ length: 30 }, (_, index) => ({
    ...{ minor: BigInt(index + 1), servicerReference: newId().slice(20), text: longText },
  }));
  const first = {
    minor: 1_234n,
    servicerReference: newId().slice(20),
    name: NAME,
    text: 'rent MUELLER-2026-77',
  };
  const taken = await bench.store.statements.importStatement(
    bench.scope,
    statementFile([first, ...long]),
    BY,
  );
  assert.ok(taken.ok);
  assert.deepEqual(await stateOf(taken.statement.statementId), ['TENTATIVE', 'REFERENCE_DIFFERS']);
});
