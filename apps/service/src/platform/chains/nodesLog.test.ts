import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { nodesLog } from './nodesLog.ts';

test('a node that gives no answer is logged by its name once a minute, whatever it is asked', () => {
  const nodes: string[] = [];
  const log = pino({}, { write: (line: string) => nodes.push((JSON.parse(line) as { node: string }).node) });
  let nowMs = 5;
  const tell = nodesLog(log, () => nowMs);
  const fail = (node: string, method: string) =>
    tell({ type: 'NODE_FAILED', method, node, detail: 'The node gives no answer' });
  for (let second = 0; second < 59; second += 1) {
    fail('third', second % 2 === 0 ? 'eth_call' : 'eth_getLogs');
    nowMs += 1_000;
  }
  assert.deepEqual(nodes, ['third']);
  fail('second', 'eth_call');
  nowMs += 1_000;
  fail('third', 'eth_call');
  assert.deepEqual(nodes, ['third', 'second', 'third']);
});
