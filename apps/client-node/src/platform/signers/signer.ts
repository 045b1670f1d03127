import type { Hex, Order } from '@fairway/relay';
import {
  keccak256,
  numberToHex,
  padHex,
  parseTransaction,
  recoverAddress,
  serializeTransaction,
  type TransactionSerializableEIP1559,
} from 'viem';
import type { Readable } from './readable.ts';

/** A transaction to sign. */
export type Unsigned = TransactionSerializableEIP1559;

/** A holder of a key: a keystore, a key service or a signing server. */
export type Signer = {
  readonly address: Hex;
  /** Signs, and gives the whole signed transaction. */
  sign(unsigned: Unsigned): Promise<Hex>;
  /** Signs what people can read, and gives r, s and v. `digest`: the bytes that the signature covers. */
  signReadable(readable: Readable, digest: Hex): Promise<Hex>;
};

/** The gas of a transfer to an account without code. */
const TRANSFER_GAS = 21_000n;

/** The transaction of an order: its call, or a transfer of nothing to the sender that only uses the nonce. */
function unsignedOf({ about, purpose, fees }: Order): Unsigned {
  const { chainId, sender, to, data, valueWei } = about.call;
  const content =
    purpose === 'EXECUTE'
      ? { to, data, value: valueWei, gas: about.gasLimit }
      : { to: sender, data: '0x' as const, value: 0n, gas: TRANSFER_GAS };
  return {
    ...{ type: 'eip1559', chainId, nonce: about.nonce, ...content },
    maxFeePerGas: fees.maxFeePerGasWei,
    maxPriorityFeePerGas: fees.maxPriorityFeePerGasWei,
  };
}

/**
 * Signs an order, then decodes the signed bytes: they must be the order in every field, by its sender. A signing server
 * has a chain id of its own, and a key service answers with whatever key it was asked for. Only the two numbers of its
 * signature are taken: chains want the lower `s`, and key services know no parity.
 */
export async function signOrder(
  signer: Signer,
  order: Order,
): Promise<{ readonly hash: Hex; readonly raw: Hex }> {
  const unsigned = unsignedOf(order);
  const { signature, content } = readSigned(await signer.sign(unsigned));
  if (content.chainId !== unsigned.chainId)
    throw new WrongSignatureError(`it signed for chain ${content.chainId}, not ${unsigned.chainId}`);
  if (serializeTransaction(content) !== serializeTransaction(unsigned))
    throw new WrongSignatureError('it signed another transaction than it was asked for');
  const digest = keccak256(serializeTransaction(unsigned));
  const mended = await mendNumbers(digest, signature, order.about.call.sender);
  const raw = serializeTransaction(unsigned, mended);
  return { raw, hash: keccak256(raw) };
}

type Numbers = { readonly r: Hex; readonly s: Hex };

function readSigned(raw: Hex): { readonly signature: Numbers; readonly content: Unsigned } {
  try {
    const parsed = parseTransaction(raw) as Unsigned & Partial<Numbers> & { v?: bigint; yParity?: number };
    const { r, s, v: _v, yParity: _parity, ...content } = parsed;
    if (r !== undefined && s !== undefined)
      return { signature: { r, s }, content: { ...content, type: 'eip1559' } };
  } catch {
    // The library's error repeats the bytes.
  }
  throw new WrongSignatureError('it answered no signed transaction');
}

/** The order of the curve. For each `s` the other one that fits is the order less `s`. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** A signature as chains take it: the lower `s`, and the parity that leads to the sender. */
export async function mendNumbers(
  hash: Hex,
  { r, s }: Numbers,
  sender: Hex,
): Promise<Numbers & { readonly yParity: 0 | 1 }> {
  const given = BigInt(s);
  const low = numberToHex(given > ORDER / 2n ? ORDER - given : given, { size: 32 });
  for (const yParity of [0, 1] as const) {
    const signature = { r: padHex(r, { size: 32 }), s: low, yParity };
    const address = await recoverAddress({ hash, signature }).catch(() => undefined);
    if (address?.toLowerCase() === sender) return signature;
  }
  throw new WrongSignatureError(`its signature is not one of ${sender}`);
}

/** A signer answered with something that must not be used. Nothing of it was kept or sent. */
export class WrongSignatureError extends Error {
  override readonly name = 'WrongSignatureError';
  constructor(detail: string) {
    super(`The signer cannot be used: ${detail}`);
  }
}

/** A signer did not sign. Nothing was lost: the same transaction is signed when the signer answers. */
export class SignerAwayError extends Error {
  override readonly name = 'SignerAwayError';
  /** Whether only an operator can help. */
  readonly needsOperator: boolean;
  constructor(detail: string, needsOperator: boolean) {
    super(`The signer does not sign: ${detail}`);
    this.needsOperator = needsOperator;
  }
}

/** Whether an error says that a signer does not sign, or not what it was asked for. */
export function isSignerFault(error: unknown): boolean {
  return error instanceof SignerAwayError || error instanceof WrongSignatureError;
}
