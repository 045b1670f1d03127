// Every hostile instruction is refused for its own reason, and every honest one is allowed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge, judgeMessage, judgeTypedData } from '../src/index.ts';
import { HONEST, topUp } from './honestProposals.ts';
import { HOSTILE } from './hostileInstructions.ts';
import { HOSTILE_SIGNATURES, signatureCode } from './hostileSignatures.ts';
import { codesOf } from './judging.ts';
import { AMOUNT, CHAIN_ID, honest, knownOf, PAYEE, policy, RELAYER, USDC } from './proposals.ts';

test('the table has at least sixty hostile instructions, and none of them twice', () => {
  assert.ok(HOSTILE.length >= 60, String(HOSTILE.length));
  assert.equal(new Set(HOSTILE.map(({ name }) => name)).size, HOSTILE.length);
});

for (const each of HOSTILE)
  test(`refused with ${each.code}: ${each.name}`, () => {
    assert.deepEqual(codesOf(judge, each), [each.code]);
  });

for (const [name, proposal] of Object.entries(HONEST))
  test(`allowed: ${name}`, () => {
    assert.deepEqual(codesOf(judge, { proposal }), []);
  });

for (const each of HOSTILE_SIGNATURES)
  test(`refused with ${each.code}: ${each.name}`, () => {
    assert.equal(signatureCode({ judgeMessage, judgeTypedData }, each), each.code);
  });

test('a top-up takes nothing from the limits of clients, and they nothing from its own', () => {
  const judgement = judge(policy, topUp, knownOf(topUp));
  assert.ok(judgement.allowed);
  assert.equal(judgement.spending.token, 'TOP_UP');
});

test('what is allowed says what it spends, and refusals are told in plain words', () => {
  const judgement = judge(policy, honest, knownOf(honest));
  assert.ok(judgement.allowed);
  assert.deepEqual(judgement.spending, {
    ...{ chainId: CHAIN_ID, relayer: RELAYER, token: USDC, amount: AMOUNT, recipient: PAYEE },
  });
  const late = judge(policy, honest, { ...knownOf(honest), gas: 600_000n, trust: 'SINGLE_NODE' });
  assert.ok(!late.allowed);
  assert.deepEqual(late.refusals, [
    { code: 'TRUST', rule: 'chains.1.minTrust', detail: 'The trust of the quote is SINGLE_NODE.' },
    {
      code: 'GAS_ABOVE_MOST',
      rule: 'chains.1.mostGas',
      detail: 'It takes 600000 gas, and 500000 are allowed.',
    },
  ]);
});

test('a policy without chains allows nothing', () => {
  const empty = { chains: [], typedData: [], areMessagesAllowed: false };
  for (const proposal of Object.values(HONEST))
    assert.deepEqual(codesOf(judge, { proposal, policy: empty }), ['CHAIN_NOT_ALLOWED']);
});
