import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sharedHostWarnings, toNodes } from './nodes.ts';
import type { ConfigFile } from './schema.ts';

const examplePath = join(import.meta.dirname, '../../../../../examples/config/fairway.json');
const [chain] = (JSON.parse(readFileSync(examplePath, 'utf8')) as ConfigFile).chains;

/** What is wrong with a chain of these nodes. */
function problemsOf(nodes: readonly { name: string; urls: string[] }[]): readonly string[] {
  assert.ok(chain);
  const problems: string[] = [];
  toNodes({ ...chain, nodes: [...nodes] }, 'FILE', {}, problems);
  return problems;
}

test('two spellings of one endpoint are one endpoint', () => {
  const nodesOf = (url: string) =>
    problemsOf([
      { name: 'one', urls: ['https://h.example'] },
      { name: 'two', urls: [url] },
    ]).map((problem) => /nodes one and two have URLs of the same host/.test(problem));
  for (const url of ['h.example/', 'H.EXAMPLE', 'h.example/?x', 'h.example:443', 'h.example//'])
    assert.deepEqual(nodesOf(`https://${url}`), [true], url);
  assert.deepEqual(nodesOf('wss://h.example'), [true]);
  assert.deepEqual(nodesOf('ws://h.example/'), [true]);
  for (const url of ['h.example/key', 'h.example:8545', 'other.example'])
    assert.deepEqual(nodesOf(`https://${url}`), [], url);
});

test('a start warns of nodes on one host, this machine excepted, and shows no URL', () => {
  const warningsOf = (...urls: string[]) =>
    sharedHostWarnings([{ name: 'Ethereum', nodes: urls.map((url) => ({ name: 'n', urls: [url] })) }]);
  const [warning, ...others] = warningsOf('https://h.example/key1', 'wss://H.example:8545/key2');
  assert.match(warning ?? '', /^Ethereum: the nodes n and n are on the same host\./);
  assert.doesNotMatch(warning ?? '', /key|example/);
  assert.deepEqual(others, []);
  assert.deepEqual(
    warningsOf('http://127.0.0.1:8545', 'http://127.0.0.1:8546', 'ws://[::1]:1', 'ws://[::1]:2'),
    [],
  );
  assert.deepEqual(warningsOf('https://a.example', 'https://b.example', '/a.ipc', '/b.ipc'), []);
});

test('a login of a node that is not percent-encoded in UTF-8 is named, and not shown', () => {
  const problemsOfUrl = (url: string) => problemsOf([{ name: 'one', urls: [url] }]);
  for (const url of ['https://me:100%@h.example', 'wss://me:p%ffss@h.example', 'https://me:a#b@h.example']) {
    const [problem, ...others] = problemsOfUrl(url);
    assert.match(
      problem ?? '',
      /^FILE: chain 1: the URL of node one cannot be read\. .*%25 for a percent sign/,
    );
    assert.doesNotMatch(problem ?? '', /100|ffss|h\.example/);
    assert.deepEqual(others, []);
  }
  for (const url of ['https://me:100%25@h.example', 'https://jörg:p%C3%A4ß@h.example', '/node.ipc'])
    assert.deepEqual(problemsOfUrl(url), []);
});
