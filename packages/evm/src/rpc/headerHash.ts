import { type Hex, keccak256, toRlp } from 'viem';

/**
 * The members of a header in the order in which they are hashed (Yellow Paper 4.3, EIP-1559, 4895, 4844, 4788, 7685).
 */
const BYTE_MEMBERS = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
] as const;
const NUMBER_MEMBERS = ['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp'] as const;
/** Each came with a fork and is present on every block since, so a chain has a beginning of this list. */
const LATER_MEMBERS: readonly { readonly name: string; readonly isNumber: boolean }[] = [
  { name: 'baseFeePerGas', isNumber: true },
  { name: 'withdrawalsRoot', isNumber: false },
  { name: 'blobGasUsed', isNumber: true },
  { name: 'excessBlobGas', isNumber: true },
  { name: 'parentBeaconBlockRoot', isNumber: false },
  { name: 'requestsHash', isNumber: false },
];

/**
 * The hash of a header as Ethereum computes it; undefined when a member is missing. On a chain with other rules the
 * result is another hash than the block's.
 */
export function headerHash(header: Readonly<Record<string, unknown>>): Hex | undefined {
  try {
    const later = LATER_MEMBERS.filter(({ name }) => header[name] !== undefined && header[name] !== null);
    return keccak256(
      toRlp([
        ...BYTE_MEMBERS.map((name) => bytesIn(header[name])),
        ...NUMBER_MEMBERS.map((name) => quantityBytes(header[name])),
        ...['extraData', 'mixHash', 'nonce'].map((name) => bytesIn(header[name])),
        ...later.map(({ name, isNumber }) => (isNumber ? quantityBytes : bytesIn)(header[name])),
      ]),
    );
  } catch {
    return undefined;
  }
}

/** The longest member of a header, in hex digits. To hash megabytes would hold up everything for seconds. */
const LONGEST_MEMBER = 100_000;

function bytesIn(value: unknown): Hex {
  if (String(value).length > LONGEST_MEMBER) throw new TypeError('no header of this size');
  if (typeof value !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(value)) throw new TypeError('no bytes');
  return value as Hex;
}

/** A quantity as it is hashed: without leading zeros, and zero without any byte. */
export function quantityBytes(value: unknown): Hex {
  if (String(value).length > LONGEST_MEMBER) throw new TypeError('no quantity of this size');
  const digits = BigInt(String(value)).toString(16);
  return digits === '0' ? '0x' : `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`;
}
