// Each rule is taken out once, in a copy of the sources. The table has to judge something else then.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as Policies from '../src/index.ts';
import { HONEST } from './honestProposals.ts';
import { HOSTILE } from './hostileInstructions.ts';
import { HOSTILE_SIGNATURES, signatureCode } from './hostileSignatures.ts';
import { codesOf } from './judging.ts';
import { type Mutant, MUTANTS } from './mutants.ts';

const packages = fileURLToPath(new URL('../..', import.meta.url));
const modules = join(packages, '../node_modules');
let folder: string;
let copies = 0;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-mutants-'));
});
after(() => rmSync(folder, { recursive: true }));

/** Loads a copy of the sources with a fault in it. */
async function load(mutant?: Mutant): Promise<typeof Policies> {
  const place = join(folder, String(++copies));
  for (const name of ['policies', 'sdk']) {
    cpSync(join(packages, name, 'package.json'), join(place, name, 'package.json'), { recursive: true });
    cpSync(join(packages, name, 'src'), join(place, name, 'src'), { recursive: true });
  }
  mkdirSync(join(place, 'node_modules/@fairway'), { recursive: true });
  symlinkSync(join(place, 'sdk'), join(place, 'node_modules/@fairway/sdk'));
  symlinkSync(join(packages, 'values'), join(place, 'node_modules/@fairway/values'));
  symlinkSync(join(modules, 'typebox'), join(place, 'node_modules/typebox'));
  if (mutant !== undefined) {
    const file = join(place, mutant.file);
    const text = readFileSync(file, 'utf8');
    assert.ok(text.includes(mutant.from), `${mutant.file} has ${mutant.from}`);
    writeFileSync(
      file,
      text.replace(mutant.from, () => mutant.to),
    );
  }
  return (await import(pathToFileURL(join(place, 'policies/src/index.ts')).href)) as typeof Policies;
}

/** What of the table is judged otherwise than it has to be. */
function wrong(policies: typeof Policies): string[] {
  const codes = (given: Parameters<typeof codesOf>[1]) => {
    try {
      return codesOf(policies.judge, given).join();
    } catch (error) {
      return String(error);
    }
  };
  return [
    ...HOSTILE.filter((each) => codes(each) !== each.code),
    ...HOSTILE_SIGNATURES.filter((each) => signatureCode(policies, each) !== each.code),
    ...Object.entries(HONEST).flatMap(([name, proposal]) => (codes({ proposal }) === '' ? [] : [{ name }])),
  ].map(({ name }) => name);
}

test('the table finds nothing in a faithful copy', async () => {
  assert.deepEqual(wrong(await load()), []);
});

test('the table finds each rule that was taken out', async (context) => {
  const unseen: Mutant[] = [];
  for (const mutant of MUTANTS) {
    const found = wrong(await load(mutant));
    if (found.length === 0) unseen.push(mutant);
  }
  context.diagnostic(`${MUTANTS.length - unseen.length} of ${MUTANTS.length} planted faults were found`);
  assert.deepEqual(unseen, []);
});
