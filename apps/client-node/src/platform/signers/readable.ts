import type { Hex } from '@fairway/relay';
import { hashMessage, hashTypedData, type TypedDataDomain } from 'viem';

/** Typed data, checked. */
export type CheckedTypedData = {
  readonly domain: TypedDataDomain;
  /** With EIP712Domain, which is made of the domain. */
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  readonly primaryType: string;
  readonly message: Readonly<Record<string, unknown>>;
};

/** What people can read before it is signed. Hashes are not. */
export type Readable =
  | { readonly kind: 'MESSAGE'; readonly text: string }
  | { readonly kind: 'TYPED_DATA'; readonly typedData: CheckedTypedData };

/**
 * The bytes that a signature covers: EIP-191 for a message, EIP-712 for typed data.
 * @throws where the values of typed data are not of their types.
 */
export function digestOf(readable: Readable): Hex {
  return readable.kind === 'MESSAGE' ? hashMessage(readable.text) : hashTypedData(readable.typedData);
}
