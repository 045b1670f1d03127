import type { RecipientField, RecipientGroup, RecipientSchema } from '@fairway/recipients';
import { askedOf, decisionsOf } from './formFields.ts';

/**
 * The recipient that a posted form describes, as plain JSON for the recipient reader. A field is named by its path
 * through the schema, with dots: `account.bsb`. Constants come from the schema and never from the form. Empty fields
 * are left out, the first of several fields with one name counts, and names that the schema does not have are ignored.
 * A field whose kind a word decides is also found under its name with that word, such as idValue.PHONE.
 */
export function readForm(body: URLSearchParams, schema: RecipientSchema): Record<string, unknown> {
  const read = readGroup(body, schema, '');
  for (const { name, decider, word, field } of decisionsOf(schema)) {
    const posted = body.get(decidedName(name, word));
    if (read[decider] !== word || posted === null) continue;
    const { [name]: _posted, ...others } = read;
    const value = readField(posted, field);
    return value === undefined ? others : { ...others, [name]: value };
  }
  return read;
}

/** The name that a form posts a field under whose kind the word of another field decides. */
export function decidedName(name: string, word: string): string {
  return `${name}.${word}`;
}

function readGroup(body: URLSearchParams, group: RecipientGroup, prefix: string): Record<string, unknown> {
  const read = askedOf(group).map(([key, field]): [string, unknown] => {
    const name = `${prefix}${key}`;
    return [
      key,
      field.type === 'object' ? readGroup(body, field, `${name}.`) : readField(body.get(name), field),
    ];
  });
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

function readField(posted: string | null, field: RecipientField): string | number | undefined {
  if (field.const !== undefined) return field.const;
  // A line break in a text can only come from the box that shows a long one on two lines.
  const text = posted?.replaceAll(/[\r\n]/g, '') ?? '';
  return text.trim() === '' ? undefined : text;
}
