// A node's log becomes a transfer, nothing, or an error, and never a transfer with a wrong amount.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toAddress } from '@fairway/engine';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { erc20Abi, numberToHex, parseEventLogs } from 'viem';
import { addressToTopic, logsToTransfers, TRANSFER_TOPIC } from './tokenTransfer.ts';

const hexOf = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString('hex')}`;
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(hexOf);
const address = bytes(20).map(toAddress);
const topic = fc.oneof(
  fc.constant<`0x${string}`>(TRANSFER_TOPIC),
  address.map(addressToTopic),
  address.map(addressToTopic),
  bytes(32),
);
const place = fc.record({
  address,
  transactionHash: bytes(32),
  logIndex: fc.nat(100_000).map((index) => numberToHex(index)),
  blockNumber: fc.bigInt(0n, 2n ** 64n).map((number) => numberToHex(number)),
  blockHash: bytes(32),
});
const transferLog = fc
  .tuple(place, address, address, fc.bigInt(0n, 2n ** 256n - 1n))
  .map(([fields, from, to, amount]) => ({
    ...fields,
    removed: false,
    topics: [TRANSFER_TOPIC, addressToTopic(from), addressToTopic(to)],
    data: numberToHex(amount, { size: 32 }),
  }));
/** Logs of any contract: many have the topic of a transfer, few have the layout. */
const anyLog = fc
  .tuple(place, fc.array(topic, { maxLength: 4 }), fc.constantFrom(0, 31, 32, 33, 64), fc.nat(255))
  .map(([fields, topics, size, byte]) => ({
    ...fields,
    removed: false,
    topics,
    data: hexOf(Buffer.alloc(size, byte)),
  }));

test(`transfers are read as viem reads them, and other logs are left out (FC_SEED=${seed})`, () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(transferLog, anyLog), { maxLength: 6 }), (logs) => {
      const plain = logs.filter(
        ({ topics, data }) =>
          topics.length === 3 &&
          data.length === 66 &&
          topics.slice(1).every((each) => each.startsWith(`0x${'0'.repeat(24)}`)),
      );
      const expected = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: plain as never[] });
      assert.deepEqual(
        logsToTransfers(logs),
        expected.map(({ args, address: token, transactionHash, ...at }) => ({
          token: toAddress(token),
          from: toAddress(args.from),
          to: toAddress(args.to),
          amount: args.value,
          txHash: transactionHash,
          logIndex: at.logIndex,
          blockNumber: at.blockNumber,
          blockHash: at.blockHash,
        })),
      );
    }),
    { seed, numRuns: 300 },
  );
});

test(`a log with a changed member is a valid transfer, nothing, or an error (FC_SEED=${seed})`, () => {
  const members = fc.constantFrom(
    ...['address', 'topics', 'data', 'removed', 'logIndex', 'blockNumber', 'blockHash', 'transactionHash'],
  );
  const value = fc.oneof(fc.anything(), fc.string(), bytes(3), fc.array(fc.oneof(topic, fc.anything())));
  fc.assert(
    fc.property(transferLog, members, value, (log, member, other) => {
      try {
        for (const transfer of logsToTransfers([{ ...log, [member]: other }])) {
          assert.match(
            `${transfer.token} ${transfer.from} ${transfer.to} ${transfer.txHash} ${transfer.blockHash}`,
            /^(0x[0-9a-f]{40} ){3}0x[0-9a-f]{64} 0x[0-9a-f]{64}$/,
          );
          assert.ok(Number.isSafeInteger(transfer.logIndex));
          assert.equal(transfer.amount, BigInt(log.data));
        }
      } catch (error) {
        assert.match((error as Error).message, /^The node sent something that is no [a-z ]+$/);
      }
    }),
    { seed, numRuns: 1000 },
  );
});

const [from, to] = [toAddress(`0x${'aA'.repeat(20)}`), toAddress(`0x${'bb'.repeat(20)}`)];
const good = {
  address: `0x${'Cc'.repeat(20)}`,
  topics: [TRANSFER_TOPIC.toUpperCase().replace('X', 'x'), addressToTopic(from), addressToTopic(to)],
  data: `0x${'0'.repeat(62)}2a`,
  transactionHash: `0x${'D1'.repeat(32)}`,
  logIndex: '0x3',
  blockNumber: '0x10',
  blockHash: `0x${'E2'.repeat(32)}`,
};

test('a transfer is in lower case, whatever letter case the node uses', () => {
  assert.deepEqual(logsToTransfers([good]), [
    {
      token: `0x${'cc'.repeat(20)}`,
      from,
      to,
      amount: 42n,
      txHash: `0x${'d1'.repeat(32)}`,
      logIndex: 3,
      blockNumber: 16n,
      blockHash: `0x${'e2'.repeat(32)}`,
    },
  ]);
});

const passedOver: [name: string, change: object][] = [
  ['a removed log', { removed: true }],
  ['a Transfer of ERC-721', { topics: [...good.topics, `0x${'0'.repeat(63)}1`], data: '0x' }],
  ['a Transfer with a fourth topic', { topics: [...good.topics, `0x${'0'.repeat(63)}1`] }],
  ['a Transfer of which nothing is indexed', { topics: [TRANSFER_TOPIC] }],
  ['a Transfer without an amount', { data: '0x' }],
  ['a Transfer with more than an amount', { data: `0x${'00'.repeat(64)}` }],
  ['a sender larger than an address', { topics: [TRANSFER_TOPIC, `0x${'11'.repeat(32)}`, good.topics[2]] }],
  [
    'a recipient larger than an address',
    { topics: [TRANSFER_TOPIC, good.topics[1], `0x${'11'.repeat(32)}`] },
  ],
  ['an approval', { topics: [`0x${'8c'.repeat(32)}`, good.topics[1], good.topics[2]] }],
  ['a log without topics', { topics: [] }],
];

for (const [name, change] of passedOver) {
  test(`${name} is not an ERC-20 transfer`, () => {
    assert.deepEqual(logsToTransfers([{ ...good, ...change }]), []);
  });
}

const malformed: [name: string, logs: unknown, message: string][] = [
  ['nothing', null, 'no list of logs'],
  ['a log that is text', ['0x'], 'no log'],
  ['topics that are no list', [{ ...good, topics: TRANSFER_TOPIC }], 'no list of topics'],
  ['a short topic', [{ ...good, topics: [TRANSFER_TOPIC, '0x12', '0x34'] }], 'no hash'],
  ['data in decimals', [{ ...good, data: 42 }], 'no bytes'],
  ['data of half bytes', [{ ...good, data: '0x123' }], 'no bytes'],
  ['no contract', [{ ...good, address: null }], 'no address'],
  ['an index that is empty', [{ ...good, logIndex: '' }], 'no quantity'],
  ['an index without bound', [{ ...good, logIndex: `0x${'f'.repeat(20)}` }], 'no count'],
  ['a log of a block to come', [{ ...good, blockNumber: null }], 'no quantity'],
  ['a log without its block', [{ ...good, blockHash: undefined }], 'no hash'],
];

for (const [name, logs, message] of malformed) {
  test(`${name} is an error: ${message}`, () => {
    assert.throws(() => logsToTransfers(logs), { message: `The node sent something that is ${message}` });
  });
}

test('the same log twice is an error, and two equal transfers in two logs are two transfers', () => {
  assert.throws(() => logsToTransfers([good, good]), { message: 'The node sent a log twice' });
  assert.equal(logsToTransfers([good, { ...good, logIndex: '0x4' }]).length, 2);
});
