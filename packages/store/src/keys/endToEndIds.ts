import { createHmac } from 'node:crypto';
import { deriveKey } from '@fairway/credentials';

/**
 * What tells a payment from every other payment. `attempt`: 1, and one more for each payment of the plan that came back.
 * `part`: 1 for the first transaction or transfer of an attempt. `account`: the fingerprint of the account to be paid;
 * undefined where the recipient has not chosen one.
 */
export type PaymentName = {
  readonly organisationId: string;
  readonly environment: string;
  readonly clientReference: string;
  readonly attempt: number;
  readonly part: number;
  readonly account: string | undefined;
};

/** The id that the custodian gets with a payment. It has at most 35 characters, as messages of ISO 20022 allow. */
export type EndToEndId = (payment: PaymentName) => string;

const ID_FORM = 'FW[0-9A-F]{14,32}';
/**
 * Finds the ids in a text without signs and spaces: whole ones, and the beginnings that a field of 16 characters leaves.
 * Each letter is a capital one, and no id has a sign, so that banks have nothing to change.
 */
export const END_TO_END_IDS: RegExp = new RegExp(`(?=(${ID_FORM}))`, 'g');
/** Whether a text is an id, or such a beginning of one. */
export const IS_END_TO_END_ID: RegExp = new RegExp(`^${ID_FORM}$`);

/** 128 bits: with so many no two payments have one id by chance. */
const ID_BYTES = 16;

/**
 * Makes end-to-end ids: an HMAC-SHA256 of the payment under the server key. A restored database thereby gives a payment the
 * id that it had in the lost time, so that the custodian sees the repetition. All letters are capital ones, because
 * some banks make them so.
 */
export function createEndToEndId(serverKey: Buffer): EndToEndId {
  // The label never changes: custodians were given these ids.
  const key = deriveKey(serverKey, 'fairway end-to-end ids v1');
  return ({ organisationId, environment, clientReference, attempt, part, account = '' }) => {
    // As JSON, no two payments become the same text.
    const payment = JSON.stringify([organisationId, environment, clientReference, attempt, part, account]);
    const digest = createHmac('sha256', key).update(payment).digest();
    return `FW${digest.subarray(0, ID_BYTES).toString('hex').toUpperCase()}`;
  };
}
