// Requests and answers are compared with those of viem's own coder.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toAddress } from '@fairway/engine';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { encodeFunctionData, encodeFunctionResult, parseAbi } from 'viem';
import { decodeAggregate, encodeAggregate, encodeRead } from './multicallCoding.ts';

const ABI = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) view returns (Result[])',
]);

const hex = fc
  .uint8Array({ maxLength: 100 })
  .map((bytes): `0x${string}` => `0x${Buffer.from(bytes).toString('hex')}`);
const target = fc
  .bigInt(0n, 2n ** 160n - 1n)
  .map((number) => toAddress(`0x${number.toString(16).padStart(40, '0')}`));
const results = fc.array(fc.record({ success: fc.boolean(), returnData: hex }), { maxLength: 20 });

test(`calls are encoded as viem encodes them (FC_SEED=${seed})`, () => {
  fc.assert(
    fc.property(fc.array(fc.record({ target, callData: hex }), { maxLength: 20 }), (reads) => {
      const calls = reads.map((read) => ({ ...read, allowFailure: true }));
      assert.equal(
        encodeAggregate(reads),
        encodeFunctionData({ abi: ABI, functionName: 'aggregate3', args: [calls] }),
      );
    }),
    { seed, numRuns: 300 },
  );
});

test(`answers that viem encodes are read (FC_SEED=${seed})`, () => {
  fc.assert(
    fc.property(results, (result) => {
      const answer = encodeFunctionResult({ abi: ABI, functionName: 'aggregate3', result });
      const expected = result.map(({ success, returnData }) => (success ? returnData : undefined));
      assert.deepEqual(decodeAggregate(answer, result.length), expected);
      assert.deepEqual(decodeAggregate(answer, result.length + 1, result.length), expected);
      assert.throws(() => decodeAggregate(answer, result.length + 1), /no answer of Multicall3/);
    }),
    { seed, numRuns: 300 },
  );
});

test(`a changed or cut answer gives hexadecimal or an error (FC_SEED=${seed})`, () => {
  fc.assert(
    fc.property(results, fc.nat(), fc.nat(15), fc.nat(70), (result, at, digit, cut) => {
      const answer = encodeFunctionResult({ abi: ABI, functionName: 'aggregate3', result });
      const place = 2 + (at % (answer.length - 2));
      const changed = answer.slice(0, place) + digit.toString(16) + answer.slice(place + 1);
      let read: (string | undefined)[];
      try {
        read = decodeAggregate(changed.slice(0, changed.length - cut), result.length);
      } catch (error) {
        assert.match((error as Error).message, /no answer of Multicall3/);
        return;
      }
      assert.equal(read.length, result.length);
      for (const data of read) assert.match(data ?? '0x', /^0x([0-9a-f]{2})*$/);
    }),
    { seed, numRuns: 1000 },
  );
});

test('an answer of another kind is an error', () => {
  for (const answer of [null, 7, '', '0x', '0xzz', '1234', { data: '0x' }])
    assert.throws(() => decodeAggregate(answer, 0), /no answer of Multicall3/);
});

test(`calls with arguments of one word are encoded as viem encodes them (FC_SEED=${seed})`, () => {
  const abi = parseAbi(['function getPool(address, address, uint24) view returns (address)']);
  fc.assert(
    fc.property(target, target, fc.nat(2 ** 24 - 1), (tokenA, tokenB, fee) => {
      const expected = encodeFunctionData({ abi, functionName: 'getPool', args: [tokenA, tokenB, fee] });
      assert.equal(encodeRead('0x1698ee82', tokenA, tokenB, `0x${fee.toString(16)}`), expected);
    }),
    { seed, numRuns: 300 },
  );
});
