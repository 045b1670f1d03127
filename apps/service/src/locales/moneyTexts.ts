/**
 * Sentences about money that pages and e-mails share, in one language. Placeholders: {amount} (with its token),
 * {currency} (with its name) and {custodian}.
 */
export type MoneyTexts = {
  /** Who converts the money. `offered`: while accounts can be chosen. `chosen`: an account was. `done`: it was paid. */
  readonly conversion: { readonly offered: string; readonly chosen: string; readonly done: string };
};
