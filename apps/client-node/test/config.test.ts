// What is wrong with the configuration of a policy is said at the start, with the field and what to give.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfig } from '../src/platform/config/config.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-node-config-'));
after(() => rmSync(folder, { recursive: true }));

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const CHAIN = {
  ...{ chainId: 1, routers: [], tokens: [], recipients: [], maxLifeSec: 600 },
  ...{ simulation: 'DEMANDED', mostGas: '1', keepWei: '0' },
};

/** What is said of a configuration that is right but for its policy. */
function faults(policy: string | undefined): string[] {
  const variables = {
    FAIRWAY_NODE_SERVICE_URL: 'http://127.0.0.1:1',
    FAIRWAY_NODE_SERVICE_USERNAME: 'node',
    FAIRWAY_NODE_SERVICE_PASSWORD: 'secret',
    FAIRWAY_NODE_CHAIN_ID: '1',
    FAIRWAY_NODE_RPC_URLS: 'http://127.0.0.1:2',
    FAIRWAY_NODE_KEYSTORE: 'keystore.json',
    FAIRWAY_NODE_KEYSTORE_PASSWORD_FILE: file('password', 'secret\n'),
    FAIRWAY_NODE_DATA: folder,
    FAIRWAY_NODE_POLICY: policy,
  };
  try {
    const { ground } = readConfig([], variables);
    assert.ok(ground.kind === 'PRODUCTION');
    assert.deepEqual(ground.policy.chains[0]?.corridors, []);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
}

test('without a policy nothing starts, and a policy that is wrong is named with its field', () => {
  assert.deepEqual(faults(file('right.json', { chains: [CHAIN] })), []);
  assert.deepEqual(faults(undefined), [
    'FAIRWAY_NODE_POLICY: is missing; give the file that says what may be signed.',
  ]);
  const none = join(folder, 'none.json');
  assert.deepEqual(faults(none), [`FAIRWAY_NODE_POLICY ${none}: cannot be read as JSON.`]);
  const text = file('text.json', 'allow all');
  assert.deepEqual(faults(text), [`FAIRWAY_NODE_POLICY ${text}: cannot be read as JSON.`]);
  const wrong = file('wrong.json', { chains: [{ ...CHAIN, recipient: 'ANY' }] });
  assert.deepEqual(faults(wrong), [
    `FAIRWAY_NODE_POLICY ${wrong}: chains[0]: recipient is not a key here. Remove it.`,
  ]);
  const other = file('other.json', { chains: [{ ...CHAIN, chainId: 10 }] });
  assert.deepEqual(faults(other), [
    `FAIRWAY_NODE_POLICY ${other}: chains has no entry for chain 1, so that nothing may be signed there. Add one.`,
  ]);
});
