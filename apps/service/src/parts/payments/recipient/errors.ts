import type { RecipientFault, RecipientField, RecipientGroup, RecipientSchema } from '@fairway/recipients';
import type { FieldError } from '@fairway/wire';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { meantName } from '@fairway/api';

/**
 * The mistakes that a schema finds in a recipient, as sentences: one for each field, made of its title and description.
 * It reads the schema of each error and never the given value, because personal data must not reach errors or logs.
 */
export function recipientErrors(errors: readonly ErrorObject[]): FieldError[] {
  const named = new Map<string, FieldError>();
  for (const error of errors) {
    // A condition that fails also has errors of the fields that it asks for. Those are reported.
    if (error.keyword === 'if') continue;
    const found = fieldError(error);
    // The sentence about the first mistake in a field already says all that the field must be.
    if (!named.has(found.pointer)) named.set(found.pointer, found);
  }
  return [...named.values()];
}

/** An error in a field that a schema cannot find, as a sentence with the title of the field. */
export function faultError({ path, must }: RecipientFault, schema: RecipientSchema): FieldError {
  let field: RecipientField | RecipientGroup | undefined = schema;
  for (const name of path)
    field = field !== undefined && 'properties' in field ? field.properties[name] : undefined;
  return { pointer: `/recipient/${path.join('/')}`, detail: `${field?.title} must ${must}.` };
}

function fieldError(error: ErrorObject): FieldError {
  const pointer = `/recipient${error.instancePath}`;
  const schema = error.parentSchema as RecipientField | RecipientGroup;
  if (error.keyword === 'required') return missing(pointer, schema as RecipientGroup, error);
  if (error.keyword === 'additionalProperties') return unknown(pointer, schema as RecipientGroup, error);
  return { pointer, detail: sentence(error.keyword, schema) };
}

function sentence(keyword: string, { title, description, type }: RecipientField | RecipientGroup): string {
  if (keyword === 'type') {
    return `${title} must be ${type === 'string' ? 'a string' : `an ${type}`}: ${description}.`;
  }
  // A value with the right shape that fails a check was most often mistyped.
  const hint = keyword === 'format' ? '; check it for typing errors' : '';
  return `${title} must be ${description}${hint}.`;
}

function missing(pointer: string, { properties }: RecipientGroup, { params }: ErrorObject): FieldError {
  const { missingProperty: name } = params as { missingProperty: string };
  const detail = `${properties[name]?.title} is missing; it must be ${properties[name]?.description}.`;
  return { pointer: `${pointer}/${name}`, detail };
}

function unknown(
  pointer: string,
  { title, properties }: RecipientGroup,
  { params }: ErrorObject,
): FieldError {
  const { additionalProperty: name } = params as { additionalProperty: string };
  const known = Object.keys(properties);
  // A name that does not look like the name of a field may be a value in the wrong place, so it is not repeated.
  if (!/^[A-Za-z][A-Za-z_-]{0,31}[0-9]?$/.test(name)) {
    const place = pointer === '/recipient' ? 'Recipient' : title;
    const detail = `${place} has a field with an unknown name; its fields are ${known.join(', ')}.`;
    return { pointer, detail };
  }
  const meant = meantName(name, known);
  const hint = meant === undefined ? '.' : `; did you mean ${meant}?`;
  return { pointer: `${pointer}/${name}`, detail: `${name} is not a field of this recipient${hint}` };
}
