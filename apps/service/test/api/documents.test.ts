import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { OPERATION_IDS, operation, PROBLEM_CODES } from '@fairway/wire';
import { startHarness } from '../httpHarness.ts';
import { html } from '@fairway/api';

const harness = await startHarness();
after(() => harness.close());
const open = (url: string, headers: Record<string, string> = {}) =>
  harness.call({ url, login: null, headers });

const GUIDES = [
  'quick-start',
  'payments',
  'collect',
  'recipients',
  'events',
  'webhooks',
  'reports',
  'reconciliation',
  'sdk',
  'clients',
  'client-node',
  'operating',
  'security',
].map((name) => `/docs/${name}`);

test('start page and reference lead to every guide, and every link of a guide leads somewhere', async () => {
  const pages = new Map<string, string>();
  for (const url of [...GUIDES, '/', '/docs', '/problems', '/sandbox/mailbox', '/openapi.json']) {
    const { status, text } = await open(url);
    assert.equal(status, 200, url);
    pages.set(url, text);
  }
  for (const url of ['/', '/docs'])
    for (const guide of GUIDES) assert.ok(pages.get(url)?.includes(`href="${guide}"`), `${url} to ${guide}`);
  assert.match(pages.get('/') ?? '', /href="\/sandbox\/mailbox"/);
  for (const url of GUIDES) {
    const text = pages.get(url) ?? '';
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length, `${url} has an id twice`);
    for (const [, href = ''] of text.matchAll(/ href="([^"]*)"/g)) {
      if (/^(?:https:|data:)/.test(href)) continue;
      const [path = '', id] = href.split('#');
      const target = pages.get(path === '' ? url : path);
      assert.ok(target !== undefined, `${url} leads to ${href}`);
      if (id !== undefined) assert.ok(target.includes(` id="${id}"`), `${url} leads to ${href}`);
    }
    // A list right below a paragraph would be a part of it.
    assert.doesNotMatch(text, /<p>(?:(?!<\/p>)[\s\S])*\n(?:\d+\.|[-*|]) /, url);
    // Code has this service's address, and names no file of the repository where a guide is meant.
    assert.doesNotMatch(text, /127\.0\.0\.1:8080|\$URL|USERNAME:PASSWORD|>[\w-]+\.md</, url);
  }
});

test('the quick start names the mailbox and the terminal in the sandbox alone', async () => {
  const without = await startHarness({}, 'NO_SANDBOX');
  const [here, there] = [
    await open('/docs/quick-start'),
    await without.call({ url: '/docs/quick-start', login: null }),
  ];
  await without.close();
  assert.match(here.text, /The terminal that started this sandbox[\s\S]*\/sandbox\/mailbox/);
  assert.match(there.text, /fairway credentials create/);
  assert.doesNotMatch(there.text, /sandbox/i);
});

test('every problem has a page that needs no credential', async () => {
  const index = await open('/problems');
  for (const code of PROBLEM_CODES) {
    assert.ok(index.text.includes(`href="/problems/${code}"`));
    const page = await open(`/problems/${code}`);
    assert.equal(page.status, 200);
    assert.match(page.headers['content-type'] ?? '', /^text\/html/);
  }
  for (const url of ['/problems/nothing', '/problems/__proto__', `/problems/${'x'.repeat(500)}`]) {
    assert.equal((await open(url)).status, 404);
  }
});

test('pages load nothing from other hosts and have no inline scripts', async () => {
  for (const url of [...GUIDES, '/', '/docs', '/docs/', '/problems', '/problems/no-route']) {
    const page = await open(url);
    assert.equal(page.status, 200, url);
    assert.match(page.headers['content-security-policy'] ?? '', /default-src 'none'/);
    assert.equal(page.headers['cross-origin-opener-policy'], 'same-origin');
    const loaded = [...page.text.matchAll(/(?:src|<link[^>]*href)="([^"]*)"/g)].map(
      ([, address]) => address ?? '',
    );
    for (const address of loaded) assert.match(address, /^(\/docs\/(reference|tryIt|code)\.js|data:,)$/);
    assert.doesNotMatch(
      page.text,
      /<script(?! src="\/docs\/(reference|tryIt|code)\.js" defer>)|\son\w+=|style="/,
    );
    assert.doesNotMatch(page.text, />undefined|"undefined"|\[object/);
  }
});

test('the reference describes every operation, and leaves out the sandbox where there is none', async () => {
  const page = await open('/docs');
  for (const id of OPERATION_IDS) {
    const { method, path, isStream, fileTypes, upload } = operation(id);
    assert.ok(page.text.includes(`<code>${method} ${path}</code>`), id);
    // A stream has no form: the form would wait for its end, which does not come.
    assert.equal(
      page.text.includes(`data-method="${method}" data-path="${path}"`),
      isStream !== true && fileTypes === undefined && upload === undefined,
      id,
    );
  }
  const without = await startHarness({}, 'NO_SANDBOX');
  assert.ok(!(await without.call({ url: '/docs' })).text.includes('/v1/sandbox'));
  const described = (await without.call({ url: '/openapi.json' })).text;
  assert.doesNotMatch(described, /\/v1\/sandbox|"Sandbox"|FaucetRequest|privateKey/);
  assert.match(described, /"\/v1\/payments"/);
  await without.close();
});

test('each path parameter is a required input in the form of its operation', async () => {
  const page = await open('/docs');
  for (const id of OPERATION_IDS) {
    const { method, path, fileTypes, upload } = operation(id);
    if (fileTypes !== undefined || upload !== undefined) continue;
    const start = page.text.indexOf(`<form data-method="${method}" data-path="${path}">`);
    const form = page.text.slice(start, page.text.indexOf('</form>', start));
    const inputs = [
      ...form.matchAll(
        /name="(\w+)" value="[^"]*" spellcheck="false" data-in="path" placeholder="\w+" required>/g,
      ),
    ];
    assert.deepEqual(
      inputs.map(([, name]) => name),
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    );
  }
  assert.match(page.text, /payments\/PLAN_ID\/steps\/STEP_ID\/reports&#39;/);
});

test('the first example of the quick start works unchanged', async () => {
  const page = await open('/docs/quick-start');
  const address = /&#39;https:\/\/fairway\.test(\/v1\/quote[^&]*(?:&amp;[^&]*)*)&#39;/.exec(page.text)?.[1];
  assert.ok(address);
  assert.equal((await harness.call({ url: address.replaceAll('&amp;', '&') })).status, 200);
});

test('the OpenAPI document needs no credential, describes every route, and has an entity tag', async () => {
  const reply = await open('/openapi.json');
  const paths = reply.json['paths'] as Record<string, Record<string, unknown>>;
  for (const id of OPERATION_IDS) {
    const { method, path } = operation(id);
    assert.ok(paths[path]?.[method.toLowerCase()], id);
    const url = path.replaceAll(/\{(\w+)\}/g, ':$1');
    assert.ok(harness.server.hasRoute({ method, url }), id);
  }
  const tag = reply.headers['etag'] ?? '';
  assert.equal((await open('/openapi.json', { 'if-none-match': tag })).status, 304);
});

test('documents are sent compressed to those who take gzip, with an entity tag of their own', async () => {
  for (const url of ['/docs', '/docs/payments', '/docs/reference.js', '/docs/code.js', '/openapi.json']) {
    const plain = await open(url);
    const ask = (accepted: string) =>
      harness.server.inject({ url, headers: { 'accept-encoding': accepted } });
    const packed = await ask('deflate, gzip;q=0.8, br');
    assert.deepEqual([packed.statusCode, packed.headers['content-encoding']], [200, 'gzip'], url);
    assert.equal(gunzipSync(packed.rawPayload).toString(), plain.text);
    assert.notEqual(packed.headers['etag'], plain.headers['etag']);
    assert.equal(packed.headers['vary'], 'accept-encoding');
    assert.equal((await ask('gzip;q=0, br')).headers['content-encoding'], undefined);
    const again = { 'accept-encoding': 'gzip', 'if-none-match': String(packed.headers['etag']) };
    assert.equal((await harness.server.inject({ url, headers: again })).statusCode, 304);
  }
});

test('text in pages is escaped', () => {
  assert.equal(html`<p>${'<b>&"\''}</p>`.html, '<p>&lt;b&gt;&amp;&quot;&#39;</p>');
  assert.equal(html`<p>${[html`<i>${'<'}</i>`]}${undefined}${7}</p>`.html, '<p><i>&lt;</i>7</p>');
});
