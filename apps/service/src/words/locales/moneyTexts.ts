/**
 * What the money may come to in the currency, in the recipient's language: `amount` and `rate` with the currency's code.
 * `token`: what the rate is for one of. `source`: the host that told the rate.
 */
export type ShownEstimate = {
  readonly amount: string;
  readonly rate: string;
  readonly token: string;
  readonly source: string;
  readonly asOfMs: number;
};

/** Who converts the money, to which currency, and what it may come to. */
export type ShownConversion = {
  readonly custodian: string;
  readonly currency: string;
  readonly estimate?: ShownEstimate;
};

/**
 * Sentences about money that pages and e-mails share, in one language. Placeholders: {amount} (with its token),
 * {currency} (with its name) and {custodian}; of an estimate {estimate} and {rate} (with the currency's code), {token},
 * {source} and {asOf}.
 */
export type MoneyTexts = {
  /** Who converts the money. `offered`: while accounts can be chosen. `chosen`: an account was. `done`: it was paid. */
  readonly conversion: { readonly offered: string; readonly chosen: string; readonly done: string };
  readonly estimate: string;
};
