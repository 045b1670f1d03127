import type { FormatCheck, GivenFormat } from './formatCheck.ts';
import { group, type RecipientField, type RecipientGroup, SEPARATOR, text, words } from './schema.ts';
import { compactUpperCase, withoutSeparators } from './spelling.ts';

/** Everything that is known of one field of an account. */
export type AccountField = {
  /** Tells integrators what the field must be, and checks values. */
  readonly schema: RecipientField;
  readonly isRequired: boolean;
  /** Brings a valid value into the spelling that is kept. */
  readonly normal: (value: string) => string;
  /** Brings a value into the spelling that is compared. Fingerprints are made of it, so it must never change. */
  readonly canonical: (value: string) => string;
  /** The check that `schema.format` names; absent when the user of this package brings that check. */
  readonly check?: FormatCheck;
  /** Whether a valid value has only digits and separators. Phones then show the keyboard for numbers. */
  readonly isNumeric: boolean;
  /** How many characters a value has without separators; absent for a word of a list. */
  readonly length?: { readonly least: number; readonly most: number };
  /** Whether a page shows a value in groups of four. */
  readonly isGrouped: boolean;
};

/** A field that must be there. */
export type RequiredField = AccountField & { readonly isRequired: true };

/** A field that may be left out. */
export type OptionalField = AccountField & { readonly isRequired: false };

type OptionalName<Account> = {
  [Name in keyof Account]-?: Partial<Pick<Account, Name>> extends Pick<Account, Name> ? Name : never;
}[keyof Account];

/** A kind of bank account, whose members are those of `Account`. */
export type AccountKind<Account> = {
  /** Describes the account to integrators. */
  readonly description: string;
  /** In the order of a form. */
  readonly fields: {
    readonly [Name in keyof Account]-?: Name extends OptionalName<Account> ? OptionalField : RequiredField;
  };
  /** The field whose last characters a masked recipient shows. */
  readonly endShown: Exclude<keyof Account, OptionalName<Account>>;
};

/** A kind of bank account without the names of its members, for functions that work with every kind. */
export type AnyAccountKind = {
  readonly description: string;
  readonly fields: Readonly<Record<string, AccountField>>;
  readonly endShown: string;
};

type NumberParts = {
  readonly title: string;
  /** Completes "must be …". */
  readonly description: string;
  readonly example: string;
  /** How many characters without separators. */
  readonly least: number;
  readonly most: number;
  /** A check that the pattern cannot do: one that is given to this package, or one with a name of its own. */
  readonly check?: GivenFormat | { readonly name: string; readonly isValid: FormatCheck };
  /** Whether a page shows a value in groups of four. */
  readonly isGrouped?: true;
};

/** A number of digits that may be written with separators and is kept without. */
export function digits(parts: NumberParts): RequiredField {
  const { least, most } = parts;
  const more = least === most ? `{${most - 1}}` : `{${least - 1},${most - 1}}`;
  const pattern = `^[0-9](?:${SEPARATOR}[0-9])${more}$`;
  return { ...numberField(parts, pattern), normal: withoutSeparators, isNumeric: true };
}

/** A code of letters and digits that may be written with separators, in any letter case, and is kept in upper case. */
export function code(parts: NumberParts & { readonly pattern: string }): RequiredField {
  return numberField(parts, parts.pattern);
}

function numberField(parts: NumberParts, pattern: string): RequiredField {
  const { title, description, example, least, most, check, isGrouped = false } = parts;
  const format = typeof check === 'object' ? check.name : check;
  // Every character but the last may be followed by a separator.
  const shape = text({ title, description, example, minLength: least, maxLength: 2 * most - 1 });
  return {
    schema: { ...shape, pattern, ...(format === undefined ? {} : { format }) },
    isRequired: true,
    normal: compactUpperCase,
    canonical: compactUpperCase,
    ...(typeof check === 'object' ? { check: check.isValid } : {}),
    isNumeric: false,
    length: { least, most },
    isGrouped,
  };
}

/** One of a closed list of words in upper case. */
export function choice(title: string, choices: readonly string[]): RequiredField {
  return {
    schema: words(title, choices),
    isRequired: true,
    normal: (value) => value,
    canonical: compactUpperCase,
    isNumeric: false,
    isGrouped: false,
  };
}

/** The same field, which may be left out. */
export function optional(field: RequiredField): OptionalField {
  return { ...field, isRequired: false };
}

/** A part of a pattern for `count` characters of a class. Separators between them are allowed. */
export function run(characters: string, count: number): string {
  return `[${characters}](?:${SEPARATOR}[${characters}]){${count - 1}}`;
}

/** The schema of an account. */
export function accountSchema({ description, fields }: AnyAccountKind): RecipientGroup {
  const entries = Object.entries(fields);
  return group(
    'Account',
    description,
    Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
  );
}
