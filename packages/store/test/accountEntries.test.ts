// The entries of statements: what was paid from an account, as far as it is known, in every period the same for ever.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { amountOf, type Movement, movementIdOf, type Plan } from '@fairway/plan';
import { sql } from 'kysely';
import type { PaidAccount, PeriodEntry, PlanScope, ReportPlace } from '../src/index.ts';
import { movementRows } from '../src/rows.ts';
import { MADE_AT_MS, newPlan } from './plans.ts';
import { openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
beforeEach(() => bench.clear());
after(() => bench?.close());

const HOUR = 3_600_000;
const TO_MS = MADE_AT_MS + HOUR;
const AUD: PaidAccount = { corridorId: 'usdc-aud-bank', custodian: 'Test custodian', currency: 'AUD' };

/** A movement of a plan as it is written. `paid`: what was reported to have been paid, in minor units and its currency. */
type Written = {
  readonly kind: 'PAYOUT' | 'RETURN';
  readonly actual: bigint;
  readonly paid?: readonly [string, string];
  readonly reverses?: number;
  readonly reference?: string;
  readonly tx?: string;
  readonly atMs?: number;
};

/** A plan whose corridor has these facts of its target, with these movements. */
async function planWith(target: object, movements: readonly Written[]): Promise<Plan> {
  const made = newPlan();
  const corridor = { ...made.corridor, target: { ...made.corridor.target, ...target } };
  const plan = await bench.create({ ...made, corridor });
  const { planId, endToEndId } = plan;
  const { organisationId, environment } = bench.scope;
  const ledger = movements.map(
    ({ kind, actual, paid, reverses, reference, tx, atMs }, index) =>
      ({
        ...{ movementId: movementIdOf(planId, index + 1), seq: index + 1, kind, side: 'TARGET' },
        ...{ asset: { chainId: 31337, address: plan.corridor.target.token }, actual: amountOf(actual) },
        ...{ recordedAtMs: atMs ?? MADE_AT_MS, verification: 'REPORTED' },
        ...(reverses === undefined ? {} : { reverses: movementIdOf(planId, reverses) }),
        ...(reference === undefined ? {} : { providerReference: reference }),
        ...(tx === undefined ? {} : { transfer: { chainId: 31337, txHash: tx } }),
        ...(paid && { paid: { amount: amountOf(BigInt(paid[0])), asset: { currency: paid[1] } } }),
        ...(kind === 'PAYOUT' && reverses === undefined ? { endToEndId } : {}),
      }) as Movement,
  );
  const key = { organisation_id: organisationId, environment, plan_id: planId };
  const rows = movementRows(key, { ...plan, ledger }, 0);
  await sql`insert into movements select * from jsonb_populate_recordset(null::movements, ${JSON.stringify(rows)}::jsonb)`.execute(
    bench.database,
  );
  return plan;
}

async function seal(toMs: number): Promise<void> {
  const booked = await bench.store.reports.bookMovements(bench.scope, toMs, 10_000);
  assert.ok(booked.isSealed);
}

async function facts(fromMs = MADE_AT_MS, toMs = TO_MS, scope: PlanScope = bench.scope) {
  const found = await bench.store.reports.entryFacts(scope, { corridorId: 'usdc-aud-bank', fromMs, toMs });
  return { accounts: found.accounts, unknownCount: found.unknown?.count ?? 0, first: found.unknown?.first };
}

/** The entries of a period in signed minor units, read and added up in parts of `limit`; asserts that both say the same. */
async function entries(
  limit = 2,
  account = AUD,
  fromMs = MADE_AT_MS,
  toMs = TO_MS,
): Promise<readonly bigint[]> {
  const { reports } = bench.store;
  const found: PeriodEntry[] = [];
  let after: ReportPlace | undefined;
  do {
    const part = await reports.entriesOfPeriod(bench.scope, account, { fromMs, toMs, after, limit });
    found.push(...part.entries);
    after = part.next;
  } while (after !== undefined);
  const signed = found.map(({ kind, reverses, minor }) =>
    (kind === 'RETURN') !== (reverses !== undefined) ? minor : -minor,
  );
  let [sum, count] = [0n, 0];
  do {
    const part = await reports.sumEntries(bench.scope, account, { fromMs, toMs, after, limit });
    sum += part.credits.minor - part.debits.minor;
    count += part.credits.entryCount + part.debits.entryCount;
    after = part.next;
  } while (after !== undefined);
  assert.deepEqual([sum, count], [signed.reduce((a, b) => a + b, 0n), signed.length]);
  return signed;
}

const PEGGED = { conversion: 'PEGGED', decimals: 6 };

test('what was reported to have been paid counts, then whole cents of a pegged token', async () => {
  await planWith(PEGGED, [
    { kind: 'PAYOUT', actual: 107_631_565n },
    { kind: 'PAYOUT', actual: 107_631_565n, paid: ['10700', 'AUD'] },
    { kind: 'PAYOUT', actual: 107_631_565n, paid: ['5', 'NZD'] },
    { kind: 'RETURN', actual: 9_999n },
    { kind: 'PAYOUT', actual: 10n ** 77n + 9_999n },
  ]);
  await seal(TO_MS);
  assert.deepEqual(await entries(), [-10_763n, -10_700n, -10_763n, 0n, -(10n ** 73n)]);
  assert.deepEqual(await facts(), {
    accounts: [{ custodian: 'Test custodian', currency: 'AUD' }],
    unknownCount: 0,
    first: undefined,
  });
});

test('the decimals of the currency are those of ISO 4217, and the token may have none', async () => {
  for (const [currency, decimals, minor, actual = 1_234_567_891n] of [
    ['JPY', 6, -1_234n],
    ['KWD', 6, -1_234_567n],
    ['KWD', 0, -1_234_567_891_000n],
    ['AUD', 18, 0n],
    ['KWD', 0, -(10n ** 80n), 10n ** 77n],
  ] as const) {
    await bench.clear();
    await planWith({ ...PEGGED, currency, decimals }, [{ kind: 'PAYOUT', actual }]);
    await seal(TO_MS);
    assert.deepEqual(await entries(2, { ...AUD, currency }), [minor], `${currency} ${decimals}`);
  }
});

test('a reversal has the amount of what it takes back, a return that of its payment', async () => {
  const { endToEndId } = await planWith({}, [
    { kind: 'PAYOUT', actual: 7n, paid: ['410000', 'AUD'], reference: 'a' },
    { kind: 'PAYOUT', actual: 7n, reverses: 1, reference: 'a' },
    { kind: 'PAYOUT', actual: 7n, paid: ['400000', 'AUD'], reference: 'a' },
    { kind: 'PAYOUT', actual: 7n, paid: ['300000', 'AUD'], reference: 'b' },
    { kind: 'RETURN', actual: 7n, reference: 'a' },
    { kind: 'RETURN', actual: 7n, reference: 'unheard' },
    { kind: 'RETURN', actual: 3n, reference: 'a' },
    { kind: 'PAYOUT', actual: 8n, paid: ['200000', 'AUD'] },
    { kind: 'RETURN', actual: 8n, reference: 'unheard' },
    // Taken back after it came back: the return was of it all the same.
    { kind: 'PAYOUT', actual: 9n, paid: ['100000', 'AUD'] },
    { kind: 'RETURN', actual: 9n },
    { kind: 'PAYOUT', actual: 9n, reverses: 10 },
  ]);
  await seal(TO_MS);
  assert.deepEqual(await entries(3), [
    -410_000n,
    410_000n,
    -400_000n,
    -300_000n,
    400_000n,
    -200_000n,
    200_000n,
    -100_000n,
    100_000n,
    100_000n,
  ]);
  assert.equal(
    (await facts()).unknownCount,
    2,
    'nobody told how much came back of a part, and of which of two',
  );
  const read = { fromMs: 0, toMs: TO_MS, limit: 2 };
  const part = await bench.store.reports.entriesOfPeriod(bench.scope, AUD, read);
  assert.deepEqual(
    part.entries.map((entry) => entry.endToEndId),
    [endToEndId, endToEndId],
  );
});

test('a return told once more after a wallet was paid came back from the account', async () => {
  await planWith({}, [
    { kind: 'PAYOUT', actual: 7n, paid: ['70000', 'AUD'], reference: 'a' },
    { kind: 'RETURN', actual: 3n, reference: 'b' },
    { kind: 'PAYOUT', actual: 3n, tx: 'f'.repeat(64) },
    { kind: 'RETURN', actual: 3n, reference: 'b', reverses: 2 },
    { kind: 'RETURN', actual: 3n, reference: 'b', paid: ['29900', 'AUD'] },
  ]);
  await seal(TO_MS);
  assert.deepEqual(await entries(), [-70_000n, 29_900n]);
  assert.equal((await facts()).unknownCount, 0);
});

test('one plan of very many payments that came back does not keep its corridor from a statement', async () => {
  const count = 3_000;
  await planWith(
    {},
    Array.from({ length: count }, (_, index): readonly Written[] => [
      { kind: 'PAYOUT', actual: BigInt(index + 1), paid: [String(index + 1), 'AUD'], reference: `r${index}` },
      { kind: 'RETURN', actual: BigInt(index + 1), reference: `r${index}` },
    ]).flat(),
  );
  await seal(TO_MS);
  assert.deepEqual((await facts()).accounts, [{ custodian: 'Test custodian', currency: 'AUD' }]);
  const found = await entries(1_000);
  assert.equal(found.length, 2 * count);
  assert.equal(
    found.reduce((a, b) => a + b, 0n),
    0n,
    'all came back',
  );
});

test('what nobody told is unknown until it is taken back, and is then in no statement', async () => {
  await planWith({}, [{ kind: 'PAYOUT', actual: 7n }]);
  await planWith({ conversion: 'PEGGED', decimals: undefined }, [{ kind: 'PAYOUT', actual: 7n }]);
  await planWith({}, [
    { kind: 'PAYOUT', actual: 7n },
    { kind: 'PAYOUT', actual: 7n, reverses: 1, atMs: TO_MS },
    { kind: 'PAYOUT', actual: 7n, paid: ['5', 'AUD'], atMs: TO_MS },
  ]);
  const later = [TO_MS, TO_MS + HOUR] as const;
  assert.deepEqual([(await facts()).unknownCount, (await facts(...later)).unknownCount], [2, 2]);
  await seal(TO_MS);
  assert.deepEqual(
    [(await facts()).unknownCount, (await facts(...later)).unknownCount],
    [2, 2],
    'sealed, the same',
  );
  await seal(TO_MS + HOUR);
  assert.deepEqual([(await facts()).unknownCount, (await facts(...later)).unknownCount], [2, 2]);
  assert.deepEqual([await entries(), await entries(1, AUD, ...later)], [[], [-5n]]);
});

test('what moved on a chain is no money of an account, nor is what came back from there', async () => {
  await planWith(PEGGED, [
    { kind: 'PAYOUT', actual: 10_000n, tx: `0x${'1'.repeat(64)}` },
    { kind: 'RETURN', actual: 10_000n },
    { kind: 'PAYOUT', actual: 20_000n },
    { kind: 'RETURN', actual: 20_000n },
  ]);
  await seal(TO_MS);
  assert.deepEqual(await entries(), [-2n, 2n]);
});

test('an account is of one custodian and currency: of the last payment where a period has none', async () => {
  const b = { custodian: 'B', currency: 'NZD' };
  const a = { custodian: 'Test custodian', currency: 'AUD' };
  assert.deepEqual((await facts()).accounts, []);
  await planWith(PEGGED, [{ kind: 'PAYOUT', actual: 50_000n }]);
  await planWith({ ...PEGGED, ...b }, [{ kind: 'PAYOUT', actual: 70_000n, atMs: MADE_AT_MS + 1 }]);
  assert.deepEqual((await facts()).accounts, [b, a], 'before it is sealed');
  await seal(TO_MS);
  assert.deepEqual((await facts()).accounts, [b, a]);
  assert.deepEqual((await facts(MADE_AT_MS, MADE_AT_MS + 1)).accounts, [a]);
  assert.deepEqual((await facts(TO_MS, TO_MS + HOUR)).accounts, [b]);
  assert.deepEqual([await entries(), await entries(9, { ...AUD, ...b })], [[-5n], [-7n]]);
  const c = { custodian: 'C', currency: 'AUD' };
  await planWith({ ...PEGGED, ...c }, [{ kind: 'PAYOUT', actual: 90_000n, atMs: TO_MS }]);
  await seal(TO_MS + HOUR);
  const later = [TO_MS, TO_MS + HOUR] as const;
  assert.deepEqual([(await facts(...later)).accounts, await entries(9, AUD, ...later)], [[c], []]);
  assert.deepEqual(await entries(9, { ...AUD, ...c }, ...later), [-9n]);
  assert.deepEqual(
    (await facts(MADE_AT_MS, TO_MS, bench.otherScope)).accounts,
    [],
    'another organisation has none',
  );
});
