import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ConfigError, type OrganisationConfig } from '../configFile.ts';
import { createOrganisations } from './organisations.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-logos-'));
after(() => rmSync(folder, { recursive: true }));

type Names = Parameters<typeof createOrganisations>[1]['organisationName'];

const NAMES = new Map([
  ['org_1', 'Acme'],
  ['org_2', 'Birch'],
]);
const named: Names = async (id) => ({ ok: true, name: NAMES.get(id) });

function organisations(configured: readonly OrganisationConfig[], organisationName = named) {
  return createOrganisations(configured, { organisationName });
}

function logo(name: string, content: string | Buffer = 'logo'): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test('an organisation appears as configured, another by the name of its credentials, a stranger not at all', async () => {
  const shownOf = organisations([{ organisation: 'Acme', shownName: 'Acme Research' }]);
  assert.deepEqual(await shownOf('org_1'), { name: 'Acme Research' });
  assert.deepEqual(await shownOf('org_2'), { name: 'Birch' });
  assert.equal(await shownOf('org_3'), undefined);
});

test('a logo is shown under the name of the credentials where no other is given', async () => {
  for (const [name, type] of [
    ['a.png', 'image/png'],
    ['a.jpg', 'image/jpeg'],
    ['a.JPEG', 'image/jpeg'],
    ['a.webp', 'image/webp'],
    ['a.svg', 'image/svg+xml'],
  ] as const) {
    const shownOf = organisations([{ organisation: 'Acme', logoPath: logo(name) }]);
    assert.deepEqual(await shownOf('org_1'), {
      name: 'Acme',
      logoDataUri: `data:${type};base64,${Buffer.from('logo').toString('base64')}`,
    });
  }
});

test('who an organisation is is asked once, and again after a database that was away', async () => {
  let asked = 0;
  let isAway = true;
  const shownOf = organisations([], async (id) => {
    asked += 1;
    return isAway ? { ok: false, reason: 'DATABASE_UNAVAILABLE', detail: 'away' } : named(id);
  });
  assert.equal(await shownOf('org_1'), undefined);
  isAway = false;
  for (let times = 0; times < 3; times++) assert.deepEqual(await shownOf('org_1'), { name: 'Acme' });
  assert.equal(asked, 2);
});

/** The line that a logo is refused with. */
function refusal(logoPath: string): string {
  try {
    organisations([{ organisation: 'Acme', logoPath }]);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message.replace(folder, 'FOLDER');
  }
  return assert.fail(`${logoPath} is taken`);
}

test('a logo has at most 64 KiB', () => {
  organisations([{ organisation: 'Acme', logoPath: logo('most.png', Buffer.alloc(65_536)) }]);
  assert.equal(
    refusal(logo('more.png', Buffer.alloc(65_537))),
    'FOLDER/more.png: a logo has at most 65536 bytes.',
  );
});

test('a logo that is no image by its name, is not there, or is a folder is named', () => {
  for (const name of ['logo.gif', 'logo', 'logo.png.html'])
    assert.equal(
      refusal(logo(name)),
      `FOLDER/${name}: a logo is a PNG, JPEG, WebP or SVG file; this is none by its name.`,
    );
  assert.match(
    refusal(join(folder, 'nowhere.svg')),
    /^FOLDER\/nowhere\.svg: the logo cannot be read: ENOENT/,
  );
  mkdirSync(join(folder, 'folder.png'));
  assert.match(refusal(join(folder, 'folder.png')), /^FOLDER\/folder\.png: the logo cannot be read: EISDIR/);
});
