import type { RecipientField, RecipientGroup } from '@fairway/recipients';
import { askedOf } from './formFields.ts';

/**
 * The recipient that a posted form describes, as plain JSON for the recipient reader. A field is named by its path
 * through the schema, with dots: `account.bsb`. Constants come from the schema and never from the form. Empty fields
 * are left out, the first of several fields with one name counts, and names that the schema does not have are ignored.
 */
export function readForm(body: URLSearchParams, schema: RecipientGroup): Record<string, unknown> {
  return readGroup(body, schema, '');
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
  return posted === null || posted.trim() === '' ? undefined : posted;
}
