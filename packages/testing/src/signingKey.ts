import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, sign } from 'viem/accounts';

/**
 * How a key service signs. LOW_S, HIGH_S: with the lower or the higher one of the two numbers that fit. OTHER_KEY: with
 * another key. OTHER_DIGEST: something else. GARBAGE: with bytes that are no signature.
 */
export type SigningMood = 'LOW_S' | 'HIGH_S' | 'OTHER_KEY' | 'OTHER_DIGEST' | 'GARBAGE';

/** A key that a key service signs with. */
export type SigningKey = {
  readonly address: Hex;
  readonly privateKey: Hex;
  /** DER, as SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
  /** DER, as a sequence of two integers. */
  sign(digest: Buffer, mood: SigningMood): Promise<Buffer>;
};

/** The order of the curve secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
/** What stands before the point of a public key of secp256k1. */
const PUBLIC_KEY_HEAD = Buffer.from('3056301006072a8648ce3d020106052b8104000a034200', 'hex');

/** Makes a new key. */
export function createSigningKey(): SigningKey {
  const privateKey = generatePrivateKey();
  const { address, publicKey } = privateKeyToAccount(privateKey);
  return {
    address: address.toLowerCase() as Hex,
    privateKey,
    publicKey: Buffer.concat([PUBLIC_KEY_HEAD, Buffer.from(publicKey.slice(2), 'hex')]),
    async sign(digest, mood) {
      if (mood === 'GARBAGE') return Buffer.from('30060201010201', 'hex');
      const signed = mood === 'OTHER_DIGEST' ? Buffer.alloc(32, 7) : digest;
      const key = mood === 'OTHER_KEY' ? generatePrivateKey() : privateKey;
      const { r, s } = await sign({ hash: `0x${signed.toString('hex')}`, privateKey: key });
      // The library gives the lower one.
      return sequenceOf(BigInt(r), mood === 'HIGH_S' ? ORDER - BigInt(s) : BigInt(s));
    },
  };
}

function sequenceOf(...numbers: readonly bigint[]): Buffer {
  const body = Buffer.concat(numbers.map(integerOf));
  return Buffer.concat([Buffer.from([0x30, body.length]), body]);
}

/** A positive integer: a zero byte comes first where the highest bit is set. */
function integerOf(value: bigint): Buffer {
  const digits = value.toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  const whole = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
  return Buffer.concat([Buffer.from([0x02, whole.length]), whole]);
}
