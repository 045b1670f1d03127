// Whose transfers are of interest, and why.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address } from '@fairway/engine';
import type { TokenTransfer } from '@fairway/evm';
import { createWatchSet } from './watchSet.ts';

const address = (digits: string) => `0x${digits.repeat(20)}` as Address;
const [CUSTODIAN, SETTLEMENT, DEPOSITS, WALLET, OTHER] = ['01', '02', '03', '04', '05'].map(address) as [
  Address,
  Address,
  Address,
  Address,
  Address,
];

test('a transfer is of interest as a deposit, as a payout by a custodian, and as a swap', () => {
  const watch = createWatchSet({
    ...{ tokens: [], settlementAddresses: [SETTLEMENT], payoutAddresses: [CUSTODIAN] },
  });
  const watched = [
    { address: DEPOSITS, purpose: 'DEPOSIT' },
    { address: WALLET, purpose: 'BENEFICIARY' },
    { address: DEPOSITS, purpose: 'BENEFICIARY' },
  ] as const;
  watch.add(watched.map((each) => ({ ...each, fromBlock: 0, isUnmatched: false })));
  const interest = (from: Address, to: Address, amount = 1n) => {
    const found = watch.interestOf({ from, to, amount } as TokenTransfer);
    return found === undefined
      ? undefined
      : Object.keys(found).filter((why) => found[why as keyof typeof found]);
  };
  assert.deepEqual(interest(OTHER, DEPOSITS), ['isDeposit']);
  assert.deepEqual(interest(CUSTODIAN, DEPOSITS), ['isDeposit', 'isPayout']);
  assert.deepEqual(interest(CUSTODIAN, WALLET), ['isPayout']);
  assert.deepEqual(interest(OTHER, SETTLEMENT), ['settles']);
  assert.equal(interest(OTHER, WALLET), undefined);
  assert.equal(interest(CUSTODIAN, OTHER), undefined);
  assert.equal(interest(OTHER, DEPOSITS, 0n), undefined);
});
