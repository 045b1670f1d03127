import type { RecipientId, RegisteredRecipient, RegisteredStatus } from './recipient.ts';

/** How long a person is told that details were changed. */
const RECENT_MS = 72 * 3_600_000;

/** Something that a person should look at before money is sent. It refuses nothing. `recipientId`: what it was compared with. */
export type RegisteredWarning = {
  readonly code: 'LOOKALIKE_ADDRESS' | 'DUPLICATE_DETAILS' | 'DETAILS_CHANGED_RECENTLY' | 'FIRST_PAYMENT';
  readonly detail: string;
  readonly recipientId?: RecipientId;
};

/**
 * What of an organisation details resemble. `duplicate`: another registered recipient has equal details. `lookalike`: another address,
 * of a registered recipient or of a plan, begins and ends like the address of the details.
 */
export type Likeness = {
  readonly duplicate?: { readonly recipientId: RecipientId; readonly status: RegisteredStatus };
  readonly lookalike?: { readonly recipientId: RecipientId } | { readonly planId: string };
};

/** How an address begins, with its 0x, and how it ends. */
export type AddressEnds = { readonly head: string; readonly tail: string };

/**
 * The parts of an address that people compare: its first four and last four hexadecimal digits. An attacker makes
 * addresses until one has the same ends, and hopes that nobody looks at the rest.
 *
 * @example
 * ```ts
 * import { addressEnds } from '@fairway/recipients';
 *
 * addressEnds('0x12ab00000000000000000000000000000000cd34'); // { head: '0x12ab', tail: 'cd34' }
 * ```
 */
export function addressEnds(address: string): AddressEnds {
  return { head: address.slice(0, 6), tail: address.slice(-4) };
}

/**
 * What a person should know of details before they are kept or used.
 *
 * @example
 * ```ts
 * import { likenessWarnings } from '@fairway/recipients';
 *
 * likenessWarnings({}); // []
 * ```
 */
export function likenessWarnings({ duplicate, lookalike }: Likeness): readonly RegisteredWarning[] {
  const warnings: RegisteredWarning[] = [];
  if (lookalike !== undefined) {
    const whose =
      'planId' in lookalike ? `the plan ${lookalike.planId}` : `the recipient ${lookalike.recipientId}`;
    warnings.push({
      code: 'LOOKALIKE_ADDRESS',
      detail: `The address begins and ends like another one, of ${whose}, and is not the same. Compare every digit: such addresses are made to be mistaken for one that you know.`,
      ...('recipientId' in lookalike ? { recipientId: lookalike.recipientId } : {}),
    });
  }
  if (duplicate !== undefined) {
    const { recipientId, status } = duplicate;
    const how = status === 'ACTIVE' ? '' : `, which is ${status},`;
    warnings.push({
      code: 'DUPLICATE_DETAILS',
      detail: `The recipient ${recipientId}${how} has the same details. Payments to both reach one account.`,
      recipientId,
    });
  }
  return warnings;
}

/** A registered recipient, what it resembles, and whether a plan of its present version is COMPLETED. */
export type RegisteredStanding = {
  readonly registered: RegisteredRecipient;
  readonly likeness: Likeness;
  readonly isPaid: boolean;
};

/**
 * What a person should know of a registered recipient before money is sent or its details are approved. One that takes no payments has none.
 *
 * @example
 * ```ts
 * import { type RegisteredRecipient, registeredWarnings } from '@fairway/recipients';
 *
 * declare const registered: RegisteredRecipient;
 * const standing = { registered, likeness: {}, isPaid: false };
 * registeredWarnings(standing, Date.UTC(2026, 2, 1)).map(({ code }) => code); // ['FIRST_PAYMENT']
 * ```
 */
export function registeredWarnings(
  { registered: { status, version, detailsAtMs }, likeness, isPaid }: RegisteredStanding,
  nowMs: number,
): readonly RegisteredWarning[] {
  if (status !== 'ACTIVE' && status !== 'PENDING_APPROVAL') return [];
  const warnings = [...likenessWarnings(likeness)];
  if (version > 1 && nowMs - detailsAtMs < RECENT_MS)
    warnings.push({
      code: 'DETAILS_CHANGED_RECENTLY',
      detail: `The details were changed less than 72 hours ago, to version ${version}. Ask the recipient over a way that you know from before whether that is right.`,
    });
  if (!isPaid)
    warnings.push({
      code: 'FIRST_PAYMENT',
      detail: `No payment to version ${version} of the recipient is COMPLETED.`,
    });
  return warnings;
}
