import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keccak256, numberToHex, parseTransaction, type TransactionSerializable } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { isProvenTransaction, signerOf } from './signedTransaction.ts';

const account = privateKeyToAccount(`0x${'5'.repeat(64)}`);
const OTHER = `0x${'8'.repeat(40)}` as const;
const COMMON = {
  chainId: 31_337,
  nonce: 41,
  gas: 90_000n,
  to: `0x${'2'.repeat(40)}`,
  data: '0xa9059cbb',
  value: 7n,
} as const;
const FEES = { maxFeePerGas: 9n, maxPriorityFeePerGas: 2n } as const;
const accessList = [{ address: OTHER, storageKeys: [`0x${'1'.repeat(64)}`] }] as const;

/** What is signed, of each kind of transaction that nodes hand on. */
const KINDS: Readonly<Record<string, TransactionSerializable>> = {
  legacy: { ...COMMON, type: 'legacy', gasPrice: 9n },
  eip2930: { ...COMMON, type: 'eip2930', gasPrice: 9n, accessList },
  eip1559: { ...COMMON, ...FEES, type: 'eip1559', accessList },
  eip4844: {
    ...{ ...COMMON, ...FEES, type: 'eip4844', maxFeePerBlobGas: 3n },
    blobVersionedHashes: [`0x01${'3'.repeat(62)}`],
  },
  eip7702: {
    ...{ ...COMMON, ...FEES, type: 'eip7702' },
    authorizationList: [
      {
        chainId: 31_337,
        address: OTHER,
        nonce: 4,
        yParity: 1,
        r: `0x${'6'.repeat(64)}`,
        s: `0x${'7'.repeat(64)}`,
      },
    ],
  },
};

const TYPES = { legacy: '0x0', eip2930: '0x1', eip1559: '0x2', eip4844: '0x3', eip7702: '0x4' } as const;

/** A signed transaction as nodes send it: quantities in hex, and who sent it by their word. */
async function sent(kind: string): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await account.signTransaction(KINDS[kind] ?? assert.fail());
  const { data, type, chainId, nonce, yParity, v, authorizationList, ...rest } = parseTransaction(
    bytes,
  ) as Readonly<Record<string, unknown>>;
  const told = Object.entries({ ...rest, chainId, nonce, v: v ?? BigInt(Number(yParity)) });
  const hex = told.map(([name, value]) => [
    name,
    typeof value === 'bigint' || typeof value === 'number' ? numberToHex(value) : value,
  ]);
  const authorizations = (authorizationList as readonly Record<string, unknown>[] | undefined)?.map(
    (each) => ({
      ...each,
      ...{ chainId: '0x7a69', nonce: '0x4', yParity: '0x1' },
    }),
  );
  return {
    ...Object.fromEntries(hex),
    ...{
      hash: keccak256(bytes),
      from: account.address,
      input: data,
      blockHash: null,
      type: TYPES[kind as 'legacy'],
    },
    ...(kind === 'legacy' ? {} : { yParity: numberToHex(Number(yParity)) }),
    ...(authorizations === undefined ? {} : { authorizationList: authorizations }),
  };
}

for (const kind of Object.keys(KINDS))
  test(`who signed a waiting transaction is proven by its hash, not by the node: ${kind}`, async () => {
    const told = await sent(kind);
    for (const answer of [told, { ...told, from: OTHER }]) {
      assert.equal(await signerOf(answer), account.address.toLowerCase());
      assert.ok(isProvenTransaction('eth_getTransactionByHash', answer));
    }
    for (const invented of [
      { nonce: '0x2a' },
      { to: OTHER },
      { input: '0x' },
      { value: '0x8' },
      { s: told['r'] },
      { hash: `0x${'a'.repeat(64)}` },
    ]) {
      assert.equal(await signerOf({ ...told, ...invented }), undefined, JSON.stringify(invented));
      assert.ok(!isProvenTransaction('eth_getTransactionByHash', { ...told, ...invented }));
    }
  });

test('what is no signed transaction proves nothing, and one of megabytes is not hashed', async () => {
  const told = await sent('eip1559');
  const { r: _r, ...unsigned } = told;
  for (const answer of [null, undefined, 7, {}, unsigned, { ...told, input: 7 }])
    assert.equal(await signerOf(answer), undefined);
  assert.equal(await signerOf({ ...told, input: `0x${'00'.repeat(2_000_000)}` }), undefined);
});
