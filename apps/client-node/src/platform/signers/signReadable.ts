import type { Hex } from '@fairway/relay';
import { isHex, size, slice } from 'viem';
import type { Readable } from './readable.ts';
import { mendNumbers, type Signer, WrongSignatureError } from './signer.ts';

const SIGNATURE_BYTES = 65;

/** Signs, and recovers the signer: a signature by another key, or of something else, is not answered. */
export async function signReadable(signer: Signer, readable: Readable, digest: Hex): Promise<Hex> {
  const signature = await signer.signReadable(readable, digest);
  if (!isHex(signature) || size(signature) !== SIGNATURE_BYTES)
    throw new WrongSignatureError('it answered no signature');
  const given = { r: slice(signature, 0, 32), s: slice(signature, 32, 64) };
  const { r, s, yParity } = await mendNumbers(digest, given, signer.address);
  return `${r}${s.slice(2)}${yParity === 0 ? '1b' : '1c'}`;
}
