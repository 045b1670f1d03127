import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildTenantGuard, examineText, UnscopedQueryError } from './tenantGuard.ts';

const guard = await buildTenantGuard();

/** Queries of one organisation, each with what it shows. */
const SCOPED: Readonly<Record<string, string>> = {
  'a value': 'select * from plans where organisation_id = $1 and plan_id = $2',
  'a value with a type': 'select * from plans where $1::text = organisation_id',
  'a constant': `select * from plans where organisation_id = 'org_1'`,
  'an alias': 'select * from plans p where p.organisation_id = $1',
  'quoted names': 'select * from "plans" as "p" where "p"."organisation_id" = $1',
  'a row': 'select * from plans p where (p.organisation_id, p.environment) = ($1, $2)',
  'a join':
    'select * from plans p join plan_steps s on s.organisation_id = p.organisation_id where p.organisation_id = $1',
  'a join by USING':
    'select * from plans p join plan_steps s using (organisation_id, plan_id) join mails m using (organisation_id) where organisation_id = $1',
  'a left join':
    'select * from plans p left join mails m on m.organisation_id = p.organisation_id where p.organisation_id = $1',
  'a chain of joins in FROM':
    'select * from plans p, plan_steps s, mails m where m.organisation_id = s.organisation_id and s.organisation_id = p.organisation_id and p.organisation_id = $1',
  'a correlated subquery':
    'select array(select s from plan_steps s where s.organisation_id = p.organisation_id) from plans p where p.organisation_id = $1',
  'a lateral subquery':
    'select * from plans p, lateral (select from mails m where m.organisation_id = p.organisation_id) x where p.organisation_id = $1',
  'a common table': 'with p as (select * from plans where organisation_id = $1) select * from p',
  'a common table of a tenant table’s name':
    'with plans as (select * from plans where organisation_id = $1) select * from plans',
  'an update': 'update plans set status = $1 where organisation_id = $2',
  'an update from another table':
    'update plans p set status = $1 from mails m where p.organisation_id = m.organisation_id and m.organisation_id = $2',
  'a deletion': 'delete from mails where organisation_id = $1',
  'an insertion': 'insert into plans values ($1, $2)',
  'an insertion that may do nothing': 'insert into plans values ($1) on conflict do nothing',
  'a conflict on the organisation’s key':
    'insert into recipients values ($1) on conflict (organisation_id, plan_id) do update set sealed = excluded.sealed',
  'a conflict with a row of the same organisation':
    'insert into mails as m values ($1) on conflict (mail_id) do update set state = $2 where m.organisation_id = excluded.organisation_id',
  'a shared table': 'select * from organisations where name = $1',
  'the queue': 'select * from graphile_worker.jobs where key = $1',
  'no table': 'select graphile_worker.add_job($1, payload => $2::json)',
  'a crossing': 'select * from collect_links as any_link where token_hash = $1',
  'what a crossing is joined to':
    'select * from mails as any_mail join collect_links l on l.organisation_id = any_mail.organisation_id',
  'a transaction': 'begin',
};

/** Queries that may reach another organisation, each with what it lacks. */
const UNSCOPED: Readonly<Record<string, string>> = {
  'no condition': 'select * from plans',
  'another condition': 'select * from plans where plan_id = $1',
  'a choice': 'select * from plans where organisation_id = $1 or plan_id = $2',
  'a negation': 'select * from plans where not (organisation_id = $1)',
  'an inequality': 'select * from plans where organisation_id <> $1',
  'an inequality of rows': 'select * from plans p where (p.organisation_id, p.plan_id) >= ($1, $2)',
  'a list': 'select * from plans where organisation_id = any($1)',
  itself: 'select * from plans p where p.organisation_id = p.organisation_id',
  'one of two': 'select * from plans p, mails m where p.organisation_id = $1',
  'two that are only equal': 'select * from plans p join mails m on m.organisation_id = p.organisation_id',
  'another column of the row':
    'select * from plans p where (p.environment, p.organisation_id) = ($1, p.plan_id)',
  'a left join that restricts the other side':
    'select * from plans p left join mails m on p.organisation_id = $1 and m.organisation_id = $1',
  'a full join':
    'select * from plans p full join mails m using (organisation_id) where p.organisation_id = $1',
  'a join by USING without the organisation':
    'select * from plans p join mails m using (plan_id) where p.organisation_id = $1',
  'a natural join': 'select * from plans natural join plan_steps where organisation_id = $1',
  'a subquery': 'select * from organisations where id in (select organisation_id from plans)',
  'a subquery of a scoped query': 'select (select count(*) from mails) from plans where organisation_id = $1',
  'a subquery in FROM that sees nothing beside it':
    'select * from plans p, (select * from mails m where m.organisation_id = p.organisation_id) x where p.organisation_id = $1',
  'a subquery in a condition':
    'update plans set status = $1 where organisation_id = $2 and plan_id in (select plan_id from mails)',
  'a value from a common table':
    'with o as (select $1 as organisation_id) select * from plans p, o where p.organisation_id = o.organisation_id',
  'the second part of a union': 'select id from organisations union select plan_id from plans',
  'a common table': 'with p as (select * from plans) select * from p where organisation_id = $1',
  'a common table that comes later': 'with a as (select * from mails), mails as (select 1) select * from a',
  'the target of a change that has a common table’s name':
    'with mails as (select 1) update mails set state = $1',
  'a change in a common table':
    'with gone as (delete from mails where token_hash = $1 returning 1) select from gone',
  'an update': 'update plans set status = $1 where plan_id = $2',
  'an update from a scoped table':
    'update plans p set status = $1 from mails m where p.plan_id = m.plan_id and m.organisation_id = $2',
  'a move to another organisation': 'update plans set organisation_id = $1 where organisation_id = $2',
  'a deletion by another table':
    'delete from mails using plans p where mails.plan_id = p.plan_id and p.organisation_id = $1',
  'what is inserted': 'insert into plans select * from plans',
  'a conflict on another key': 'insert into mails values ($1) on conflict (mail_id) do update set state = $2',
  'a conflict on a named key':
    'insert into plans values ($1) on conflict on constraint k do update set status = $2',
  'a crossing’s alias of another table': 'select * from plans as any_mail',
  'beside a crossing':
    'select * from mails as any_mail join collect_links l on l.token_hash = any_mail.token_hash',
  'the second query': 'select 1; select * from plans',
  'another schema': 'select * from pg_catalog.pg_authid',
  'an unknown table': 'select * from invoices where organisation_id = $1',
  'a sample': 'select * from plans tablesample system (10) where organisation_id = $1',
  'renamed columns': 'select * from plans as p (a, organisation_id) where p.organisation_id = $1',
  'a copy': 'copy plans to stdout',
  'a truncation': 'truncate mails',
  'a new table': 'create table copied as select * from plans where organisation_id = $1',
  'a merge': 'merge into plans using mails on true when matched then delete',
  'a query in a text': `select query_to_xml('select * from plans', true, true, '')`,
  'a query in a text of a named schema': `select pg_catalog.query_to_xml($1, true, true, '')`,
  'a table in a text': `select table_to_xml('plans', true, true, '')`,
  'a database as XML': `select database_to_xml(true, true, '')`,
  'a cursor as XML': `select cursor_to_xml('c', 1, true, true, '')`,
  'a query in a text in FROM': `select * from ts_stat('select to_tsvector(metadata::text) from plans')`,
  'a file of the server': `select pg_read_file('postgresql.conf')`,
  'a large object': 'select lo_get($1)',
  'another connection': `select * from dblink('host=other', 'select 1') as d (a int)`,
  'a function in an insertion': `insert into organisations (name) values (pg_read_file($1))`,
  'a function in an assignment': 'update plans set metadata = query_to_json($1) where organisation_id = $2',
  'a function that orders': 'select * from organisations order by query_to_xml($1, true, true, $2)',
  'a function in a limit': 'select * from organisations limit lo_get($1)',
  'a function in RETURNING': 'delete from mails where organisation_id = $1 returning pg_read_file($2)',
  'a function in a conflict':
    'insert into organisations values ($1) on conflict (organisation_id) do update set name = pg_read_file($2)',
  'a block': 'do $$ begin delete from plans; end $$',
};

for (const [name, text] of Object.entries(SCOPED))
  test(`a query of one organisation runs: ${name}`, () => {
    assert.deepEqual(examineText(text).faults, []);
    assert.doesNotThrow(() => guard(text));
  });

for (const [name, text] of Object.entries(UNSCOPED))
  test(`a query that may cross organisations does not run: ${name}`, () => {
    assert.throws(() => guard(text), UnscopedQueryError);
    // A refused text is refused each time.
    assert.throws(() => guard(text), UnscopedQueryError);
  });

test('a refused query is named with its fault and the remedy', () => {
  const text = 'select * from plan_steps s where s.plan_id = $1';
  const expected = {
    message:
      'A query was not run: it does not compare organisation_id of plan_steps as s. ' +
      'To mend: compare organisation_id, or name the crossing or the function in packages/store/src/tenantGuard/crossings.ts.',
    query: text,
  };
  assert.throws(() => guard(text), expected);
});
