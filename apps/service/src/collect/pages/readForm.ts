import type { RecipientField, RecipientGroup } from '@fairway/recipients';

/**
 * The recipient that a posted form describes, as plain JSON for the recipient reader. Fields are named by their way
 * through the schema, with dots: `account.bsb`. Constants are the schema's whatever was posted, empty fields are left
 * out, of fields posted twice the first counts, and names that the schema does not know are ignored.
 */
export function readForm(body: URLSearchParams, schema: RecipientGroup): Record<string, unknown> {
  return readGroup(body, schema, '');
}

function readGroup(body: URLSearchParams, group: RecipientGroup, prefix: string): Record<string, unknown> {
  const read = Object.entries(group.properties).map(([key, field]): [string, unknown] => {
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
