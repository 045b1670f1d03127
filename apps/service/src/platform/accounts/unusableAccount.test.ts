import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KNOWN_CONTRACTS } from '@fairway/evm';
import { hasWrongChecksum } from '@fairway/api';
import { type KnownContracts, unusableAccount, whatUnusable } from './unusableAccount.ts';

const account = (end: string) => `0x${end.padStart(40, 'a')}`;
const [TOKEN, POOL, ROUTER, FACTORY] = ['10', '20', '30', '40'].map(account);
const contracts: KnownContracts = {
  isToken: (address) => address === TOKEN,
  isPool: (address) => address === POOL,
  routers: [ROUTER ?? ''],
  others: [FACTORY ?? ''],
};

test('each address at which nobody can use funds is recognised with its kind', () => {
  const kinds: readonly [string | undefined, string | undefined][] = [
    [`0x${'0'.repeat(40)}`, 'NATIVE_CURRENCY'],
    [`0x${'e'.repeat(40)}`, 'NATIVE_CURRENCY'],
    [`0x${'1'.padStart(40, '0')}`, 'RESERVED'],
    [`0x${'2'.padStart(40, '0')}`, 'RESERVED'],
    [`0x${'3'.padStart(40, '0')}`, 'RESERVED'],
    [`0x${'ffff'.padStart(40, '0')}`, 'RESERVED'],
    [`0x${'10000'.padStart(40, '0')}`, undefined],
    [`0x${'dead'.padStart(40, '0')}`, 'RESERVED'],
    [`0x42${'07'.padStart(38, '0')}`, 'RESERVED'],
    [`0x42${'10000'.padStart(38, '0')}`, undefined],
    [`0x${'f'.repeat(40)}`, 'BURN'],
    ['0xdead000000000000000042069420694206942069', 'BURN'],
    ['0xca11bde05977b3631167028862be2a173976ca11', 'CONTRACT'],
    [TOKEN, 'TOKEN'],
    [POOL, 'POOL'],
    [ROUTER, 'ROUTER'],
    [FACTORY, 'CONTRACT'],
    [account('50'), undefined],
  ];
  for (const [address = '', kind] of kinds) assert.equal(unusableAccount(address, contracts), kind, address);
});

test('a contract at a low address is recognised by what it is, not as a precompile', () => {
  // Some chains have their native currency's token at such an address, for example 0x…0802 or 0x…800a.
  const low = `0x${'802'.padStart(40, '0')}`;
  assert.equal(unusableAccount(low, { ...contracts, isToken: (address) => address === low }), 'TOKEN');
});

test('without the contracts of a chain only reserved addresses are recognised', () => {
  assert.equal(unusableAccount(TOKEN ?? ''), undefined);
  assert.equal(unusableAccount(`0x${'0'.repeat(40)}`), 'NATIVE_CURRENCY');
});

test('each known contract has the letter case of its EIP-55 checksum, so that none is mistyped', () => {
  for (const [name, address] of Object.entries(KNOWN_CONTRACTS)) {
    assert.match(address, /^0x(?=.*[A-F])(?=.*[a-f])[0-9A-Fa-f]{40}$/, name);
    assert.equal(hasWrongChecksum(address), false, name);
    assert.equal(unusableAccount(address.toLowerCase()), 'CONTRACT', name);
  }
});

test('what an unusable account is completes a sentence', () => {
  assert.equal(whatUnusable(ROUTER ?? '', contracts), 'the router contract');
  assert.equal(whatUnusable(account('50'), contracts), undefined);
});
