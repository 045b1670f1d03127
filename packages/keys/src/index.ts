export type { Key, KeyOutcome, KeyRefusal, KeySource } from './keySource.ts';
export type { KmsAccess, KmsCredentials } from './kmsAccess.ts';
export { createWrappedKey, type CreatedKey, type WrappedKeyOrder } from './kmsKey.ts';
export type { KmsPlace } from './kmsCall.ts';
export {
  type KmsRefusal,
  type PublicKeyOutcome,
  readPublicKey,
  signDigest,
  type SignatureOutcome,
} from './kmsSigning.ts';
export { readKey } from './readKey.ts';
export { readKmsAccess } from './readKmsAccess.ts';
export { createSealing, type Sealed, type SealedPlace, type Sealing, type Unsealing } from './sealing.ts';
