import type { RecipientSchema } from '@fairway/recipients';
import type { FieldError, RecipientView } from '@fairway/wire';
import type { Catalogue } from '../../../words/locales/catalogue.ts';
import type { ShownConversion } from '../../../words/locales/moneyTexts.ts';
import type { Colour } from '../../../words/text/colours.ts';

/** An organisation as its recipients see it. */
export type ShownOrganisation = {
  readonly name: string;
  /** `data:image/…`, in place of the name; any other URI is not shown. */
  readonly logoDataUri?: string;
  /** In place of the logo where the reader has chosen a dark scheme. */
  readonly logoDarkDataUri?: string;
  /** The colour of its buttons. */
  readonly colour?: Colour;
  /** Where it can be asked; `url` is of https. */
  readonly support?: { readonly email?: string; readonly url?: string; readonly phone?: string };
};

/**
 * The sealed page that the browser keeps in its history to show it again, so that nobody can read it there. With
 * `key`, which it does not keep, the page seals what is typed into it.
 */
export type PageState = { readonly sealed: string; readonly key: string };

/** Lets the recipient ask for a new link; `askedAt`: when that was done. Posts the token to /collect/ask. */
export type Asking = { readonly token: string; readonly askedAt?: Date };

/** Who pays, how much and until when: what every page of a live link shows. */
export type PaymentFacts = {
  readonly catalogue: Catalogue;
  /** The token in the link. Pages have it in hidden inputs of forms alone. */
  readonly token: string;
  readonly organisation: ShownOrganisation;
  readonly amount: {
    /** With its currency or symbol, written for the catalogue's locale, such as "1,250.00 USDC". */
    readonly text: string;
  };
  /** Who converts the amount for accounts; absent where nobody does. */
  readonly conversion?: ShownConversion;
  /** What a wallet is paid. */
  readonly walletToken: ShownToken;
  /** How long the payment takes after the confirmation, as ISO 8601 durations. */
  readonly settlementTime: { readonly min: string; readonly max: string };
  /** When the link ends. */
  readonly expiresAt: Date;
  readonly pageState?: PageState;
};

/** A token as the recipient reads it. `contract`: with its EIP-55 checksum. */
export type ShownToken = {
  readonly symbol: string;
  readonly contract: string;
  readonly chainName: string;
  /** The chain's block explorer, without a slash at its end; absent where none is configured. */
  readonly explorerUrl?: string;
};

/** A type of destination that the recipient may choose. */
export type DestinationChoice =
  /** `amountText`: what the wallet receives, written like `amount.text`. */
  | { readonly type: 'wallet'; readonly amountText: string }
  /** `countries`: ISO 3166-1 alpha-2, at least one. */
  | { readonly type: 'bank'; readonly countries: readonly string[] }
  /** `currency`: ISO 4217. */
  | { readonly type: 'emoney'; readonly currency: string };

/** GET /collect, before the link is known. */
export type ShellView = {
  readonly catalogue: Catalogue;
  /** NO_LINK: the pasted text holds no token. PAGE_OVER: the page that the browser came back to cannot be shown again. */
  readonly problem?: 'NO_LINK' | 'PAGE_OVER';
};

/** Answer to POST /collect/open. Posts token, type and (for bank) country to /collect/details. */
export type DestinationView = PaymentFacts & {
  /** The payer's message to the recipient. */
  readonly message?: string;
  /** Why the recipient is asked once more: what was chosen before, masked, and why it could not be paid. */
  readonly failed?: { readonly destination: string; readonly why: string };
  /** At least one choice, and at most one of each type. */
  readonly choices: readonly DestinationChoice[];
  /** The choice that was made before. */
  readonly given?: { readonly type?: string; readonly country?: string };
  readonly problem?: 'NO_TYPE' | 'NO_COUNTRY';
  /** Different details were submitted with the link, so that none are shown. */
  readonly isEnteredAnew?: boolean;
};

/**
 * Answer to POST /collect/details, and to POST /collect/review with mistakes. Posts token, type, country and the
 * fields of the schema to /collect/review. Its button to go back posts to /collect/choose.
 */
export type DetailsView = PaymentFacts & {
  readonly schema: RecipientSchema;
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
  /** With TOO_MANY. */
  readonly asking?: Asking;
};

/** Why a code was refused, or why no other code was sent. */
export type CodeProblem =
  /** The code has not six digits; it does not count as an attempt. `entered`: what is shown again. */
  | { readonly kind: 'MALFORMED'; readonly entered: string }
  | { readonly kind: 'WRONG' }
  /** The person who opened the link again did not say that the details are theirs. */
  | { readonly kind: 'NOT_OWN'; readonly entered: string }
  | { readonly kind: 'TOO_SOON'; readonly retryAfterSeconds: number }
  | { readonly kind: 'TOO_MANY' };

/**
 * What a code confirms. HERE: the details were entered on the page before, and are posted with the code; `proof` says that
 * they were submitted. KEPT: the service has them, and the page was reached by the link alone. So it shows no more
 * than a stranger may see, and posts the id of the submission.
 */
export type CodeSubject =
  | {
      readonly kind: 'HERE';
      readonly schema: RecipientSchema;
      /** The recipient as read (valid, normalised). */
      readonly given: unknown;
      readonly proof?: string;
    }
  | { readonly kind: 'KEPT'; readonly submission: string };

/**
 * Answer to POST /collect/submit and /collect/resend, to POST /collect/confirm with a wrong code, and to POST
 * /collect/open while a code waits. Posts token, subject and `code` to /collect/confirm. For another code it posts token
 * and all fields with `resend=yes` to /collect/submit, or the id of the submission to /collect/resend. To begin again, it
 * posts the token to /collect/choose.
 */
export type CodeView = PaymentFacts & {
  readonly subject: CodeSubject;
  /** What the code confirms, in a few words and masked. */
  readonly destination: string;
  /** The address that the code was sent to, masked, such as "j***@example.com". */
  readonly email: string;
  /** When the last code was sent, where known. */
  readonly sentAt?: Date;
  /** How often the code can still be entered, where known. */
  readonly attemptsLeft?: number;
  /** Why there is no code to enter, so that the page has no field for one. REPLACED: other details were entered later. */
  readonly dead?: 'TOO_MANY_WRONG' | 'EXPIRED' | 'REPLACED';
  /** How soon another code can be sent; absent when no more codes are sent for this link. */
  readonly nextCodeInSeconds?: number;
  /** Where no more codes are sent for this link. */
  readonly asking?: Asking;
  /** A new code has just been sent. */
  readonly resent?: boolean;
  readonly problem?: CodeProblem;
};

/** The payment to a chosen destination. Why a payment failed is told to the organisation and not shown here. */
export type DeliveryView = {
  readonly status: 'PENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'RETURNED';
  /** When it was sent, paid, failed or came back, where that is known. */
  readonly occurredAt?: Date;
  /** While it is not paid: when it becomes late. */
  readonly expectedBy?: Date;
  /** Whether it is late now. */
  readonly isLate?: boolean;
  /** The transaction that paid a wallet. */
  readonly txHash?: string;
  /** The amount that arrived, written like `amount.text`. */
  readonly paidAmountText?: string;
  /** The custodian's reference, for enquiries. */
  readonly reference?: string;
};

/** Answer to POST /collect/confirm with the right code, and to POST /collect/open of a used link. */
export type ReceiptView = Omit<PaymentFacts, 'expiresAt'> & {
  /** The chosen destination, masked. */
  readonly destination: Exclude<RecipientView, { type: 'email' }>;
  readonly submittedAt: Date;
  readonly delivery: DeliveryView;
};

/**
 * A link that cannot be used. `organisation` is whom to ask, where known. READDRESSED: a newer link went to somebody else.
 * SPENT: the link has no more codes. UNAVAILABLE: the service cannot answer now, and the link may still be valid.
 */
export type GoneView = {
  readonly catalogue: Catalogue;
  readonly kind: 'EXPIRED' | 'CANCELLED' | 'SUPERSEDED' | 'READDRESSED' | 'SPENT' | 'UNKNOWN' | 'UNAVAILABLE';
  readonly organisation?: ShownOrganisation;
  readonly pageState?: PageState;
  readonly asking?: Asking;
};
