import type { RecipientSchema } from '@fairway/recipients';
import type { FieldError, RecipientView } from '@fairway/wire';
import type { Catalogue } from '../../locales/catalogue.ts';

/** Who pays, how much and until when: what every page of a live link shows. */
export type PaymentFacts = {
  readonly catalogue: Catalogue;
  /** As the link carries it. It travels in a hidden input of forms alone. */
  readonly token: string;
  readonly organisation: {
    readonly name: string;
    /** `data:image/…`; decoration, as the name stands beside it. Anything else is not shown. */
    readonly logoDataUri?: string;
  };
  readonly amount: {
    /** With its currency or symbol, written for the catalogue's locale, such as "1,250.00 USDC". */
    readonly text: string;
  };
  /** When the link ends. */
  readonly expiresAt: Date;
};

/** A type of destination that the recipient may choose. */
export type DestinationChoice =
  | { readonly type: 'wallet'; readonly chainName: string }
  /** `countries`: ISO 3166-1 alpha-2, at least one. */
  | { readonly type: 'bank'; readonly countries: readonly string[] }
  /** `currency`: ISO 4217. */
  | { readonly type: 'emoney'; readonly currency: string };

/** GET /collect, before the link is known. */
export type ShellView = {
  readonly catalogue: Catalogue;
  /** What was pasted holds no token. */
  readonly problem?: 'NO_LINK';
};

/** Answer to POST /collect/open. Posts token, type and (for bank) country to /collect/details. */
export type DestinationView = PaymentFacts & {
  /** Of the payer. */
  readonly message?: string;
  /** At least one; of a type at most one. */
  readonly choices: readonly DestinationChoice[];
  /** What was chosen before. */
  readonly given?: { readonly type?: string; readonly country?: string };
  readonly problem?: 'NO_TYPE' | 'NO_COUNTRY';
};

/**
 * Answer to POST /collect/details, and to POST /collect/review with mistakes. Posts token, type, country and the
 * fields of the schema to /collect/review; its way back posts to /collect/open.
 */
export type DetailsView = PaymentFacts & {
  readonly schema: RecipientSchema;
  /** For a wallet: the chain's name. */
  readonly chainName?: string;
  /** What `readForm` made of the form before; absent values are empty fields. */
  readonly given?: unknown;
  /** Of the recipient reader, with pointers from /recipient; none when there are no mistakes yet. */
  readonly errors?: readonly FieldError[];
};

/**
 * Answer to POST /collect/review. Posts token, all fields and for a wallet `confirmed=yes` to /collect/submit; its way
 * back posts the fields to /collect/details, which then keeps what was given.
 */
export type ReviewView = PaymentFacts & {
  readonly schema: RecipientSchema;
  readonly chainName?: string;
  /** The recipient as read (valid, normalised). */
  readonly given: unknown;
  /** Masked: where the code will go. */
  readonly email: string;
  /**
   * NOT_CONFIRMED: a wallet was submitted without `confirmed=yes`. TOO_SOON, TOO_MANY: no code could be sent now, or
   * no more of this link.
   */
  readonly problem?:
    | { readonly kind: 'NOT_CONFIRMED' }
    | { readonly kind: 'TOO_SOON'; readonly retryAfterSeconds: number }
    | { readonly kind: 'TOO_MANY' };
};

/** What is wrong with a code, or with asking for another. */
export type CodeProblem =
  /** Not six digits; costs no attempt. */
  | { readonly kind: 'MALFORMED' }
  | { readonly kind: 'WRONG' }
  | { readonly kind: 'EXPIRED' }
  | { readonly kind: 'RESEND_TOO_SOON'; readonly retryAfterSeconds: number }
  | { readonly kind: 'RESEND_TOO_MANY' };

/**
 * Answer to POST /collect/submit, and to POST /collect/confirm with a wrong code. Posts token, all fields and `code` to
 * /collect/confirm; the same without the code and with `again=yes` to /collect/submit for another code; and, to begin
 * again, the token to /collect/open. All fields travel: a code is worth something beside its own submission only.
 */
export type CodeView = PaymentFacts & {
  readonly schema: RecipientSchema;
  /** The recipient as read (valid, normalised). */
  readonly given: unknown;
  /** Masked, such as "j***@example.com". */
  readonly email: string;
  /** Of this code, where it is known. With none left the field is gone and only another code helps. */
  readonly attemptsLeft?: number;
  /** Whether another code may still be sent for this link. */
  readonly canResend: boolean;
  /** A new code has just been sent. */
  readonly resent?: boolean;
  readonly problem?: CodeProblem;
};

/** How a chosen destination is paid. Reasons of failures are the organisation's business and are not shown. */
export type DeliveryView = {
  readonly status: 'PENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'RETURNED';
  readonly occurredAt?: Date;
  /** What really arrived, written as `amount.text`. */
  readonly paidAmountText?: string;
  /** For enquiries. */
  readonly reference?: string;
};

/** Answer to POST /collect/confirm with the right code, and to POST /collect/open of a used link. */
export type ReceiptView = Omit<PaymentFacts, 'expiresAt'> & {
  /** Masked. */
  readonly destination: Exclude<RecipientView, { type: 'email' }>;
  readonly chainName?: string;
  readonly submittedAt: Date;
  readonly delivery: DeliveryView;
};

/**
 * A link that leads no further. `organisationName` says whom to ask, where that is known. UNAVAILABLE: the service
 * cannot answer now; the link may be well.
 */
export type GoneView = {
  readonly catalogue: Catalogue;
  readonly kind: 'EXPIRED' | 'CANCELLED' | 'SUPERSEDED' | 'UNKNOWN' | 'UNAVAILABLE';
  readonly organisationName?: string;
};
