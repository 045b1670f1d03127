import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type OrganisationConfig, toOrganisations } from './configOrganisations.ts';
import type { ConfigFile } from './configSchema.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-logos-'));
after(() => rmSync(folder, { recursive: true }));

type Entry = NonNullable<NonNullable<ConfigFile['payments']>['organisations']>[number];

function read(...organisations: Entry[]): { organisations: OrganisationConfig[]; problems: string[] } {
  const problems: string[] = [];
  const file = { chains: [], tokenLists: [], payments: { corridors: [], organisations } };
  const read = toOrganisations(file, join(folder, 'config.json'), problems);
  return { organisations: read, problems: problems.map((line) => line.replace(folder, 'FOLDER')) };
}

function logo(name: string, content: string | Buffer = 'logo'): string {
  writeFileSync(join(folder, name), content);
  return name;
}

test('an organisation appears under the name of its credentials, or the one that is given', () => {
  assert.deepEqual(read({ organisation: 'Acme', shownName: 'Acme Research' }, { organisation: 'Birch' }), {
    organisations: [
      { organisation: 'Acme', shownName: 'Acme Research' },
      { organisation: 'Birch', shownName: 'Birch' },
    ],
    problems: [],
  });
  const { problems } = read({ organisation: 'Acme' }, { organisation: 'Birch' }, { organisation: 'Acme' });
  assert.deepEqual(problems, ['FOLDER/config.json: payments.organisations.2: Acme is listed twice.']);
});

test('a logo beside the file is read into the page', () => {
  for (const [name, type] of [
    ['a.png', 'image/png'],
    ['a.jpg', 'image/jpeg'],
    ['a.JPEG', 'image/jpeg'],
    ['a.webp', 'image/webp'],
    ['a.svg', 'image/svg+xml'],
  ] as const) {
    const { organisations, problems } = read({ organisation: 'Acme', logo: logo(name) });
    assert.deepEqual(problems, []);
    const content = Buffer.from('logo').toString('base64');
    assert.equal(organisations[0]?.logoDataUri, `data:${type};base64,${content}`);
  }
});

test('a logo has at most 64 KiB', () => {
  assert.deepEqual(read({ organisation: 'Acme', logo: logo('most.png', Buffer.alloc(65_536)) }).problems, []);
  const { problems } = read({ organisation: 'Acme', logo: logo('more.png', Buffer.alloc(65_537)) });
  assert.deepEqual(problems, ['FOLDER/more.png: a logo has at most 65536 bytes.']);
});

test('a logo that is no image by its name, is not there, or is a folder is named', () => {
  for (const name of ['logo.gif', 'logo', 'logo.png.html'])
    assert.deepEqual(read({ organisation: 'Acme', logo: logo(name) }).problems, [
      `FOLDER/${name}: a logo is a PNG, JPEG, WebP or SVG file; this is none by its name.`,
    ]);
  mkdirSync(join(folder, 'folder.png'));
  const [nowhere, aFolder] = read(
    { organisation: 'Acme', logo: 'nowhere.svg' },
    { organisation: 'Birch', logo: 'folder.png' },
  ).problems;
  assert.match(nowhere ?? '', /^FOLDER\/nowhere\.svg: the logo cannot be read: ENOENT/);
  assert.match(aFolder ?? '', /^FOLDER\/folder\.png: the logo cannot be read: EISDIR/);
});

test('notices are off, and on one by one', () => {
  const noticesOf = (notices: Entry['notices']) =>
    read({ organisation: 'Acme', ...(notices === undefined ? {} : { notices }) }).organisations[0]?.notices;
  assert.equal(noticesOf(undefined), undefined);
  assert.deepEqual(noticesOf({}), {});
  assert.deepEqual(noticesOf({ reminderHours: 48 }), { reminderBeforeMs: 172_800_000 });
  assert.deepEqual(noticesOf({ confirmation: true, delivery: false }), {
    confirmation: true,
    delivery: false,
  });
});
