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
  for (const url of ['/', '/docs', '/docs/', '/problems', '/problems/no-route']) {
    const page = await open(url);
    assert.equal(page.status, 200, url);
    assert.match(page.headers['content-security-policy'] ?? '', /default-src 'none'/);
    assert.equal(page.headers['cross-origin-opener-policy'], 'same-origin');
    const loaded = [...page.text.matchAll(/(?:src|<link[^>]*href)="([^"]*)"/g)].map(
      ([, address]) => address ?? '',
    );
    for (const address of loaded) assert.match(address, /^(\/docs\/(reference|tryIt)\.js|data:,)$/);
    assert.doesNotMatch(page.text, /<script(?! src="\/docs\/(reference|tryIt)\.js" defer>)|\son\w+=|style="/);
    assert.doesNotMatch(page.text, /undefined|\[object/);
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

test('the example of the start page works unchanged', async () => {
  const page = await open('/');
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
  for (const url of ['/docs', '/docs/reference.js', '/openapi.json']) {
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
