// An address is judged by what it is, not by how it is written. The test compares it with a second table and second
// arithmetic.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { opening, PRODUCTION } from '../test/rules.ts';
import { mayConnectTo } from './address.ts';
import { judgeWebhookUrl, readCidr, type WebhookRule } from './index.ts';

const options = { seed, numRuns: runs(1500) };

type Family = { readonly bits: 32 | 128; readonly write: (address: bigint) => string };
type Network = { readonly first: bigint; readonly last: bigint };

const IPV4: Family = {
  bits: 32,
  write: (address) => [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn).join('.'),
};
const IPV6: Family = { bits: 128, write: (address) => groupsOf(address).join(':') };

function groupsOf(address: bigint): string[] {
  return Array.from({ length: 8 }, (_, index) =>
    ((address >> BigInt(112 - 16 * index)) & 0xffffn).toString(16),
  );
}

function network(first: bigint, prefixBits: number, { bits }: Family): Network {
  return { first, last: first + (1n << BigInt(bits - prefixBits)) - 1n };
}

function ipv4(text: string): Network {
  const [address = '', prefix] = text.split('/');
  const first = address.split('.').reduce((value, part) => value * 256n + BigInt(part), 0n);
  return network(first, Number(prefix), IPV4);
}

/** A network of IPv6 whose groups are all given or followed by zeros. */
function ipv6(text: string): Network {
  const [address = '', prefix] = text.split('/');
  const groups = address.split(':').filter((group) => group !== '');
  const first = groups.reduce(
    (value, group, index) => value + (BigInt(`0x${group}`) << BigInt(112 - 16 * index)),
    0n,
  );
  return network(first, Number(prefix), IPV6);
}

/** IANA's registry of special-purpose addresses for IPv4, with multicast and what was reserved for the future. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map(ipv4);

/** Only 2000::/3 is given out; within it, the registry's special purposes. */
const GIVEN_OUT = ipv6('2000::/3');
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'].map(ipv6);
/** Networks outside of 2000::/3 that have a meaning, so that cases lie in them and at their edges. */
const OTHER_IPV6 = [
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
].map(ipv6);
const MAPPED = network(0xffff_0000_0000n, 96, IPV6);

const isIn = (address: bigint, { first, last }: Network): boolean => address >= first && address <= last;
const isPublicIpv4 = (address: bigint): boolean => !SPECIAL_IPV4.some((special) => isIn(address, special));
const isPublicIpv6 = (address: bigint): boolean =>
  isIn(address, GIVEN_OUT) && !SPECIAL_IPV6.some((special) => isIn(address, special));

/** Addresses in networks, at their edges, one beyond, and anywhere. */
function addresses({ bits }: Family, networks: readonly Network[]): fc.Arbitrary<bigint> {
  const most = (1n << BigInt(bits)) - 1n;
  const near = fc
    .constantFrom(...networks)
    .chain(({ first, last }) =>
      fc.oneof(fc.constantFrom(first, last, first - 1n, last + 1n), fc.bigInt({ min: first, max: last })),
    );
  return fc
    .oneof({ weight: 3, arbitrary: near }, fc.bigInt({ min: 0n, max: most }))
    .map((address) => address & most);
}

const anyIpv4 = addresses(IPV4, SPECIAL_IPV4);
const anyIpv6 = addresses(IPV6, [GIVEN_OUT, MAPPED, ...SPECIAL_IPV6, ...OTHER_IPV6]);

/** A number as a part of an IPv4 address may be written. */
function part(value: bigint, style: number): string {
  const hex = value.toString(16);
  const octal = value.toString(8);
  const styles = [
    `${value}`,
    `0x${hex}`,
    `0X${hex.toUpperCase()}`,
    `0x000${hex}`,
    `0${octal}`,
    `0000${octal}`,
  ];
  return styles[style % styles.length] ?? '';
}

/** An IPv4 address in one to four parts, each in its own style. The last part takes all that is left. */
function spellIpv4(address: bigint, partCount: number, styles: readonly number[]): string {
  const parts = Array.from(
    { length: partCount - 1 },
    (_, index) => (address >> BigInt(24 - 8 * index)) & 0xffn,
  );
  const rest = address & ((1n << BigInt(32 - 8 * (partCount - 1))) - 1n);
  return [...parts, rest].map((value, index) => part(value, styles[index] ?? 0)).join('.');
}

const DISGUISES: readonly ((host: string) => string)[] = [
  (host) => host,
  (host) => `${host}.`,
  (host) => Array.from(host, (sign) => `%${sign.charCodeAt(0).toString(16)}`).join(''),
  (host) => host.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (host) => host.replaceAll('.', '。'),
];

const ipv4Spelling = fc.record({
  partCount: fc.integer({ min: 1, max: 4 }),
  styles: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 4, maxLength: 4 }),
  disguise: fc.constantFrom(...DISGUISES),
});

/** An IPv6 address in one of its spellings: zeros left out or not, in either case, its end as an IPv4 address or not. */
function spellIpv6(
  address: bigint,
  style: { isShort: boolean; isUpper: boolean; isDotted: boolean; pad: number },
): string {
  const groups = groupsOf(address).map((group) => group.padStart(style.pad, '0'));
  const end = style.isDotted ? [IPV4.write(address & 0xffff_ffffn)] : groups.slice(6);
  const all = [...groups.slice(0, 6), ...end].join(':');
  const text = style.isShort ? all.replace(/(?:^|:)0+(?::0+)+(?::|$)/, '::') : all;
  return style.isUpper ? text.toUpperCase() : text;
}

const ipv6Spelling = fc.record({
  isShort: fc.boolean(),
  isUpper: fc.boolean(),
  isDotted: fc.boolean(),
  pad: fc.integer({ min: 1, max: 4 }),
});

/** What is said of `https://host/` in production: true where it may be sent to. Any refusal must be for the address. */
function isTaken(host: string, rule: WebhookRule = PRODUCTION): boolean {
  const judged = judgeWebhookUrl(`https://${host}/`, rule);
  assert.ok(judged.ok || judged.reason === 'ADDRESS_NOT_PUBLIC', `${host}: ${judged.ok || judged.reason}`);
  return judged.ok;
}

test('an IPv4 address in any notation is refused if it is not public, and taken if it is', () => {
  const seen = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(anyIpv4, ipv4Spelling, (address, { partCount, styles, disguise }) => {
      const host = disguise(spellIpv4(address, partCount, styles));
      const expected = isPublicIpv4(address);
      seen[expected ? 'taken' : 'refused'] += 1;
      assert.equal(isTaken(host), expected, `${host} is ${IPV4.write(address)}`);
      assert.equal(mayConnectTo(IPV4.write(address), PRODUCTION), expected);
    }),
    options,
  );
  assert.ok(seen.taken > 100 && seen.refused > 100, JSON.stringify(seen));
});

test('an IPv6 address in any spelling is refused if it is not public, and taken if it is', () => {
  const seen = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(anyIpv6, ipv6Spelling, (address, style) => {
      const host = spellIpv6(address, style);
      const expected = isPublicIpv6(address);
      seen[expected ? 'taken' : 'refused'] += 1;
      assert.equal(isTaken(`[${host}]`), expected, host);
      assert.equal(mayConnectTo(host, PRODUCTION), expected, host);
      assert.equal(mayConnectTo(`${host}%eth0`, PRODUCTION), false);
    }),
    options,
  );
  assert.ok(seen.taken > 100 && seen.refused > 100, JSON.stringify(seen));
});

/** Every way to write an IPv4 address into an IPv6 address. */
const EMBEDDINGS: Readonly<Record<string, (address: bigint) => bigint>> = {
  compatible: (address) => address,
  mapped: (address) => MAPPED.first + address,
  translated: (address) => (0xffffn << 48n) + address,
  NAT64: (address) => (0x64_ff9bn << 96n) + address,
  localNAT64: (address) => (0x64_ff9b_0001n << 80n) + address,
  sixToFour: (address) => (0x2002n << 112n) + (address << 80n),
  Teredo: (address) => (0x2001_0000n << 96n) + (address ^ 0xffff_ffffn),
};

test('an IPv4 address inside of an IPv6 address is refused, public or not', () => {
  fc.assert(
    fc.property(anyIpv4, fc.constantFrom(...Object.keys(EMBEDDINGS)), ipv6Spelling, (inner, name, style) => {
      const host = spellIpv6(EMBEDDINGS[name]?.(inner) ?? 0n, style);
      assert.equal(isTaken(`[${host}]`), false, `${name} ${host}`);
      assert.equal(mayConnectTo(host, PRODUCTION), false);
    }),
    options,
  );
});

test('an opened network opens its own addresses and no other', () => {
  const families = [
    { family: IPV4, any: anyIpv4, isPublic: isPublicIpv4, host: IPV4.write },
    {
      family: IPV6,
      any: anyIpv6,
      isPublic: isPublicIpv6,
      host: (address: bigint) => `[${IPV6.write(address)}]`,
    },
  ] as const;
  for (const { family, any, isPublic, host } of families) {
    const place = fc.tuple(
      any,
      fc.integer({ min: 1, max: family.bits }),
      fc.integer({ min: -2, max: 2 }),
      any,
    );
    fc.assert(
      fc.property(place, ([inside, prefixBits, offset, other]) => {
        const size = 1n << BigInt(family.bits - prefixBits);
        const first = inside - (inside % size);
        const opened: Network = { first, last: first + size - 1n };
        const rule = opening(`${family.write(first)}/${prefixBits}`);
        const most = (1n << BigInt(family.bits)) - 1n;
        const edges = [first + BigInt(offset), opened.last + BigInt(offset)].map((address) => address & most);
        for (const address of [inside, other, ...edges]) {
          // The inner address of a NAT64 address counts too, which has a test of its own.
          if (family === IPV6 && address >> 32n === 0x64_ff9bn << 64n) continue;
          assert.equal(
            isTaken(host(address), rule),
            isPublic(address) || isIn(address, opened),
            host(address),
          );
        }
        if (inside !== first) assert.equal(readCidr(`${family.write(inside)}/${prefixBits}`).ok, false);
      }),
      { ...options, numRuns: runs(1000) },
    );
  }
});

test('any text is judged, and the normal form of a URL that is taken is itself taken, unchanged', () => {
  const anyText = fc.string({
    unit: fc.integer({ min: 1, max: 0x33ff }).map((code) => String.fromCodePoint(code)),
  });
  const start = fc.constantFrom(
    '',
    'https://',
    'https://example.com',
    'https://example.com:8443/',
    'https:\\\\b.example/?',
  );
  const texts = fc.tuple(start, fc.oneof(fc.string(), anyText)).map(([first, rest]) => `${first}${rest}`);
  let takenCount = 0;
  fc.assert(
    fc.property(texts, (text) => {
      const judged = judgeWebhookUrl(text, PRODUCTION);
      if (!judged.ok) return;
      takenCount += 1;
      assert.deepEqual(judgeWebhookUrl(judged.url, PRODUCTION), judged);
    }),
    { ...options, numRuns: runs(500) },
  );
  assert.ok(takenCount > 50, `${takenCount}`);
});
