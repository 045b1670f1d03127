/** One field of a recipient. `title` labels it in a form; `description` completes "must be …". */
export type RecipientField = {
  readonly type: 'string' | 'integer';
  readonly title: string;
  readonly description: string;
  readonly examples: readonly (string | number)[];
  readonly const?: string | number;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** The name of a check that a pattern cannot do. `createRecipientFormats` makes the checks. */
  readonly format?: string;
};

/** Fields that belong together: a recipient, or its account. The order of `properties` is the order of a form. */
export type RecipientGroup = {
  readonly type: 'object';
  readonly title: string;
  readonly description: string;
  readonly examples: readonly object[];
  readonly properties: Readonly<Record<string, RecipientField | RecipientGroup>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
};

/** What a field must also be when another field holds a certain word. */
export type RecipientCondition = {
  readonly if: { readonly properties: object; readonly required: readonly string[] };
  readonly then: { readonly properties: Readonly<Record<string, RecipientField>> };
};

/** The fields and conditions of a recipient, without the `$schema` that makes them a schema. */
export type RecipientShape = RecipientGroup & { readonly allOf?: readonly RecipientCondition[] };

/** The JSON Schema (2020-12) of one kind of recipient: plain JSON, no references. */
export type RecipientSchema = RecipientShape & {
  readonly $schema: 'https://json-schema.org/draft/2020-12/schema';
};

/** What may stand between two characters of a number, as on bank cards and statements. */
export const SEPARATOR = '[ \\-]?';

/** The characters that a line of text must not have, in the spelling of a pattern's brackets. */
const HIDDEN =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\uffff\\ud800-\\udfff';

/**
 * A line of text that does not begin with a space. It has no control, line or paragraph separator and no half of a
 * surrogate pair. It has no invisible character that turns the direction of text or splits a word.
 */
const LINE_PATTERN = `^[^ ${HIDDEN}][^${HIDDEN}]*$`;

/** What every text field has: its label, what it must be, an example and the bounds of its length. */
export type TextParts = {
  readonly title: string;
  readonly description: string;
  readonly example: string;
  readonly minLength: number;
  readonly maxLength: number;
};

/** A text without a pattern. */
export function text({ title, description, example, minLength, maxLength }: TextParts): RecipientField {
  return { type: 'string', title, description, examples: [example], minLength, maxLength };
}

/** A line of text as people write it, such as a name. Its description gains the bounds of its length. */
export function line({ description, ...parts }: TextParts): RecipientField {
  const { minLength, maxLength } = parts;
  const length = minLength === 1 ? `at most ${maxLength}` : `${minLength} to ${maxLength}`;
  return {
    ...text({ ...parts, description: `${description}, on one line of ${length} characters` }),
    pattern: LINE_PATTERN,
  };
}

/** The name of a person. `description` says whose. */
export function nameOf(description: string): RecipientField {
  return line({ title: 'Name', description, example: 'Jane Doe', minLength: 1, maxLength: 140 });
}

/** One of a closed list of words. */
export function words(title: string, choices: readonly string[]): RecipientField {
  const [first = ''] = choices;
  const description = `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
  return { type: 'string', title, description, examples: [first], enum: choices };
}

/** A field that a corridor has decided. */
export function constant(title: string, value: string | number, description: string): RecipientField {
  const type = typeof value === 'number' ? 'integer' : 'string';
  return { type, title, description, examples: [value], const: value };
}

/** Fields that belong together. All are required unless `required` names fewer. */
export function group(
  title: string,
  description: string,
  properties: RecipientGroup['properties'],
  required: readonly string[] = Object.keys(properties),
): RecipientGroup {
  const example = Object.fromEntries(
    Object.entries(properties).map(([name, { examples }]) => [name, examples[0]]),
  );
  return {
    type: 'object',
    title,
    description,
    examples: [example],
    properties,
    required,
    additionalProperties: false,
  };
}
