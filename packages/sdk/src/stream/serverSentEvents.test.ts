import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seed } from '@fairway/testing/properties';
import { AnswerError } from '../errors/transport.ts';
import { createReader } from './serverSentEvents.ts';

const STREAM =
  'retry: 2000\nid: a\n\n: a comment\n\nid: b\r\ndata: {"n":1}\r\n\r\nevent: resent\rdata: x\rdata:  y\r\rid: c\ndata: é\n\n';
const MESSAGES = [
  { retryMs: 2000, id: 'a' },
  {},
  { id: 'b', data: '{"n":1}' },
  { event: 'resent', data: 'x\n y' },
  { id: 'c', data: 'é' },
];

test('messages are read alike, however the stream is cut into pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(STREAM.length)), (cuts) => {
      const read = createReader();
      const places = [0, ...cuts.toSorted((a, b) => a - b), STREAM.length];
      const pieces = places.slice(1).map((place, index) => STREAM.slice(places[index], place));
      assert.deepEqual(pieces.flatMap(read), MESSAGES);
    }),
    { seed },
  );
});

test('a message without an end is an error, and many whole ones are none', () => {
  const line = `data: ${'x'.repeat(1024 * 1024)}\n`;
  const lines = (count: number) => Array.from({ length: count }, () => line);
  const read = createReader();
  for (const _ of lines(100)) assert.equal(read(`${line}\n`).length, 1);
  const endless = createReader();
  assert.throws(() => lines(17).map(endless), AnswerError);
  const oneLine = createReader();
  assert.throws(() => lines(17).map((each) => oneLine(each.trimEnd())), AnswerError);
});

test('a message that is cut off is not given, and its id is no place', () => {
  assert.deepEqual(createReader()('id: a\ndata: 1\n\nid: b\ndata: 2\n'), [{ id: 'a', data: '1' }]);
});
