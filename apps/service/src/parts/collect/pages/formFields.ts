import {
  type AccountField,
  accountFieldsOf,
  type RecipientField,
  type RecipientGroup,
  type RecipientSchema,
} from '@fairway/recipients';
import type { FieldError } from '@fairway/wire';
import type { Catalogue } from '../../../words/locales/catalogue.ts';
import { filled } from '../../../words/locales/filled.ts';
import type { FieldTexts } from '../../../words/locales/pageTexts.ts';
import { recipientFormats } from '../../payments/index.ts';

/** One field of a recipient's schema, as a form needs it. */
export type FormField = {
  /** The path through the schema with dots, such as account.bsb. A form posts the field under this name. */
  readonly name: string;
  readonly field: RecipientField;
  readonly isRequired: boolean;
  /** For a field of a bank account: how it is written and shown. */
  readonly accountField: AccountField | undefined;
  /** The given value; empty when there is none. */
  readonly value: string;
  /** When a condition of the schema applies to the field: the word in the other field that the condition asks for. */
  readonly condition?: string;
};

/** What payers say of a wallet for their custodian. A recipient who is e-mailed is not asked for it. */
const NOT_ASKED = 'custody';

/** The fields and groups that a form has of a group of a schema. */
export function askedOf({ properties }: RecipientGroup): [string, RecipientField | RecipientGroup][] {
  return Object.entries(properties).filter(([key]) => key !== NOT_ASKED);
}

/** What a field is when another field, the decider, has a certain word: with PHONE as idType, idValue is a phone number. */
export type Decision = {
  readonly name: string;
  readonly field: RecipientField;
  readonly decider: string;
  readonly word: string;
};

/** The decisions of a schema. */
export function decisionsOf({ allOf = [] }: RecipientSchema): readonly Decision[] {
  return allOf.flatMap((condition) => {
    const [decided] = Object.entries(condition.if.properties as Record<string, RecipientField>);
    if (decided === undefined) return [];
    const [decider, { const: word }] = decided;
    return Object.entries(condition.then.properties).map(([name, field]) => ({
      name,
      field,
      decider,
      word: String(word),
    }));
  });
}

/** The fields of a schema and of its groups, in order, without those of which the given value does not decide what they are. */
export function formFields(schema: RecipientSchema, given: unknown): readonly FormField[] {
  const decisions = decisionsOf(schema);
  return fieldsOf(schema, given, accountFieldsOf(schema)).flatMap((entry): readonly FormField[] => {
    const own = decisions.filter(({ name }) => name === entry.name);
    if (own.length === 0) return [entry];
    const found = own.find(({ decider, word }) => memberOf(given, decider) === word);
    return found === undefined ? [] : [{ ...entry, field: found.field, condition: found.word }];
  });
}

/** The fields that a word of a field decides, as they are then. The given value is in those that it belongs to. */
export function decidedFields(
  schema: RecipientSchema,
  given: unknown,
  decider: string,
  word: string,
): readonly FormField[] {
  const names = new Set(decisionsOf(schema).flatMap((each) => (each.decider === decider ? [each.name] : [])));
  const isGiven = memberOf(given, decider) === word;
  return formFields(schema, isGiven ? given : { [decider]: word }).filter(({ name }) => names.has(name));
}

function fieldsOf(
  group: RecipientGroup,
  given: unknown,
  accountFields: Readonly<Record<string, AccountField>>,
  prefix = '',
): readonly FormField[] {
  return askedOf(group).flatMap(([key, field]): readonly FormField[] => {
    const value = memberOf(given, key);
    if (field.type === 'object') return fieldsOf(field, value, accountFields, `${key}.`);
    const shown = field.const ?? value;
    return [
      {
        name: `${prefix}${key}`,
        field,
        isRequired: group.required.includes(key),
        accountField: prefix === 'account.' ? accountFields[key] : undefined,
        value: typeof shown === 'string' || typeof shown === 'number' ? String(shown) : '',
      },
    ];
  });
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

/** The type of destination that a schema describes. @throws for one that no form is made for. */
export function typeOf(schema: RecipientSchema): 'wallet' | 'bank' | 'emoney' {
  const type = constOf(schema, 'type');
  if (type === 'wallet' || type === 'bank' || type === 'emoney') return type;
  throw new Error(`There is no form for recipients of type ${type}.`);
}

/** The value of a schema's constant; empty when it has no constant of this name. */
export function constOf(schema: RecipientSchema, key: string): string {
  const field = schema.properties[key];
  return field === undefined || field.type === 'object' ? '' : String(field.const ?? '');
}

/** A field's label and hint in the catalogue's language. */
export function fieldTexts(catalogue: Catalogue, schema: RecipientSchema, entry: FormField): FieldTexts {
  const known: Readonly<Record<string, FieldTexts | undefined>> = catalogue.pages.fields;
  const { name, field, accountField, condition } = entry;
  const key = `${typeOf(schema)}.${name}`;
  const letters = accountField?.isNumeric === false ? 'mixed' : undefined;
  const variants = [condition, constOf(schema, 'country'), letters].filter((word) => word !== undefined);
  const keys = [...variants.map((word) => `${key}.${word}`), key];
  const found = keys.map((each) => known[each]).find((texts) => texts !== undefined);
  if (found === undefined) throw new Error(`The catalogue ${catalogue.locale} has no texts for ${key}.`);
  const prefix = String(field.examples[0]).slice(0, 2);
  return {
    label: found.label,
    hint: filled(found.hint, { prefix, length: lengthText(catalogue, accountField) }),
  };
}

/** How many characters a field of an account has, such as "5–9"; undefined where hints do not say. */
function lengthText({ language }: Catalogue, accountField: AccountField | undefined): string | undefined {
  if (accountField?.length === undefined) return undefined;
  const { least, most } = accountField.length;
  const format = new Intl.NumberFormat(language.formats);
  return most === least ? format.format(most) : `${format.format(least)}–${format.format(most)}`;
}

/** The mistakes that the reader found: a text for each wrong field, by name, and whether there are others and no such one. */
export function fieldMistakes(
  catalogue: Catalogue,
  schema: RecipientSchema,
  entries: readonly FormField[],
  errors: readonly FieldError[],
): { readonly texts: ReadonlyMap<string, string>; readonly isElsewhere: boolean } {
  const names = new Set(
    errors.map(({ pointer }) => pointer.replace(/^\/recipient\/?/, '').replaceAll('/', '.')),
  );
  const texts = new Map<string, string>();
  for (const entry of entries) {
    if (entry.field.const !== undefined || !names.delete(entry.name)) continue;
    texts.set(entry.name, mistakeText(catalogue, fieldTexts(catalogue, schema, entry), entry));
  }
  // A field that is wrong can be why another one, which it decides, has a mistake without a place.
  return { texts, isElsewhere: texts.size === 0 && names.size > 0 };
}

/**
 * The reader's own sentences are English and written for integrators. So the value is compared with the schema again.
 * It is missing, has the wrong shape, or fails a check. An address without any of these faults was refused because it
 * cannot be a recipient's wallet.
 */
function mistakeText({ pages }: Catalogue, { label, hint }: FieldTexts, entry: FormField): string {
  const { details } = pages;
  const value = entry.value.normalize('NFC').trim();
  const { field, name } = entry;
  if (value === '') return filled(details.missing, { label });
  const isShaped = field.pattern !== undefined && new RegExp(field.pattern, 'u').test(value);
  if (!isShaped || field.format === undefined) return filled(details.wrong, { label, hint });
  const isAddress = name === 'address';
  if (recipientFormats[field.format]?.(value) !== true) {
    return isAddress ? details.mistypedAddress : filled(details.mistyped, { label });
  }
  return isAddress ? details.refusedAddress : filled(details.wrong, { label, hint });
}
