import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganisationConfig } from '../../platform/config/organisations.ts';
import { createOrganisations } from './organisations.ts';
import { DatabaseUnavailableError } from '@fairway/postgres';

type Names = Parameters<typeof createOrganisations>[1]['organisationName'];

const NAMES = new Map([
  ['org_1', 'Acme'],
  ['org_2', 'Birch'],
]);
const named: Names = async (id) => ({ name: NAMES.get(id) });

function organisations(configured: readonly OrganisationConfig[], organisationName = named) {
  return createOrganisations(configured, { organisationName });
}

test('an organisation appears as configured or by its name, and an unknown one is a bug', async () => {
  const notices = { confirmation: true };
  const shownOf = organisations([{ organisation: 'Acme', shownName: 'Acme Research', notices }]);
  assert.deepEqual(await shownOf('org_1'), { name: 'Acme Research', notices });
  assert.deepEqual(await shownOf('org_2'), { name: 'Birch' });
  await assert.rejects(shownOf('org_3'), /org_3/);
});

test('an organisation is read once, and read again when the database was away', async () => {
  let asked = 0;
  let isAway = true;
  const shownOf = organisations([], async (id) => {
    asked += 1;
    if (isAway) throw new DatabaseUnavailableError(new Error('away'));
    return named(id);
  });
  await assert.rejects(shownOf('org_1'), DatabaseUnavailableError);
  isAway = false;
  for (let times = 0; times < 3; times++) assert.deepEqual(await shownOf('org_1'), { name: 'Acme' });
  assert.equal(asked, 2);
});
