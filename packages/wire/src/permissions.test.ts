import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERMISSIONS, permissionsOf, ROLES } from './permissions.ts';

test('who makes payments carries them on, and who approves reads what is approved', () => {
  assert.deepEqual(permissionsOf('payments:write'), ['payments:write', 'payments:operate']);
  assert.deepEqual(permissionsOf('payments:approve'), ['payments:approve', 'payments:read']);
  assert.deepEqual(permissionsOf('recipients:approve'), ['recipients:approve', 'recipients:read']);
  assert.deepEqual(permissionsOf('payments:operate'), ['payments:operate']);
  assert.equal(permissionsOf('payments'), undefined);
});

test('an operator makes no payments, and a reader changes nothing', () => {
  const { operator, 'read-only': reader }: Readonly<Record<string, readonly string[]>> = ROLES;
  assert.ok(operator?.includes('payments:operate') && !operator.includes('payments:write'));
  assert.ok(reader?.every((permission) => permission.endsWith(':read')));
  assert.equal(ROLES.integrator.length, PERMISSIONS.length - 2);
});
