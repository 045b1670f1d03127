import { type KmsAccess, type KmsPlace, readPublicKey, signDigest } from '@fairway/keys';
import type { Hex } from '@fairway/relay';
import { keccak256, numberToHex, serializeTransaction, toBytes } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import { type Signer, SignerAwayError } from './signer.ts';

/**
 * A signer whose key a key management service holds (AWS KMS): it signs digests, and never gives the key away.
 * @throws SignerAwayError when the service does not give the public key, from which the address is made.
 */
export async function openKmsSigner(place: KmsPlace, access: KmsAccess): Promise<Signer> {
  const read = await readPublicKey(place, access);
  if (!read.ok) throw new SignerAwayError(read.detail, !read.isTransient);
  const address = publicKeyToAddress(`0x04${read.publicKey.toString('hex')}`).toLowerCase() as Hex;
  return kmsSigner(place, access, address);
}

/** The same, where the address is known. A signature by another key is found by whoever checks it. */
export function kmsSigner(place: KmsPlace, access: KmsAccess, address: Hex): Signer {
  /** Its answer has no parity: whoever checks the signature finds it. */
  async function numbersOf(digest: Hex): Promise<{ readonly r: Hex; readonly s: Hex }> {
    const signed = await signDigest(place, access, toBytes(digest));
    if (!signed.ok) throw new SignerAwayError(signed.detail, !signed.isTransient);
    return { r: numberToHex(signed.r, { size: 32 }), s: numberToHex(signed.s, { size: 32 }) };
  }
  return {
    address,
    async sign(unsigned) {
      const numbers = await numbersOf(keccak256(serializeTransaction(unsigned)));
      return serializeTransaction(unsigned, { ...numbers, yParity: 0 });
    },
    async signReadable(_, digest) {
      const { r, s } = await numbersOf(digest);
      return `${r}${s.slice(2)}1b`;
    },
  };
}
