// Files are imported, payments are told and a plan is made, in any order. Each entry stands as it does in any other
// order.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import type { Amount, Plan } from '@fairway/plan';
import type { StatementUnit } from '@fairway/statements';
import fc from 'fast-check';
import { statementFile } from './everyStatementOperation.ts';
import { contextAt } from './collecting.ts';
import { deposit, evidence, hashOf, MADE_AT_MS, newPlan, stepId, swap } from './plans.ts';
import { openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
after(() => bench?.close());

const BY = contextAt(MADE_AT_MS);
const DAY_MS = 86_400_000;
/** Each round has its own account, amounts and days, so that it has nothing to do with the others. */
let rounds = 0;

/** What a text, or a field for references, can have of a plan. */
const NAMES: Readonly<Record<string, (plan: Plan, late: string) => Partial<StatementUnit>>> = {
  NOTHING: () => ({}),
  END_TO_END_ID: ({ endToEndId }) => ({ endToEndId }),
  ID_IN_TEXT: ({ endToEndId }) => ({ text: `EREF+${endToEndId} SVWZ+rent` }),
  ID_CUT_AT_16: ({ endToEndId }) => ({ text: `rent ${endToEndId.slice(0, 16)}` }),
  ID_CUT_AT_30: ({ endToEndId }) => ({ endToEndId: endToEndId.slice(0, 30) }),
  CLIENT: ({ clientReference }) => ({ text: `rent ${clientReference}` }),
  CLIENT_CUT_AT_35: ({ clientReference }) => ({ text: clientReference.slice(0, 35) }),
  PROVIDER: (plan) => ({ references: [providerReferenceOf(plan)] }),
  PROVIDER_IN_TEXT: (plan) => ({ text: `payout ${providerReferenceOf(plan)} done` }),
  PROVIDER_BROKEN: (plan) => ({
    text: `payout ${providerReferenceOf(plan).slice(0, 12)} ${providerReferenceOf(plan).slice(12)}`,
  }),
  PROVIDER_CUT_AT_35: (plan) => ({ text: `payout ${providerReferenceOf(plan).slice(0, 35)}` }),
  LATE: (_, late) => ({ text: `rent ${late} thanks` }),
  LATE_CUT_AT_16: (_, late) => ({ text: late.slice(0, 16) }),
  TWO_PLANS: ({ clientReference }) => ({ text: `${clientReference} and INV-00-other` }),
};

const providerReferenceOf = ({ planId }: Plan) => `PRV/${planId.slice(-12)}/payout of the custodian`;

/** A case: the amounts and days of plans, entries of files, and one order of telling of all of them and of one plan more. */
const cases = fc.record({
  plans: fc.array(fc.record({ minor: fc.constantFrom(500, 700), day: fc.integer({ min: 0, max: 4 }) }), {
    minLength: 1,
    maxLength: 4,
  }),
  entries: fc.array(
    fc.record({
      of: fc.nat(3),
      more: fc.constantFrom(0, 0, 0, 0, 200),
      later: fc.constantFrom(0, 0, 1, -2, 4),
      name: fc.constantFrom('ZEBEDEE QUILLFEATHER', 'ZEBEDEE QUILLFEATHER', 'Somebody Else', undefined),
      shown: fc.constantFrom(...Object.keys(NAMES)),
      isIn: fc.nat(7),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  order: fc.array(fc.nat(1_000), { minLength: 10, maxLength: 10 }),
  unpaid: fc.nat(7),
});
type Case = typeof cases extends fc.Arbitrary<infer Of> ? Of : never;

/** A second entry under a reference shows that money left twice, and changes nothing of the first one. */
function isOncePerReference({ plans, entries }: Case): boolean {
  const named = entries
    .filter(({ shown }) => !/^(NOTHING|LATE)/.test(shown))
    .map(({ of }) => of % plans.length);
  return new Set(named).size === named.length;
}

const atMs = (day: number) => MADE_AT_MS + (day + 60 * rounds) * DAY_MS;
const dayAt = (day: number) => new Date(atMs(day)).toISOString().slice(0, 10);

async function due(minor: number, index: number): Promise<Plan> {
  const number = `${index}${randomBytes(4).toString('hex')}`;
  const plan = newPlan({ clientReference: `INV/${number} for services to the harbour` });
  const endToEndId = `FW${randomBytes(16).toString('hex').toUpperCase()}`;
  const made = await bench.create({ ...plan, endToEndId });
  await bench.change(made, deposit(made, hashOf(`${made.planId} in ${minor}`)));
  return bench.change(made, swap(made, evidence(hashOf(`${made.planId} out`), 10n ** 77n)));
}

/** How the entries stand after all was told in an order, and the plan of each match. */
async function standing(
  { plans: asked, entries, unpaid }: Case,
  order: readonly number[],
): Promise<readonly string[]> {
  rounds += 1;
  const [account, added] = [`AU${rounds}`, rounds * 1_000];
  const plans: Plan[] = [];
  for (const [index, { minor }] of asked.entries()) plans.push(await due(minor, index));
  const late = `LATE-${randomBytes(4).toString('hex')}-2026 for the office`;
  const makeLate = async () => {
    const made = await bench.create(newPlan({ clientReference: late }));
    await bench.store.statements.matchPayments(bench.scope, made.planId, BY);
  };
  const placeOf = new Map(plans.map(({ planId }, index) => [planId as string, index]));
  const units = entries.map(({ of, more, later, name, shown }, index): Partial<StatementUnit> => {
    const place = of % plans.length;
    const plan = plans[place] ?? assert.fail();
    const { minor, day } = asked[place] ?? assert.fail();
    const on = dayAt(day + later);
    return {
      ...{
        minor: BigInt(minor + more + added),
        bookedOn: on,
        valueOn: on,
        servicerReference: `S ${index}`,
      },
      ...(name === undefined ? {} : { name }),
      ...NAMES[shown]?.(plan, late),
    };
  });
  const tell = plans.map((plan, index) => async () => {
    if (index === unpaid) return;
    const { minor, day } = asked[index] ?? assert.fail();
    await bench.change(
      plan,
      {
        ...{ type: 'PAYOUT_REPORTED', stepId: stepId(plan, 'CUSTODIAN_PAYOUT') },
        ...{ providerReference: providerReferenceOf(plan), occurredAtMs: atMs(day) },
        paid: { amount: String(minor + added) as Amount, asset: { currency: 'AUD' } },
      },
      atMs(5),
    );
    await bench.store.statements.matchPayments(bench.scope, plan.planId, BY);
  });
  const files = [...new Set(entries.map(({ isIn }) => isIn))].map((file) => async () => {
    const inside = units.filter((_, index) => entries[index]?.isIn === file);
    const taken = await bench.store.statements.importStatement(
      bench.scope,
      statementFile(inside, { account }),
      BY,
    );
    assert.ok(taken.ok);
    ids.push(taken.statement.statementId);
  });
  const ids: string[] = [];
  const steps = [...tell, ...files, makeLate].map((step, index) => ({ step, at: order[index] ?? index }));
  for (const { step } of steps.toSorted((a, b) => a.at - b.at)) await step();
  const states: string[] = [];
  for (const statementId of ids) {
    const listed = await bench.store.statements.listEntries(bench.scope, { statementId, limit: 9 });
    assert.ok(listed.ok);
    for (const { entry } of listed.entries) {
      const { status, allocations, servicerReference } = entry;
      const matched = allocations.map(({ planId, by }) => `${by} ${placeOf.get(planId)}`);
      states.push([servicerReference, status, ...matched].join(' '));
    }
  }
  return states.toSorted();
}

test('the order in which files are imported and payments are told changes nothing', async () => {
  let matched = 0;
  await fc.assert(
    fc.asyncProperty(cases.filter(isOncePerReference), async (each) => {
      const inOrder = await standing(each, each.order.keys().toArray());
      matched += inOrder.filter((state) => state.includes('MATCHED')).length;
      assert.deepEqual(await standing(each, each.order), inOrder);
    }),
    // To make an example smaller takes minutes.
    { seed, numRuns: runs(15), endOnFailure: true },
  );
  assert.ok(matched > 5, `${matched} entries are matched`);
});
