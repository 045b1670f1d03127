// When two places are of one transfer: three questions, and what each answers after a reorganisation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameLog, isSamePlace, mayBeSameTransfer } from './transferPlaces.ts';
import type { TransferPlace } from './types.ts';

const place: TransferPlace = {
  chainId: 1,
  txHash: `0x${'aa'.repeat(32)}`,
  blockHash: `0x${'bb'.repeat(32)}`,
  logIndex: 3,
};
const elsewhere = { blockHash: `0x${'cc'.repeat(32)}` } as const;

const CASES: readonly [string, Partial<TransferPlace>, [place: boolean, log: boolean, mayBe: boolean]][] = [
  ['the same log in the same block', {}, [true, true, true]],
  ['another log in the same block', { logIndex: 4 }, [false, false, false]],
  ['the same log in another block', elsewhere, [false, true, true]],
  ['another log in another block', { ...elsewhere, logIndex: 4 }, [false, false, true]],
  ['another transaction', { txHash: `0x${'dd'.repeat(32)}`, ...elsewhere }, [false, false, false]],
  ['another chain', { chainId: 2, ...elsewhere }, [false, false, false]],
];

for (const [what, changes, expected] of CASES)
  test(`two places of transfers: ${what}`, () => {
    const other = { ...place, ...changes };
    for (const [a, b] of [
      [place, other],
      [other, place],
    ] as const)
      assert.deepEqual([isSamePlace(a, b), isSameLog(a, b), mayBeSameTransfer(a, b)], expected);
  });
