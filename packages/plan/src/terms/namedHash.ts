import type { Hash } from './scalars.ts';

/** 64 hexadecimal digits in a row: the hash of a transaction in any letters, with or without 0x, and with words around it. */
const DIGITS = new RegExp('(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])', 'i');

/**
 * The hash of a transaction that a reference names, as the chain writes it; undefined for other references. People write it in capitals,
 * without 0x, or as the address of an explorer.
 *
 * @example
 * ```ts
 * import { namedHash } from '@fairway/plan';
 *
 * namedHash(`tx ${'AB'.repeat(32)}`); // '0xabab…'
 * namedHash('INV-7'); // undefined
 * ```
 */
export function namedHash(reference: string | undefined): Hash | undefined {
  const digits = DIGITS.exec(reference ?? '')?.[0];
  return digits === undefined ? undefined : `0x${digits.toLowerCase()}`;
}
