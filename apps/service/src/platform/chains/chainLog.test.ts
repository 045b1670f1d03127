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

test('the log tells every five seconds how far the reading of a market is', () => {
  const lines: unknown[] = [];
  const log = pino(
    { base: null, timestamp: false },
    { write: (line: string) => lines.push(JSON.parse(line)) },
  );
  let nowMs = 5;
  const tell = chainLog(log, () => nowMs);
  const head = {
    number: 7n,
    hash: '0x07',
    parentHash: '0x06',
    timestampSeconds: 1n,
    baseFeePerGas: 1n,
  } as const;
  for (let poolsRead = 0; poolsRead < 11; poolsRead++) {
    tell({
      type: 'READING',
      head,
      progress: { tokens: 9, pools: 142, poolsRead, requestsLeft: 142 - poolsRead },
    });
    nowMs += 1_000;
  }
  const line = { level: 30, block: 7, pools: 142, msg: 'The market is being read' };
  assert.deepEqual(lines, [
    { ...line, poolsRead: 0, requestsLeft: 142 },
    { ...line, poolsRead: 5, requestsLeft: 137 },
    { ...line, poolsRead: 10, requestsLeft: 132 },
  ]);
});
