import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Router } from '@fairway/sdk/markets';
import { keccak256 } from 'viem';
import { compareRouters } from './compareRouters.ts';
import type { Relayer } from './platform/relaying/relayer.ts';

const [USED, OTHER, CHANGED] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`);
const CODE = '0x6001';

/** What the log says of the routers of a policy. */
async function said(
  routers: readonly string[],
  used: readonly Partial<Router>[] | Error,
  ending = new AbortController().signal,
): Promise<string[]> {
  const lines: string[] = [];
  const relayer = { chainId: 1, chainPolicy: { routers }, request: () => Promise.resolve(CODE) };
  const markets = {
    routers: () => (used instanceof Error ? Promise.reject(used) : Promise.resolve(used as Router[])),
  };
  const log = { warn: ((_: object, line: string) => lines.push(line)) as never };
  await compareRouters(markets, [relayer as unknown as Relayer], log, ending);
  return lines;
}

test('the log says which routers of the policy are not those of the service', async () => {
  const known = { chainId: 1, address: USED!, codeHash: keccak256(CODE) };
  const changed = { ...known, address: CHANGED!, codeHash: keccak256('0x6002') };
  assert.deepEqual(await said([USED!], [known]), []);
  assert.deepEqual(await said([USED!], [{ ...known, address: USED!.toUpperCase().replace('0X', '0x') }]), []);
  assert.deepEqual(await said([OTHER!, CHANGED!], [known, changed]), [
    'The service does not use this router of the policy',
    'The service knows this router of the policy with other code',
  ]);
  assert.deepEqual(await said([USED!], [{ ...known, chainId: 2 }]), [
    'The service does not use this router of the policy',
  ]);
});

test('a service that is away keeps nobody from starting', async () => {
  assert.deepEqual(await said([USED!], new Error('away')), [
    'The routers of the policy could not be compared with those of the service',
  ]);
  assert.deepEqual(
    await said([USED!], new Error('closed'), AbortSignal.abort()),
    [],
    'nothing while it ends',
  );
});
