// Forms as they arrive: what browsers and curl send, what nobody may send, and how much of a body is looked at.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '@fairway/testing';
import { seed } from '@fairway/testing/properties';
import { formParts } from './formParts.ts';

const TYPE = 'multipart/form-data; boundary=b';
const part = (disposition: string, body: string) =>
  `--b\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${body}\r\n`;
const FILE = 'name="file"; filename="s.xml"';
const read = (body: string | Buffer, type = TYPE, most = 3) => formParts(Buffer.from(body), type, most);

test('what Node writes as a form is read as it was', async () => {
  const random = createRandom(seed);
  for (let tries = 0; tries < 50; tries += 1) {
    const bytes = Buffer.from(Array.from({ length: random.integer(0, 300) }, () => random.integer(0, 255)));
    const form = new FormData();
    form.append('map', 'ba"nk\r\n');
    form.append('file', new Blob([bytes]), 'a "quoted" name; x.csv');
    const sent = new Response(form);
    const type = sent.headers.get('content-type') ?? '';
    const found = await formParts(Buffer.from(await sent.arrayBuffer()), type, 3);
    assert.ok(found.ok);
    assert.deepEqual(
      found.parts.map(({ name, isFile, bytes: own }) => [name, isFile, own.toString('hex')]),
      [
        ['map', false, Buffer.from('ba"nk\r\n').toString('hex')],
        ['file', true, bytes.toString('hex')],
      ],
    );
  }
});

test('what only resembles the boundary is content', async () => {
  const content = 'x\r\n--bc\r\n--\r\n--a\r\n';
  const found = await read(`${part(FILE, content)}--b--\r\n`);
  assert.equal(found.ok && found.parts[0]?.bytes.toString(), content);
  const empty = await read(`${part(FILE, '')}--b--`);
  assert.equal(empty.ok && empty.parts[0]?.bytes.length, 0);
  const quoted = await read(
    `${part('Name=file', 'x')}--b--`,
    'multipart/form-data; charset=utf-8; Boundary="b"',
  );
  assert.deepEqual(quoted.ok && quoted.parts.map(({ name, isFile }) => [name, isFile]), [['file', false]]);
});

test('a boundary in the middle of a window of the search is found, wherever it is', async () => {
  for (const length of [1_048_560, 1_048_570, 1_048_574, 1_048_575, 1_048_576, 1_048_577, 2_097_152]) {
    const found = await read(`${part(FILE, 'x'.repeat(length))}--b--`);
    assert.equal(found.ok && found.parts[0]?.bytes.length, length);
  }
});

test('a form that is cut off, or has no boundary, is malformed', async () => {
  const whole = `${part('name="map"', 'm')}${part(FILE, 'content')}--b--`;
  for (let length = 0; length < whole.length; length += 1)
    assert.equal((await read(whole.slice(0, length))).ok, false, String(length));
  for (const type of [
    'multipart/form-data',
    'multipart/form-data; boundary=',
    `multipart/form-data; boundary=${'b'.repeat(71)}`,
    'multipart/form-data; boundary=c',
  ])
    assert.equal((await read(whole, type)).ok, false, type);
  assert.equal((await read(`--b\r\ncontent-type: text/csv\r\n\r\nx\r\n--b--`)).ok, false, 'without a name');
});

test('of any number of parts and headers no more are read than a form may have', async () => {
  const parts = await read(part('name="f"', '').repeat(100_000), TYPE, 3);
  assert.equal(parts.ok && parts.parts.length, 3);
  const headers = await read(`--b\r\n${'a:b\r\n'.repeat(100_000)}\r\nx\r\n--b--`);
  assert.match(headers.ok ? '' : headers.detail, /headers of a part of the form are longer than 4096 bytes/);
});
