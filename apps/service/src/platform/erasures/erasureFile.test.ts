import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { RecipientId } from '@fairway/recipients';
import { appendErasure, prepareErasureFile, readErasures } from './erasureFile.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-erasures-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const erasure = (digit: string) => ({
  scope: { organisationId: 'org_1', environment: 'sandbox' } as const,
  recipientId: `rcp_${digit.repeat(32)}` as RecipientId,
  atMs: Date.UTC(2026, 2, 1),
});

test('what is appended is read again, also behind a line that was cut off', async () => {
  const file = join(folder, 'whole');
  await prepareErasureFile(file);
  await prepareErasureFile(file);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await appendErasure(file, erasure('1'));
  appendFileSync(file, '{"erased":"rcp_2');
  await appendErasure(file, erasure('3'));
  appendFileSync(
    file,
    '\n{"erased":"rcp_x","organisationId":"org_1","environment":"sandbox","at":"2026-03-01"}\nnull\n',
  );
  assert.deepEqual(await readErasures(file), { erasures: [erasure('1'), erasure('3')], unreadable: 3 });
});

test('a file that was taken away is not made anew by an erasure', async () => {
  await assert.rejects(appendErasure(join(folder, 'gone'), erasure('1')), /ENOENT/);
  await assert.rejects(readErasures(join(folder, 'gone')), /ENOENT/);
});
