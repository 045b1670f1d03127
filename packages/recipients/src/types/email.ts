import { initials } from '../kinds/masking.ts';
import type { RecipientKind } from '../kinds/recipientKind.ts';
import { constant, group, nameOf, type RecipientField, text } from '../kinds/schema.ts';
import { oneCase, withLowerCaseDomain } from '../kinds/spelling.ts';

/** What decides the shape of a recipient who is e-mailed. */
export type EmailFacts = { readonly type: 'email' };

/** A person who is asked by e-mail where to be paid. */
export type EmailRecipient = {
  readonly type: 'email';
  readonly email: string;
  readonly name?: string;
  /** A language tag such as "pt-BR". */
  readonly locale?: string;
};

/** A person who is e-mailed as the rest of the system sees one. */
export type MaskedEmail = {
  readonly type: 'email';
  /** First letter and domain, such as "j***@example.com"; no letter where there are fewer than three. */
  readonly email: string;
  readonly name?: string;
  readonly locale?: string;
  readonly fingerprint: string;
};

/** An address in ASCII: many mail servers lack SMTPUTF8, and a domain in another script has an xn-- spelling. */
export const EMAIL_ADDRESS: RecipientField = {
  ...text({
    title: 'Email address',
    description: 'one email address of at most 254 characters, without a display name',
    example: 'jane.doe@example.com',
    minLength: 6,
    maxLength: 254,
  }),
  pattern: "^[A-Za-z0-9!#$%&'*+\\/=?^_`\\{\\|\\}~.\\-]{1,64}@[A-Za-z0-9.\\-]{4,253}$",
  format: 'email-address',
};

const LANGUAGE: RecipientField = {
  ...text({
    title: 'Language',
    description: 'a language tag such as en or pt-BR',
    example: 'en',
    minLength: 2,
    maxLength: 11,
  }),
  pattern: '^[A-Za-z]{2,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?$',
};

/** A person who is asked by e-mail where to be paid. */
export const EMAIL: RecipientKind<EmailFacts, EmailRecipient, MaskedEmail> = {
  shape: () =>
    group(
      'Email',
      'a person who is asked by email where to be paid',
      {
        type: constant('Type', 'email', 'email'),
        email: EMAIL_ADDRESS,
        name: nameOf("the person's full name"),
        locale: LANGUAGE,
      },
      ['type', 'email'],
    ),

  normal: ({ locale, ...rest }) => ({
    ...rest,
    email: withLowerCaseDomain(rest.email),
    ...(locale === undefined ? {} : { locale: new Intl.Locale(locale).toString() }),
  }),

  canonical: ({ email, name, locale }) => [
    'email',
    withLowerCaseDomain(email.trim()),
    name === undefined ? null : oneCase(name),
    locale?.toLowerCase() ?? null,
  ],

  mask: ({ type, email, name, locale }, fingerprint) => ({
    type,
    email: maskEmail(email),
    ...(name === undefined ? {} : { name: initials(name) }),
    ...(locale === undefined ? {} : { locale }),
    fingerprint,
  }),
};

/** Shows the first letter and the domain. With one or two characters before the @, a letter would tell too much. */
function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const local = Array.from(email.slice(0, at));
  return `${local.length < 3 ? '' : local[0]}***${email.slice(at)}`;
}

/**
 * Whether a text is one address as mail servers route it. It has a dot-atom (RFC 5321) of at most 64 characters, and
 * a domain. The domain has at least two labels (RFC 1035), and the last one is not a number. Quoted local parts,
 * encoded words and address literals are refused: people have no such addresses.
 *
 * @example
 * ```ts
 * import { isEmailAddress } from '@fairway/recipients';
 *
 * isEmailAddress('jane.doe@example.com'); // true
 * isEmailAddress('Jane Doe <jane.doe@example.com>'); // false
 * ```
 */
export function isEmailAddress(text: string): boolean {
  if (text.length > 254) return false;
  const [local = '', domain = '', ...more] = text.split('@');
  if (more.length > 0 || local.length > 64 || domain.length > 253) return false;
  const labels = domain.split('.');
  // An encoded word (RFC 2047): some mail programs decode it, and then send to another address.
  if (local.includes('=?')) return false;
  return (
    local.split('.').every((atom) => /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/.test(atom)) &&
    labels.length >= 2 &&
    labels.every((label) => /^[A-Za-z0-9-]{1,63}$/.test(label) && !/^-|-$/.test(label)) &&
    /^[A-Za-z]/.test(labels.at(-1) ?? '') &&
    (labels.at(-1) ?? '').length >= 2
  );
}
