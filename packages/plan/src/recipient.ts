/** What kinds of recipient a payment can name. */
export type RecipientType = 'bank' | 'wallet' | 'emoney' | 'email';

/** A recipient as the integrator sent it, validated and normalised. Personal data: it leaves memory sealed alone. */
export type Recipient =
  | {
      readonly type: 'bank';
      readonly name: string;
      /** ISO 3166-1 alpha-2, upper case. */
      readonly country: string;
      /** Members by country, such as bsb and accountNumber; separators removed. */
      readonly account: Readonly<Record<string, string>>;
    }
  | {
      readonly type: 'wallet';
      readonly chainId: number;
      /** Lower case. */
      readonly address: `0x${string}`;
      readonly name?: string;
    }
  | {
      readonly type: 'emoney';
      readonly name: string;
      readonly provider: string;
      readonly idType: string;
      readonly idValue: string;
      readonly currency: string;
    }
  | { readonly type: 'email'; readonly email: string; readonly name?: string; readonly locale?: string };

/**
 * A recipient as the rest of the system sees it: enough to recognise, not enough to pay. `fingerprint` is equal for
 * equal details within one organisation and says nothing without the key it was made with.
 */
export type MaskedRecipient =
  | {
      readonly type: 'bank';
      /** Initials with stops, such as "J. D.". */
      readonly name: string;
      readonly country: string;
      readonly account: { readonly accountNumberLast4: string };
      readonly fingerprint: string;
    }
  | {
      readonly type: 'wallet';
      readonly chainId: number;
      readonly address: `0x${string}`;
      readonly name?: string;
      readonly fingerprint: string;
    }
  | {
      readonly type: 'emoney';
      readonly name: string;
      readonly provider: string;
      readonly idType: string;
      readonly idValueLast4: string;
      readonly currency: string;
      readonly fingerprint: string;
    }
  | {
      readonly type: 'email';
      /** First letter and domain, such as "j***@example.com". */
      readonly email: string;
      readonly name?: string;
      readonly locale?: string;
      readonly fingerprint: string;
    };
