import { NodeNonsenseError } from '../rpc/errors.ts';
import { type Address, toAddress } from '@fairway/engine';

/** A hash of a block or a transaction, in lower case. */
export type Hash = `0x${string}`;

/**
 * An object that a node sent, with members still to be checked. @throws for anything else, naming `what` was
 * expected.
 */
export function fieldsOf(answer: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) throw isNo(what);
  return answer as Readonly<Record<string, unknown>>;
}

/** A list that a node sent. @throws for anything else, naming `what` was expected. */
export function listOf(answer: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(answer)) throw isNo(what);
  return answer;
}

/** A word of 32 bytes in lower case. @throws for anything else. */
export function toHash(value: unknown): Hash {
  return matching(value, /^0x[0-9a-f]{64}$/i, 'hash');
}

/** Bytes in lower case. @throws for anything else. */
export function toBytes(value: unknown): `0x${string}` {
  return matching(value, /^0x(?:[0-9a-f]{2})*$/i, 'bytes');
}

/** A number of at most 256 bits. @throws for anything else. */
export function toQuantity(value: unknown): bigint {
  return BigInt(matching(value, /^0x[0-9a-f]{1,64}$/i, 'quantity'));
}

/** A count or an index. @throws for anything else, and beyond 2^53. */
export function toCount(value: unknown): number {
  const count = Number(toQuantity(value));
  if (!Number.isSafeInteger(count)) throw isNo('count');
  return count;
}

/** An address that a node sent. @throws for anything else. */
export function toAccount(value: unknown): Address {
  return toAddress(matching(value, /^0x[0-9a-f]{40}$/i, 'address'));
}

function matching(value: unknown, pattern: RegExp, what: string): `0x${string}` {
  if (typeof value !== 'string' || !pattern.test(value)) throw isNo(what);
  return value.toLowerCase() as `0x${string}`;
}

function isNo(what: string): NodeNonsenseError {
  return new NodeNonsenseError(`The node sent something that is no ${what}`);
}
