import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { defined } from '@fairway/values';
import { type OrganisationConfig, toOrganisations } from './organisations.ts';
import type { ConfigFile } from './schema.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-logos-'));
after(() => rmSync(folder, { recursive: true }));

type Entry = NonNullable<NonNullable<ConfigFile['payments']>['organisations']>[number];

type Read = { organisations: OrganisationConfig[]; problems: string[] };

const read = (...organisations: Entry[]): Read => readWith({}, ...organisations);

function readWith(members: Pick<ConfigFile, 'mail'>, ...organisations: Entry[]): Read {
  const problems: string[] = [];
  const file = { chains: [], tokenLists: [], payments: { corridors: [], organisations }, ...members };
  const read = toOrganisations(file, join(folder, 'config.json'), problems);
  return { organisations: read, problems: problems.map((line) => line.replace(folder, 'FOLDER')) };
}

const PNG = '89504e470d0a1a0a';

function logo(name: string, hex = PNG): string {
  writeFileSync(join(folder, name), Buffer.from(hex, 'hex'));
  return name;
}

test('an organisation appears under the name in its credentials, or under its shown name', () => {
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

test('who is told of webhooks has one plain address, and needs a way to send e-mail', () => {
  const webhookContact = { email: 'hooks@acme.example', locale: 'de' };
  const mail = { smtpUrl: 'smtp://mail.example', from: 'Acme <a@acme.example>' };
  const entry = (email: string) => [{ organisation: 'Acme', webhookContact: { ...webhookContact, email } }];
  const { organisations, problems } = readWith({ mail }, ...entry(webhookContact.email));
  assert.deepEqual(problems, []);
  assert.deepEqual(organisations[0]?.webhookContact, webhookContact);
  const place = 'FOLDER/config.json: payments.organisations.0.webhookContact';
  assert.deepEqual(read(...entry(webhookContact.email)).problems, [
    `${place} is e-mailed; mail, which says how, is missing.`,
  ]);
  for (const email of ['a@b.example, c@d.example', 'Acme <a@b.example>', 'acme'])
    assert.deepEqual(readWith({ mail }, ...entry(email)).problems, [
      `${place}.email must be one plain e-mail address: name@example.com.`,
    ]);
});

test('a logo beside the configuration file becomes a data URI', () => {
  const svg = Buffer.from('<?xml version="1.0"?>\n<!-- by hand -->\n<svg/>').toString('hex');
  for (const [name, type, hex] of [
    ['a.png', 'image/png', PNG],
    ['a.jpg', 'image/jpeg', 'ffd8ffe0'],
    ['a.JPEG', 'image/jpeg', 'ffd8ffdb'],
    ['a.webp', 'image/webp', '52494646aabbccdd57454250'],
    ['a.svg', 'image/svg+xml', svg],
  ] as const) {
    const { organisations, problems } = read({ organisation: 'Acme', logo: logo(name, hex) });
    assert.deepEqual(problems, []);
    const content = Buffer.from(hex, 'hex').toString('base64');
    assert.equal(organisations[0]?.logoDataUri, `data:${type};base64,${content}`);
  }
});

test('a logo whose content does not match its file name is refused', () => {
  for (const [name, type] of [
    ['b.png', 'image/png'],
    ['b.jpg', 'image/jpeg'],
    ['b.webp', 'image/webp'],
    ['b.svg', 'image/svg+xml'],
  ] as const)
    assert.deepEqual(read({ organisation: 'Acme', logo: logo(name, '68656c6c6f') }).problems, [
      `FOLDER/${name}: the logo of Acme is no ${type}, as its name says it is.`,
    ]);
});

test('a logo has at most 64 KiB', () => {
  assert.deepEqual(
    read({ organisation: 'Acme', logo: logo('most.png', PNG + '00'.repeat(65_528)) }).problems,
    [],
  );
  const { problems } = read({ organisation: 'Acme', logo: logo('more.png', PNG + '00'.repeat(65_529)) });
  assert.deepEqual(problems, ['FOLDER/more.png: the logo of Acme must have at most 65536 bytes.']);
});

test('a logo that is missing, a folder, or by its name not an image is named', () => {
  for (const name of ['logo.gif', 'logo', 'logo.png.html'])
    assert.deepEqual(read({ organisation: 'Acme', logo: logo(name) }).problems, [
      `FOLDER/${name}: the logo of Acme must be a PNG, JPEG, WebP or SVG file; this is none by its name.`,
    ]);
  mkdirSync(join(folder, 'folder.png'));
  const [nowhere, aFolder] = read(
    { organisation: 'Acme', logo: 'nowhere.svg' },
    { organisation: 'Birch', logo: 'folder.png' },
  ).problems;
  assert.equal(nowhere, 'FOLDER/nowhere.svg: the logo of Acme is not there.');
  assert.match(aFolder ?? '', /^FOLDER\/folder\.png: the logo of Birch cannot be read: EISDIR/);
});

test('notices are off by default, and each is turned on by itself', () => {
  const noticesOf = (notices: Entry['notices']) =>
    read(defined({ organisation: 'Acme', notices })).organisations[0]?.notices;
  assert.equal(noticesOf(undefined), undefined);
  assert.deepEqual(noticesOf({}), {});
  assert.deepEqual(noticesOf({ reminderHours: 48 }), { reminderBeforeMs: 172_800_000 });
  assert.deepEqual(noticesOf({ confirmation: true, delivery: false }), {
    confirmation: true,
    delivery: false,
  });
});

test('how an organisation appears is read, and mistakes in it are named', () => {
  const support = { email: 'help@acme.example', url: 'https://acme.example/help', phone: '+44 20 7946 0018' };
  const png = '89504e470d0a1a0a00';
  const good = {
    organisation: 'Acme',
    logo: logo('acme.png', png),
    logoDark: logo('acme-dark.png', `${png}00`),
    colour: '#E8833A',
    support,
  };
  const { organisations, problems } = read(good);
  assert.deepEqual(problems, []);
  const { logoDataUri, logoDarkDataUri, ...rest } = organisations[0] ?? assert.fail();
  assert.deepEqual(rest, { organisation: 'Acme', shownName: 'Acme', colour: '#e8833a', support });
  assert.notEqual(logoDataUri, logoDarkDataUri);
  const bad = (entry: Partial<Entry>) => read({ organisation: 'Acme', ...entry }).problems;
  const place = 'FOLDER/config.json: payments.organisations.0';
  assert.deepEqual(bad({ logoDark: good.logoDark }), [
    `${place}.logoDark is seen in place of logo, which is missing.`,
  ]);
  assert.deepEqual(bad({ support: { email: 'a@b, c@d' } }), [
    `${place}.support.email must be one plain e-mail address: name@example.com.`,
  ]);
  for (const url of [
    'http://acme.example',
    'javascript:alert(1)',
    'acme.example',
    'mailto:help@acme.example',
  ])
    assert.deepEqual(bad({ support: { url } }), [
      `${place}.support.url must be an address that begins with https://.`,
    ]);
  assert.match(bad({ support: { url: 'https://a:b@acme.example' } })[0] ?? '', /must not hold a user name/);
});
