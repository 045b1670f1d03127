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
  return {
    address,
    async sign(unsigned) {
      const digest = toBytes(keccak256(serializeTransaction(unsigned)));
      const signed = await signDigest(place, access, digest);
      if (!signed.ok) throw new SignerAwayError(signed.detail, !signed.isTransient);
      const [r, s] = [numberToHex(signed.r, { size: 32 }), numberToHex(signed.s, { size: 32 })];
      // Its answer has no parity: whoever checks the signature finds it.
      return serializeTransaction(unsigned, { r, s, yParity: 0 });
    },
  };
}
