import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { changeTableFindings } from './changeTable.ts';
import { repositoryRoot, treeFiles } from './repository.ts';

/** A reader keeps no more in mind of a house. */
const MOST_WORDS = 2_000;

const FILES = ['CHANGELOG.md', 'packages/plan/src/decide.ts', 'packages/wire/src/swap.ts'];
const ROW = '| a new event | `packages/plan/src/decide.ts`, then `CHANGELOG.md` |';

const documentOf = (rows: readonly string[], heading = '## Where to change what') =>
  [
    '# House',
    '| `not/here.ts` |',
    heading,
    '',
    '| Change | Files |',
    '|---|---|',
    ...rows,
    '',
    '## Time',
  ].join('\n');
const messages = (...rows: string[]) =>
  changeTableFindings(documentOf([...rows, ...Array.from({ length: 12 }, () => ROW)]), FILES).map(
    ({ place, message }) => `${place} ${message}`,
  );

test('every file that "Where to change what" names exists', () => {
  const files = treeFiles().filter((path) => existsSync(join(repositoryRoot, path)));
  const document = readFileSync(join(repositoryRoot, 'docs/ARCHITECTURE.md'), 'utf8');
  const findings = changeTableFindings(document, files);
  assert.ok(findings.length === 0, findings.map(({ place, message }) => `\n${place}: ${message}`).join(''));
});

test('docs/ARCHITECTURE.md is short enough to be read at once', () => {
  const document = readFileSync(join(repositoryRoot, 'docs/ARCHITECTURE.md'), 'utf8');
  const words = document.split(/\s+/).filter((word) => word !== '');
  assert.ok(words.length <= MOST_WORDS, `${words.length} words: at most ${MOST_WORDS}`);
});

test('a table whose files, folders and patterns exist has no findings', () => {
  assert.deepEqual(messages(), []);
  assert.deepEqual(messages('| a | `packages/plan/src/` and `packages/wire/src` |'), []);
  assert.deepEqual(
    messages('| a | `packages/{plan,wire}/src/*.ts` by `POST /v1/swap`, `decide`, `@fairway/plan` |'),
    [],
  );
  assert.deepEqual(messages('| a | `packages/plan/src/decide.ts` at `/v1/swap` |'), []);
});

test('a file, a folder and a pattern that do not exist are found at their line', () => {
  assert.deepEqual(messages(ROW, '| a | `packages/plan/src/decides.ts`, `README.md`, `packages/wire/` |'), [
    'docs/ARCHITECTURE.md:8 packages/plan/src/decides.ts does not exist',
    'docs/ARCHITECTURE.md:8 README.md does not exist',
  ]);
  assert.deepEqual(messages('| a | `packages/wires/` |'), [
    'docs/ARCHITECTURE.md:7 packages/wires/ does not exist',
  ]);
  assert.deepEqual(messages('| a | `packages/*/test/*.ts` |'), [
    'docs/ARCHITECTURE.md:7 packages/*/test/*.ts does not exist',
  ]);
});

test('a row without a file in backticks is found', () => {
  assert.deepEqual(messages('| a | packages/plan/src/decide.ts |', '| b | `decide` |'), [
    'docs/ARCHITECTURE.md:7 the row names no file in backticks',
    'docs/ARCHITECTURE.md:8 the row names no file in backticks',
  ]);
});

test('a missing section and a table with too few rows are found', () => {
  const rows = Array.from({ length: 11 }, () => ROW);
  assert.deepEqual(changeTableFindings(documentOf(rows), FILES), [
    {
      place: 'docs/ARCHITECTURE.md:3',
      message: 'the table "Where to change what" has 11 rows: at least 12 are needed',
    },
  ]);
  assert.deepEqual(changeTableFindings(documentOf(rows, '## Where'), FILES), [
    { place: 'docs/ARCHITECTURE.md', message: 'the section "Where to change what" is missing' },
  ]);
});
