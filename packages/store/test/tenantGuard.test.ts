import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { type Node, type ParseResult, parseSync } from 'libpg-query';
import { openTenantDatabase } from '../src/database/openTenantDatabase.ts';
import { CROSSINGS, FUNCTIONS, SHARED_TABLES, TENANT_TABLES } from '../src/tenantGuard/crossings.ts';
import { examineQuery } from '../src/tenantGuard/examineQuery.ts';
import { buildTenantGuard, examineText, UnscopedQueryError } from '../src/tenantGuard/tenantGuard.ts';
import { useEveryOperation } from './everyOperation.ts';
import { openTestStore, type TestStore } from './storeOfTest.ts';

/** The texts of the store's queries. */
const texts = new Set<string>();
let bench: TestStore;
let called: Set<string>;
before(async () => {
  const guard = await buildTenantGuard();
  bench = await openTestStore((text) => {
    texts.add(text);
    guard(text);
  });
  called = await useEveryOperation(bench);
});
after(() => bench?.close());

test('every operation of the store was called, so that its queries are known', () => {
  const {
    payments,
    collect,
    jobs,
    record,
    ledger,
    operator,
    events,
    recipients,
    webhooks,
    reports,
    statements,
    ...rest
  } = bench.store;
  const notOperations = new Set(['clock', 'close', 'fingerprint', 'secrets']);
  const names = [
    payments,
    collect,
    jobs,
    record,
    ledger,
    operator,
    events,
    recipients,
    webhooks,
    reports,
    statements,
    rest,
  ].flatMap((operations) => Object.keys(operations));
  assert.deepEqual(
    names.filter((name) => !notOperations.has(name) && !called.has(name)),
    [],
  );
  assert.ok(texts.size > 40, `${texts.size} texts`);
});

test('the guard knows every table: those with organisation_id, and those without', async () => {
  const { rows } = await sql<{ name: string; has: boolean }>`
    select table_name as name, bool_or(column_name = 'organisation_id') as has from information_schema.columns
    where table_schema = 'public' group by 1 order by 1`.execute(bench.database);
  const namesOf = (has: boolean) => rows.filter((row) => row.has === has).map(({ name }) => name);
  assert.deepEqual([...TENANT_TABLES].sort(), namesOf(true));
  // The workers of the job queue and the record of migrations are used over other connections.
  const elsewhere = ['kysely_migration', 'kysely_migration_lock', 'workers'];
  assert.deepEqual(
    namesOf(false).filter((name) => !elsewhere.includes(name)),
    [...SHARED_TABLES].sort(),
  );
});

test('these crossings of organisations are permitted, each is used, and each says why', () => {
  const used = new Set([...texts].flatMap((text) => examineText(text).crossings));
  assert.deepEqual(Object.keys(CROSSINGS).sort(), [
    'any_attempt',
    'any_audited',
    'any_beneficiary',
    'any_claim',
    'any_credential',
    'any_delivery',
    'any_endpoint',
    'any_event',
    'any_fingerprint',
    'any_link',
    'any_lost_claim',
    'any_mail',
    'any_moved',
    'any_open_plan',
    'any_operated',
    'any_owner',
    'any_payer',
    'any_request',
    'any_resend',
    'any_sealed',
    'any_subject',
    'any_tagged',
    'any_wait',
    'any_watched',
  ]);
  assert.deepEqual([...used].sort(), Object.keys(CROSSINGS).sort());
  for (const { reason } of Object.values(CROSSINGS)) assert.match(reason, /^[A-Z].*\.$/);
});

test('these functions may be called, and queries of the store call each of them', () => {
  const used = new Set([...texts].flatMap((text) => examineText(text).functions));
  assert.deepEqual([...used].sort(), [...FUNCTIONS]);
});

test('no query of the store runs once a comparison of organisation_id is dropped from it', () => {
  const refused = new Set<string>();
  for (const text of texts) {
    for (const { query, what } of withoutOneComparison(parseSync(text))) {
      const { faults } = examineQuery(query);
      assert.notDeepEqual(faults, [], `without ${what}:\n${text}`);
      for (const fault of faults) refused.add(/organisation_id of (\w+)/.exec(fault)?.[1] ?? fault);
    }
  }
  // Credentials are only used across organisations, and who saw details is only written down.
  const others = ['credentials', 'registered_recipient_reveals'];
  assert.deepEqual([...refused, ...others].sort(), [...TENANT_TABLES].sort());
});

test('a query on all organisations is refused by the store’s connection and does not run', async () => {
  const database = await openTenantDatabase(bench.postgres.connection, () => {});
  const count = async () => (await bench.contents())['public.mails']?.length;
  const mails = await count();
  assert.ok(mails !== undefined && mails > 0);
  await assert.rejects(sql`delete from mails`.execute(database), UnscopedQueryError);
  await assert.rejects(database.deleteFrom('mails').execute(), UnscopedQueryError);
  await assert.rejects(
    database
      .selectFrom('plans' as never)
      .selectAll()
      .execute(),
    UnscopedQueryError,
  );
  assert.equal(await count(), mails);
  const own = database.deleteFrom('mails').where('organisation_id', '=', 'org_none');
  assert.equal((await own.executeTakeFirst()).numDeletedRows, 0n);
  await database.destroy();
});

type Mutant = { readonly query: Node; readonly what: string };

/** The query with each comparison that guards one organisation replaced by TRUE, one at a time. */
function* withoutOneComparison(parsed: ParseResult): Generator<Mutant> {
  for (const path of pathsOf(parsed.stmts?.[0]?.stmt ?? {}, [])) {
    const query = structuredClone(parsed.stmts?.[0]?.stmt) as Node;
    const holder = path.slice(0, -1).reduce((value, key) => value[key] as Tree, query as unknown as Tree);
    const last = path.at(-1) ?? '';
    const what = JSON.stringify(holder[last]);
    if (Array.isArray(holder)) holder.splice(Number(last), 1);
    else holder[last] = { A_Const: { boolval: { boolval: true } } };
    yield { query, what };
  }
}

type Tree = Record<string, unknown>;

/** Where comparisons of `organisation_id` are, and where USING or ON CONFLICT names the column. */
function pathsOf(value: unknown, path: readonly string[]): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  const tree = value as Tree;
  const isGuard =
    isComparison(tree) || (namesColumn(tree) && /usingClause|indexElems/.test(path.at(-2) ?? ''));
  const within = Object.entries(tree).flatMap(([key, part]) => pathsOf(part, [...path, key]));
  return isGuard ? [[...path], ...within] : within;
}

function namesColumn(tree: Tree): boolean {
  const { String: text, IndexElem: element } = tree as {
    String?: { sval?: string };
    IndexElem?: { name?: string };
  };
  return text?.sval === 'organisation_id' || element?.name === 'organisation_id';
}

/** Whether it is an equality of organisations that no crossing makes superfluous. */
function isComparison({ A_Expr: expression }: Tree): boolean {
  const { name, lexpr, rexpr } = (expression ?? {}) as { name?: unknown; lexpr?: unknown; rexpr?: unknown };
  if (JSON.stringify(name) !== '[{"String":{"sval":"="}}]') return false;
  // A query nested in a side has comparisons of its own.
  const sides = [lexpr, rexpr].map((side) =>
    JSON.stringify(side, (key, value: unknown) => (key === 'SubLink' ? null : value)),
  );
  // Whose claim, credential, sealed row, new fingerprint and turn it is: these narrow what is sought over all organisations.
  if (sides.some((side) => /"(any_claim|any_sealed|again|organisations|telling)"/.test(side))) return false;
  return sides.some((side) => side.includes('"organisation_id"'));
}
