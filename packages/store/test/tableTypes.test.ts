// The types of the tables are those of the migrated database: `npm test -- tableTypes --test-update-snapshots` writes them.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type EmbeddedPostgres, LONG_LIMITS, openDatabase } from '@fairway/postgres';
import { startTestDatabase } from '@fairway/testing';
import { sql } from 'kysely';
import { migrate } from '../src/index.ts';

/** Where the parts of the first migration are, and beside them the types of their tables. */
const SOURCES = [
  { source: join(import.meta.dirname, '../src'), parts: 'migrations/initial' },
  { source: join(import.meta.dirname, '../../credentials/src'), parts: 'migrations' },
  { source: join(import.meta.dirname, '../../outbox/src'), parts: 'migrations' },
];
const LINE_WIDTH = 110;

const TYPES: Readonly<Record<string, string>> = {
  bigint: 'bigint',
  boolean: 'boolean',
  bytea: 'Buffer',
  date: 'Date',
  integer: 'number',
  'integer[]': 'number[]',
  jsonb: 'unknown',
  numeric: 'string',
  smallint: 'number',
  text: 'string',
  'text[]': 'string[]',
  'timestamp with time zone': 'Date',
  xid8: 'string',
};

type Column = {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly is_nullable: boolean;
  readonly filled: 'ALWAYS' | 'BY_DEFAULT' | null;
  /** The values that a check allows, as JSON. */
  readonly allowed: readonly string[] | null;
};

const postgres = await startTestDatabase();
after(() => postgres.close());

/** Every column of the store's tables, in their order. */
async function columnsOf({ connection }: EmbeddedPostgres): Promise<readonly Column[]> {
  const database = openDatabase<unknown>(connection, () => {}, { limits: LONG_LIMITS });
  try {
    const { rows } = await sql<Column>`
      select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type,
        not a.attnotnull as is_nullable,
        case when a.attidentity = 'a' then 'ALWAYS' when a.atthasdef then 'BY_DEFAULT' end as filled,
        (
          select array(select found[1] from regexp_matches(pg_get_constraintdef(k.oid), '''([^'']+)''::text', 'g') found)
          from pg_constraint k where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
            and pg_get_constraintdef(k.oid) like '%= ANY (ARRAY%'
        ) as allowed
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      order by c.relname, a.attnum`.execute(database);
    return rows;
  } finally {
    await database.destroy();
  }
}

function lineOf({ name, type, is_nullable, filled, allowed }: Column): string {
  const values = name === 'environment' ? ['sandbox', 'production'] : allowed;
  const union = values?.map((value) => `'${value}'`);
  const plain = union?.join(' | ') ?? TYPES[type] ?? assert.fail(`${name} has the type ${type}`);
  const nullable = is_nullable && plain !== 'unknown' ? `${plain} | null` : plain;
  if (filled !== null)
    return `    ${name}: ${filled === 'ALWAYS' ? 'GeneratedAlways' : 'Generated'}<${nullable}>;`;
  const line = `    ${name}: ${nullable};`;
  if (line.length <= LINE_WIDTH || union === undefined) return line;
  return `    ${name}:${[...union, ...(is_nullable ? ['null'] : [])].map((value) => `\n      | ${value}`).join('')};`;
}

/** The source of the types of the tables of a part. */
function sourceOf(parts: string, part: string, columns: readonly Column[]): string {
  const tables = Map.groupBy(columns, ({ table }) => table);
  const bodies = [...tables].map(([table, of]) => `  ${table}: {\n${of.map(lineOf).join('\n')}\n  };\n`);
  const body = bodies.join('');
  const used = ['Generated', 'GeneratedAlways'].filter((name) => body.includes(`${name}<`));
  const imports = used.length === 0 ? '' : `import type { ${used.join(', ')} } from 'kysely';\n\n`;
  const name = `${part.charAt(0).toUpperCase()}${part.slice(1)}Tables`;
  return `// Written by packages/store/test/tableTypes.test.ts.\n${imports}/** The tables of \`${parts}/${part}.ts\`. */\nexport type ${name} = {\n${body}};\n`;
}

test('the types of the tables are those of the migrated database', async (t) => {
  assert.ok((await migrate(postgres.connection)).ok);
  const columns = await columnsOf(postgres);
  const seen = new Set(['kysely_migration', 'kysely_migration_lock', 'workers']);
  for (const { source, parts } of SOURCES)
    for (const file of readdirSync(join(source, parts)).toSorted()) {
      const text = readFileSync(join(source, parts, file), 'utf8');
      const names = new Set([...text.matchAll(/create table (\w+)/g)].map(([, name = '']) => name));
      if (names.size === 0) continue;
      const own = columns.filter(({ table }) => names.has(table));
      for (const name of names) seen.add(name);
      const path = join(source, 'database/tables', file);
      t.assert.fileSnapshot(sourceOf(parts, file.replace('.ts', ''), own), path, { serializers: [String] });
    }
  const unseen = columns.filter(({ table }) => !seen.has(table)).map(({ table }) => table);
  assert.deepEqual([...new Set(unseen)], [], 'tables of no part');
});
