import type { RecipientSchema } from '@fairway/recipients';
import type { FieldError, RecipientView } from '@fairway/wire';
import type { Catalogue } from '../../locales/catalogue.ts';
import type { ShownConversion } from '../../locales/moneyTexts.ts';

/** Who pays, how much and until when: what every page of a live link shows. */
export type PaymentFacts = {
  readonly catalogue: Catalogue;
  /** The token in the link. Pages have it in hidden inputs of forms alone. */
  readonly token: string;
  readonly organisation: {
    readonly name: string;
    /** `data:image/…`; any other URI is not shown. It is decoration: the name stands beside it. */
    readonly logoDataUri?: string;
  };
  readonly amount: {
    /** With its currency or symbol, written for the catalogue's locale, such as "1,250.00 USDC". */
    readonly text: string;
  };
  /** Who converts the amount for accounts; absent where nobody does. */
  readonly conversion?: ShownConversion;
  /** When the link ends. */
  readonly expiresAt: Date;
};

/** A type of destination that the recipient may choose. */
export type DestinationChoice =
  /** `amountText`: what the wallet receives, written like `amount.text`. */
  | { readonly type: 'wallet'; readonly chainName: string; readonly amountText: string }
  /** `countries`: ISO 3166-1 alpha-2, at least one. */
  | { readonly type: 'bank'; readonly countries: readonly string[] }
  /** `currency`: ISO 4217. */
  | { readonly type: 'emoney'; readonly currency: string };

/** GET /collect, before the link is known. */
export type ShellView = {
  readonly catalogue: Catalogue;
  /** NO_LINK: the pasted text holds no token. */
  readonly problem?: 'NO_LINK';
};

/** Answer to POST /collect/open. Posts token, type and (for bank) country to /collect/details. */
export type DestinationView = PaymentFacts & {
  /** The payer's message to the recipient. */
  readonly message?: string;
  /** At least one choice, and at most one of each type. */
  readonly choices: readonly DestinationChoice[];
  /** The choice that was made before. */
  readonly given?: { readonly type?: string; readonly country?: string };
  readonly problem?: 'NO_TYPE' | 'NO_COUNTRY';
};

/**
 * Answer to POST /collect/details, and to POST /collect/review with mistakes. Posts token, type, country and the
 * fields of the schema to /collect/review. Its button to go back posts to /collect/open.
 */
export type DetailsView = PaymentFacts & {
  readonly schema: RecipientSchema;
  /** For a wallet: the chain's name. */
  readonly chainName?: string;
  /** What `readForm` read from the form before; a field without a value is empty. */
  readonly given?: unknown;
  /** The errors of the recipient reader, with pointers from /recipient; absent while nothing was checked. */
  readonly errors?: readonly FieldError[];
};

/**
 * Answer to POST /collect/review. Posts token, all fields and for a wallet `confirmed=yes` to /collect/submit. Its
 * button to go back posts the fields to /collect/details, which shows them again.
 */
export type ReviewView = PaymentFacts & {
  readonly schema: RecipientSchema;
  readonly chainName?: string;
  /** The recipient as read (valid, normalised). */
  readonly given: unknown;
  /** The address that the code will be sent to, masked. */
  readonly email: string;
  /**
   * NOT_CONFIRMED: a wallet was submitted without `confirmed=yes`. TOO_SOON: another code can be sent later.
   * TOO_MANY: no more codes can be sent for this link.
   */
  readonly problem?:
    | { readonly kind: 'NOT_CONFIRMED' }
    | { readonly kind: 'TOO_SOON'; readonly retryAfterSeconds: number }
    | { readonly kind: 'TOO_MANY' };
};

/** Why a code was refused, or why no other code was sent. */
export type CodeProblem =
  /** The code has not six digits; it does not count as an attempt. */
  | { readonly kind: 'MALFORMED' }
  | { readonly kind: 'WRONG' }
  | { readonly kind: 'EXPIRED' }
  | { readonly kind: 'RESEND_TOO_SOON'; readonly retryAfterSeconds: number }
  | { readonly kind: 'RESEND_TOO_MANY' };

/**
 * Answer to POST /collect/submit, and to POST /collect/confirm with a wrong code. Posts token, all fields and `code` to
 * /collect/confirm. To get another code, it posts token, all fields and `again=yes` to /collect/submit; to begin again,
 * the token to /collect/open. All fields are posted, because a code is valid for its own submission alone.
 */
export type CodeView = PaymentFacts & {
  readonly schema: RecipientSchema;
  /** The recipient as read (valid, normalised). */
  readonly given: unknown;
  /** The address that the code was sent to, masked, such as "j***@example.com". */
  readonly email: string;
  /** How often this code can still be entered, where known. At 0 the page has no field, and another code is needed. */
  readonly attemptsLeft?: number;
  /** Whether another code may still be sent for this link. */
  readonly canResend: boolean;
  /** A new code has just been sent. */
  readonly resent?: boolean;
  readonly problem?: CodeProblem;
};

/** The payment to a chosen destination. Why a payment failed is told to the organisation and not shown here. */
export type DeliveryView = {
  readonly status: 'PENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'RETURNED';
  readonly occurredAt?: Date;
  /** The amount that arrived, written like `amount.text`. */
  readonly paidAmountText?: string;
  /** The custodian's reference, for enquiries. */
  readonly reference?: string;
};

/** Answer to POST /collect/confirm with the right code, and to POST /collect/open of a used link. */
export type ReceiptView = Omit<PaymentFacts, 'expiresAt'> & {
  /** The chosen destination, masked. */
  readonly destination: Exclude<RecipientView, { type: 'email' }>;
  readonly chainName?: string;
  readonly submittedAt: Date;
  readonly delivery: DeliveryView;
};

/**
 * A link that cannot be used. `organisationName` is whom to ask, where known. UNAVAILABLE: the service cannot answer
 * now, and the link may still be valid.
 */
export type GoneView = {
  readonly catalogue: Catalogue;
  readonly kind: 'EXPIRED' | 'CANCELLED' | 'SUPERSEDED' | 'UNKNOWN' | 'UNAVAILABLE';
  readonly organisationName?: string;
};
