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
      readonly idType: 'PHONE' | 'EMAIL' | 'ACCOUNT_ID';
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
      /** Initials with stops, such as "J. D."; a * where an initial would say the whole name. */
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
      readonly idType: 'PHONE' | 'EMAIL' | 'ACCOUNT_ID';
      readonly idValueLast4: string;
      readonly currency: string;
      readonly fingerprint: string;
    }
  | {
      readonly type: 'email';
      /** First letter and domain, such as "j***@example.com"; no letter where there are fewer than three. */
      readonly email: string;
      readonly name?: string;
      readonly locale?: string;
      readonly fingerprint: string;
    };

/** What may be shown of a recipient outside the sealed record. `fingerprint` is made of `canonicalRecipient`. */
export function maskRecipient(recipient: Recipient, fingerprint: string): MaskedRecipient {
  switch (recipient.type) {
    case 'bank': {
      const { type, name, country, account } = recipient;
      const number = account['accountNumber'] ?? account['iban'] ?? account['clabe'] ?? '';
      return {
        type,
        name: initials(name),
        country,
        account: { accountNumberLast4: end(number) },
        fingerprint,
      };
    }
    case 'wallet': {
      const { type, chainId, address, name } = recipient;
      return { type, chainId, address, ...(name === undefined ? {} : { name: initials(name) }), fingerprint };
    }
    case 'emoney': {
      const { type, name, provider, idType, idValue, currency } = recipient;
      return {
        type,
        name: initials(name),
        provider,
        idType,
        idValueLast4: end(idValue),
        currency,
        fingerprint,
      };
    }
    case 'email': {
      const { type, email, name, locale } = recipient;
      return {
        type,
        email: maskEmail(email),
        ...(name === undefined ? {} : { name: initials(name) }),
        ...(locale === undefined ? {} : { locale }),
        fingerprint,
      };
    }
  }
}

/**
 * The last four characters of a number. Of fewer than eight only two: four of five digits would leave ten to try,
 * and never more than half.
 */
function end(number: string): string {
  const characters = Array.from(number);
  const shown = characters.length < 8 ? Math.min(2, Math.floor(characters.length / 2)) : 4;
  return characters.slice(characters.length - shown).join('');
}

function initials(name: string): string {
  return name
    .split(/\s/u)
    .filter((word) => word !== '')
    .map(initial)
    .join(' ');
}

/** In scripts without letter case one character can be a whole name, as can a word of one letter anywhere. */
function initial(word: string): string {
  const [first = '', ...rest] = word;
  const [upper = ''] = first.toUpperCase();
  return rest.length === 0 || upper === first.toLowerCase() ? '*' : `${upper}.`;
}

/** Of a local part of one or two characters a first letter would be half or all. */
function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const local = Array.from(email.slice(0, at));
  return `${local.length < 3 ? '' : local[0]}***${email.slice(at)}`;
}

/**
 * One text for equal details, whatever spelling the scheme allows: letter case, spaces and hyphens of account
 * numbers and phone numbers, letter case of addresses, domains and names. The part of an e-mail address before
 * the @ and account ids keep their case: whoever issued them decides what it means. It holds all the details, so
 * it is as secret as they are.
 */
export function canonicalRecipient(recipient: Recipient): string {
  return JSON.stringify(canonicalMembers(recipient));
}

type Members = readonly (string | number | null | Members)[];

function canonicalMembers(recipient: Recipient): Members {
  switch (recipient.type) {
    case 'bank': {
      const account = Object.entries(recipient.account)
        .map(([member, value]) => [member, withoutSeparators(value).toUpperCase()] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1));
      return ['bank', oneCase(recipient.name), recipient.country.toUpperCase(), account];
    }
    case 'wallet':
      return ['wallet', recipient.chainId, recipient.address.toLowerCase(), oneCase(recipient.name ?? null)];
    case 'emoney': {
      const { name, provider, idType, idValue, currency } = recipient;
      const id = canonicalId(idType, idValue);
      return ['emoney', oneCase(name), oneCase(provider), idType, id, currency.toUpperCase()];
    }
    case 'email': {
      const { email, name = null, locale = null } = recipient;
      return ['email', withLowerCaseDomain(email.trim()), oneCase(name), locale?.toLowerCase() ?? null];
    }
  }
}

function canonicalId(idType: string, idValue: string): string {
  if (idType === 'PHONE') return withoutSeparators(idValue);
  return idType === 'EMAIL' ? withLowerCaseDomain(idValue.trim()) : idValue.normalize('NFC').trim();
}

/** A number without the spaces and hyphens that it is printed with. */
export function withoutSeparators(number: string): string {
  return number.replaceAll(/[\s-]/gu, '');
}

/** An e-mail address whose domain is in lower case; the part before the @ is its host's business. */
export function withLowerCaseDomain(email: string): string {
  const at = email.lastIndexOf('@');
  return email.slice(0, at) + email.slice(at).toLowerCase();
}

function oneCase(text: string | null): string | null {
  if (text === null) return null;
  const words = text.split(/\s/u).filter((word) => word !== '');
  return words.join(' ').toLowerCase().normalize('NFC');
}
