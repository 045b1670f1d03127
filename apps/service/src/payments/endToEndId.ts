import { randomUUIDv7 } from 'node:crypto';

/** A new id for a payment. Messages of ISO 20022 allow at most 35 characters. */
export function newEndToEndId(): string {
  return `FW${randomUUIDv7().replaceAll('-', '')}`;
}
