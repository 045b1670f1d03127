import type { MovementId } from '@fairway/plan';

/**
 * An entry of a statement that Fairway writes (a report in camt.053), not of one of a bank. `isCredit`: whether it brings money to the account. `minor`: how much, in minor units of the currency. Days as
 * 2026-10-31. `payee`: whom the money was for, masked.
 */
export type PayoutStatementEntry = {
  readonly kind: 'PAYOUT' | 'RETURN';
  readonly isCredit: boolean;
  readonly minor: bigint;
  readonly bookedOn: string;
  readonly valueOn: string;
  readonly movementId: MovementId;
  readonly reverses?: MovementId;
  readonly planId: string;
  readonly clientReference: string;
  readonly providerReference?: string;
  readonly endToEndId?: string;
  readonly payee?: string;
  readonly failureCode?: string;
};
