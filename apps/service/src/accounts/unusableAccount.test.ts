import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KnownContracts, unusableAccount } from './unusableAccount.ts';

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
    [`0x${'1'.padStart(40, '0')}`, 'ROUTER_SHORTHAND'],
    [`0x${'2'.padStart(40, '0')}`, 'ROUTER_SHORTHAND'],
    [`0x${'3'.padStart(40, '0')}`, 'PRECOMPILE'],
    [`0x${'ffff'.padStart(40, '0')}`, 'PRECOMPILE'],
    [`0x${'10000'.padStart(40, '0')}`, undefined],
    [TOKEN, 'TOKEN'],
    [POOL, 'POOL'],
    [ROUTER, 'ROUTER'],
    [FACTORY, 'OTHER_CONTRACT'],
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
