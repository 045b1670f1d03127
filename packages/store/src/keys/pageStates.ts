import { createHmac } from 'node:crypto';
import type { Environment } from '../database/schema.ts';
import { createSealing, type SealedPlace, type Key } from '@fairway/keys';
import { deriveKey } from '@fairway/credentials';

/**
 * Seals what a page of a recipient needs to be shown again, so that a browser can keep it without anybody reading it
 * there. A state that was altered, or sealed for another environment or under another server key, does not open.
 */
export type PageStates = {
  /** Seals a text, as base64url. */
  seal: (environment: Environment, text: string) => string;
  /** The text that was sealed; undefined when it does not open. */
  open: (environment: Environment, sealed: string) => string | undefined;
  /**
   * The key, as base64, with which the page of a state seals what is typed into it. The page alone has it, and not what
   * the browser keeps of the page.
   */
  typingKey: (sealed: string) => string;
  /**
   * What was typed into the page of a state, which the page has sealed with its key by AES-256-GCM: nonce, ciphertext and
   * tag, as base64. Undefined when it does not open.
   */
  openTyped: (sealed: string, typed: string) => string | undefined;
};

const KEY_ID = 'page states';
/** The page gives this place as associated data: `["","","typed"]`. */
const TYPED: SealedPlace = { organisationId: '', ownerId: '', field: 'typed' };

/** Makes the sealing of page states. Its keys are derived from the server key. */
export function createPageStates(serverKey: Buffer): PageStates {
  const sealing = sealingWith(deriveKey(serverKey, 'fairway page states v1').export());
  const typing = deriveKey(serverKey, 'fairway page typing v1');
  const keyOf = (sealed: string) => createHmac('sha256', typing).update(sealed).digest();
  const placeOf = (environment: Environment) => ({
    organisationId: '',
    ownerId: environment,
    field: 'page state',
  });
  return {
    seal: (environment, text) => sealing.seal(placeOf(environment), text).sealed.toString('base64url'),
    open: (environment, sealed) => opened(sealing, placeOf(environment), Buffer.from(sealed, 'base64url')),
    typingKey: (sealed) => keyOf(sealed).toString('base64'),
    openTyped: (sealed, typed) => opened(sealingWith(keyOf(sealed)), TYPED, Buffer.from(typed, 'base64')),
  };
}

function sealingWith(key: Key['key']) {
  return createSealing([{ id: KEY_ID, key }]);
}

function opened(
  sealing: ReturnType<typeof createSealing>,
  place: SealedPlace,
  sealed: Buffer,
): string | undefined {
  const unsealed = sealing.unseal(place, { keyId: KEY_ID, sealed });
  return unsealed.ok ? unsealed.text : undefined;
}
