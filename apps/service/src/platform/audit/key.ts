import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { networkOf } from '@fairway/api';

/** A key of audit logs. Its id is written into the log, and reveals nothing of the key. */
export type AuditKey = { readonly id: string; readonly lines: KeyObject; readonly addresses: KeyObject };

/** Derives the keys of an audit log from 32 secret bytes, which can have other purposes too. */
export function auditKeyOf(secret: Buffer): AuditKey {
  const lines = derived(secret, 'fairway audit log lines v1');
  return {
    id: createHmac('sha256', lines).update('id').digest('hex').slice(0, 12),
    lines,
    addresses: derived(secret, 'fairway audit log addresses v1'),
  };
}

/**
 * The name of an address in the log. Equal networks have equal names, and nobody finds out the address without the key.
 */
export function addressName({ addresses }: AuditKey, address: string): string {
  return createHmac('sha256', addresses).update(networkOf(address)).digest('base64url').slice(0, 16);
}

function derived(secret: Buffer, label: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), label, 32)));
}
