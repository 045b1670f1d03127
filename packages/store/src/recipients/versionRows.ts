import type { RegisteredRecipient } from '@fairway/recipients';
import type { Sealed } from '@fairway/keys';

/** The present version of a registered recipient as a row, without the key of the recipient. Bytes are as JSON holds them. */
export function versionRow(
  { recipient, version, detailsAtMs, detailsBy }: RegisteredRecipient,
  { keyId, sealed }: Sealed,
): object {
  const { fingerprint, ...masked } = recipient;
  return {
    version,
    made_at: new Date(detailsAtMs).toISOString(),
    made_by: detailsBy,
    masked,
    fingerprint: `\\x${Buffer.from(fingerprint, 'base64url').toString('hex')}`,
    address: recipient.type === 'wallet' ? recipient.address : null,
    key_id: keyId,
    sealed: `\\x${sealed.toString('hex')}`,
  };
}
