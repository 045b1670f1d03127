import type { KmsAccess, KmsPlace } from '@fairway/keys';
import type { Hex } from '@fairway/relay';
import { KeystoreError, openKeystore } from './keystoreFile.ts';
import { kmsSigner, openKmsSigner } from './kmsSigner.ts';
import { type Signer, SignerAwayError } from './signer.ts';
import { web3Signer } from './web3Signer.ts';

/**
 * What holds a key. `field`: what it is called in the configuration. `address`: the key that the operator means. A key of
 * another address is not used, wherever an alias leads by now.
 */
export type SignerConfig = { readonly field: string } & (
  | { readonly kind: 'KEYSTORE'; readonly path: string; readonly password: string }
  | {
      readonly kind: 'AWS_KMS';
      readonly address: Hex;
      readonly place: KmsPlace;
      readonly access: KmsAccess;
    }
  | { readonly kind: 'WEB3SIGNER'; readonly address: Hex; readonly url: string }
);

/** A signer cannot be used as it is configured. The message names the field and the remedy, and shows no secret. */
export class SignerConfigError extends Error {
  override readonly name = 'SignerConfigError';
}

/** A signer, and what holds its key. */
export type OpenSigner = Signer & { readonly kind: SignerConfig['kind'] };

/**
 * Opens a signer. A key service or a signing server that is away is asked again with each transaction.
 * @throws SignerConfigError
 */
export async function openSigner(config: SignerConfig): Promise<OpenSigner> {
  try {
    return { kind: config.kind, ...(await open(config)) };
  } catch (error) {
    if (!(error instanceof KeystoreError || error instanceof SignerAwayError)) throw error;
    throw new SignerConfigError(`${config.field}: ${error.message}`);
  }
}

async function open(config: SignerConfig): Promise<Signer> {
  switch (config.kind) {
    case 'KEYSTORE':
      return openKeystore(config.path, config.password);
    case 'WEB3SIGNER':
      return web3Signer(config);
    case 'AWS_KMS':
      return openPinned(config);
  }
}

async function openPinned({
  field,
  address,
  place,
  access,
}: SignerConfig & { readonly kind: 'AWS_KMS' }): Promise<Signer> {
  try {
    const signer = await openKmsSigner(place, access);
    if (signer.address === address) return signer;
    throw new SignerConfigError(
      `${field}.address: the key ${place.kmsKey} has the address ${signer.address}. Correct one of the two.`,
    );
  } catch (error) {
    if (error instanceof SignerAwayError && !error.needsOperator) return kmsSigner(place, access, address);
    throw error;
  }
}
