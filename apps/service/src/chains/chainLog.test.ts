import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FollowerEvent } from '@fairway/evm';
import pino from 'pino';
import { chainLog } from './chainLog.ts';

test('a failing chain is logged once a minute, when the reason changes, and when it is back', () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push((JSON.parse(line) as { msg: string }).msg) });
  let nowMs = 5;
  const tell = chainLog(log, () => nowMs);
  const failed = (detail: string): FollowerEvent => ({ type: 'FAILED', detail });
  const head: FollowerEvent = {
    ...{ type: 'HEAD', reorgDepth: 0 },
    head: { number: 7n, hash: '0x07', parentHash: '0x06', timestampSeconds: 1n, baseFeePerGas: 1n },
  };
  const away = 'The chain cannot be followed for now';
  const told = () => lines.splice(0);
  for (let second = 0; second < 60; second += 1) {
    tell(failed('connection refused'));
    nowMs += 1_000;
  }
  assert.deepEqual(told(), [away]);
  tell(failed('connection refused'));
  tell(failed('no answer'));
  assert.deepEqual(told(), [away, away]);
  tell(head);
  tell(head);
  assert.deepEqual(told(), ['The chain is followed again']);
  tell(failed('no answer'));
  assert.deepEqual(told(), [away]);
});
