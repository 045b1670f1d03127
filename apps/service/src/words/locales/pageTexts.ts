import type { AccountFieldName, Recipient, RecipientType, RecipientWord } from '@fairway/recipients';

/** A field's label, and a hint that says in a whole sentence what to enter. */
export type FieldTexts = { readonly label: string; readonly hint: string };

/** Members of a recipient that have no key: nobody who is e-mailed fills them in, or, for the account, its fields have keys. */
type DecidedName = 'type' | 'chainId' | 'country' | 'currency' | 'account' | 'custody';

type NameOf<Type extends RecipientType> = Exclude<
  keyof Extract<Recipient, { type: Type }> & string,
  DecidedName
>;

/**
 * The fields that recipients fill in: the type of destination, then the path through the schema. Some have other texts
 * for an idType, for a country, or where they hold letters (mixed). Hints may use {length} (characters without
 * separators, such as "5–9") and {prefix} (the first two of the example).
 */
export type FieldKey =
  | `wallet.${NameOf<'wallet'>}`
  | `bank.${NameOf<'bank'>}`
  | `bank.account.${AccountFieldName}`
  | 'bank.account.accountNumber.mixed'
  | 'bank.account.iban.CH'
  | 'bank.account.iban.LI'
  | `emoney.${Exclude<NameOf<'emoney'>, 'idValue'>}`
  | `emoney.idValue.${Extract<Recipient, { type: 'emoney' }>['idType']}`;

/** A page without a form: its heading and its paragraphs. */
export type Notice = { readonly title: string; readonly paragraphs: readonly string[] };

/** The status of a payment: a word for the list, a heading, and what happens next. */
export type StatusTexts = { readonly word: string; readonly title: string; readonly next: string };

/**
 * The texts of the collect pages in one language: plain text, never HTML. Placeholders, each where it is used in the
 * English texts:
 * - {organisation}, {amount} (with its currency), {expires}, {chain}, {country}, {currency}, {at}, {ending}
 * - {email} and {destination} (masked), {token} (its symbol), {site} (a host), {wallet} (a browser wallet's name)
 * - {wait} and {time} (durations in words), {least} and {most} (of a range of them), {label} and {hint} of a field
 */
export type PageTexts = {
  readonly common: {
    /** Stands before the title of a page with mistakes, and before each mistake for screen readers alone. */
    readonly errorPrefix: string;
    readonly errorSummary: string;
    readonly step: string;
    readonly pays: string;
    readonly safety: string;
    readonly continue: string;
    readonly optional: string;
    /** The first entry of a list to choose from. */
    readonly chooseOne: string;
    /** From a shorter duration to a longer one. */
    readonly range: string;
    /** Stands before the ways to ask the organisation. */
    readonly contact: string;
  };
  readonly shell: {
    readonly title: string;
    readonly explanation: string;
    readonly label: string;
    readonly hint: string;
    readonly button: string;
    /** Shown while the script opens the link. */
    readonly opening: string;
    readonly noLink: string;
    /** The browser came back to a page that cannot be shown any more. */
    readonly pageOver: string;
  };
  readonly destination: {
    readonly title: string;
    readonly messageFrom: string;
    readonly arrives: string;
    readonly until: string;
    readonly question: string;
    readonly walletHint: string;
    readonly bankHint: string;
    /** The hint where there is only one country. */
    readonly bankHintIn: string;
    readonly emoneyHint: string;
    readonly country: string;
    readonly chooseCountry: string;
    readonly nextTitle: string;
    readonly next: readonly string[];
    readonly noType: string;
    /** In another round, after the payment to {destination} failed. */
    readonly askedAgain: string;
    /** Different details were submitted with the link, so that all are to be entered anew. */
    readonly anewTitle: string;
    readonly anew: string;
    readonly noCountry: string;
  };
  /** Names of the types of destination. */
  readonly types: { readonly wallet: string; readonly bank: string; readonly emoney: string };
  readonly details: {
    readonly walletTitle: string;
    readonly bankTitle: string;
    readonly emoneyTitle: string;
    readonly walletNote: string;
    readonly changeChoice: string;
    /** Texts of the section for a browser wallet: its title, its button, and the messages of the script. */
    readonly useWallet: string;
    readonly useWalletHint: string;
    readonly useWalletNamed: string;
    readonly walletAsked: string;
    readonly walletTaken: string;
    readonly walletRefused: string;
    readonly missing: string;
    readonly wrong: string;
    readonly mistyped: string;
    readonly mistypedAddress: string;
    readonly refusedAddress: string;
    readonly otherMistake: string;
  };
  readonly fields: Readonly<Record<FieldKey, FieldTexts>>;
  /** Words of enumerations. */
  readonly words: Readonly<Record<RecipientWord, string>>;
  /** A destination in a few words, masked: {ending}, or the first and last characters of {address}. */
  readonly masked: {
    readonly bank: string;
    readonly wallet: string;
    readonly emoney: string;
    /** Known to its provider by {email}, masked. */
    readonly emoneyEmail: string;
    /** Nothing of it can be shown. */
    readonly emoneyOther: string;
  };
  /** Why a payment failed, and what to do, by the code of the failure. */
  readonly failures: Readonly<
    Record<
      | 'ACCOUNT_NOT_FOUND'
      | 'ACCOUNT_CLOSED'
      | 'NAME_MISMATCH'
      | 'RAIL_UNAVAILABLE'
      | 'INSUFFICIENT_FUNDS'
      | 'RETURNED'
      | 'OTHER',
      string
    >
  >;
  readonly review: {
    readonly title: string;
    readonly explanation: string;
    readonly receives: string;
    readonly from: string;
    readonly destination: string;
    readonly country: string;
    readonly contract: string;
    readonly chain: string;
    readonly arrival: string;
    readonly arrivalText: string;
    readonly currency: string;
    readonly addressCheck: string;
    readonly warning: string;
    readonly confirmation: string;
    readonly notConfirmed: string;
    readonly codeNote: string;
    readonly button: string;
    readonly change: string;
    readonly tooSoon: string;
    readonly tooMany: string;
  };
  readonly code: {
    readonly title: string;
    readonly sent: string;
    readonly why: string;
    /** What the code confirms, and when it was sent. */
    readonly confirms: string;
    readonly sentAt: string;
    /** For somebody who opened the link again: the details may be somebody else's. */
    readonly keptTitle: string;
    readonly kept: string;
    readonly own: string;
    readonly notOwn: string;
    readonly notMineTitle: string;
    readonly notMine: string;
    readonly chooseAgain: string;
    /** Where no other code can be sent. */
    readonly notMineSpent: string;
    /** Other details were entered after those of this page. */
    readonly replacedHere: string;
    readonly validFor: string;
    readonly label: string;
    readonly hint: string;
    readonly attemptsLeft: string;
    readonly button: string;
    /** The page when the code can no longer be entered. */
    readonly spentTitle: string;
    readonly spentHint: string;
    readonly spentHintIn: string;
    readonly resendTitle: string;
    readonly resendHint: string;
    readonly resend: string;
    readonly resent: string;
    readonly noMoreCodesShort: string;
    readonly noMoreCodes: string;
    readonly startAgain: string;
    readonly malformed: string;
    readonly wrong: string;
    readonly expired: string;
    readonly noAttempts: string;
    readonly tooSoon: string;
  };
  readonly receipt: {
    readonly amount: string;
    readonly statusTitle: string;
    readonly status: Readonly<Record<'PENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'RETURNED', StatusTexts>>;
    /** The labels of when it was sent, paid, failed or came back. */
    readonly occurredAt: Readonly<Record<'SENT' | 'DELIVERED' | 'FAILED' | 'RETURNED', string>>;
    readonly expectedBy: string;
    /** The payment should have arrived by now. */
    readonly late: string;
    readonly transaction: string;
    readonly explorer: string;
    readonly paidAmount: string;
    /** Replaces paidAmount where the custodian converted the money: the amount is in the token. */
    readonly convertedAmount: string;
    readonly reference: string;
    readonly destinationTitle: string;
    readonly name: string;
    readonly accountEnding: string;
    readonly submittedAt: string;
    readonly endingIn: string;
    readonly keepTitle: string;
    readonly keep: string;
    readonly refresh: string;
    readonly questions: string;
  };
  readonly gone: Readonly<
    Record<
      'EXPIRED' | 'CANCELLED' | 'SUPERSEDED' | 'READDRESSED' | 'SPENT' | 'UNKNOWN' | 'UNAVAILABLE',
      Notice
    >
  > & {
    /** Replaces {organisation} where its name is not known. */
    readonly unknownOrganisation: string;
    /** Asks for a new link; `asked`: that it was, at {at}. */
    readonly ask: string;
    readonly askHint: string;
    readonly asked: string;
    /** On a page that keeps what was entered while the service cannot answer. */
    readonly reload: string;
  };
};
