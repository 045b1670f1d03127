import type { RecipientField, RecipientGroup } from '@fairway/recipients';
import type { FieldError } from '@fairway/wire';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { nearestName } from '../text/spelling.ts';

/**
 * What a recipient's schema finds wrong, as sentences: one per field, from the field's title and description.
 * Reads the schema's side of each error alone, never the given value: personal data must not reach errors or logs.
 */
export function recipientErrors(errors: readonly ErrorObject[]): FieldError[] {
  const named = new Map<string, FieldError>();
  for (const error of errors) {
    // That a condition failed is said by what it asks for.
    if (error.keyword === 'if') continue;
    const found = fieldError(error);
    // The first thing wrong with a field describes all of what it must be.
    if (!named.has(found.pointer)) named.set(found.pointer, found);
  }
  return [...named.values()];
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
  // A right shape that fails a check has most often been mistyped.
  const hint = keyword === 'format' ? '; check it for typing errors' : '';
  return `${title} must be ${description}${hint}.`;
}

function missing(pointer: string, { properties }: RecipientGroup, { params }: ErrorObject): FieldError {
  const { missingProperty: name } = params as { missingProperty: string };
  const detail = `${properties[name]?.title} is missing; it must be ${properties[name]?.description}.`;
  return { pointer: `${pointer}/${name}`, detail };
}

function unknown(pointer: string, { properties }: RecipientGroup, { params }: ErrorObject): FieldError {
  const { additionalProperty: name } = params as { additionalProperty: string };
  const known = Object.keys(properties);
  // Whatever does not look like the name of a field may be a value in the wrong place.
  if (!/^[A-Za-z][A-Za-z_-]{0,31}[0-9]?$/.test(name)) {
    const place = pointer === '/recipient' ? 'Recipient' : 'Account';
    const detail = `${place} has a field with an unknown name; its fields are ${known.join(', ')}.`;
    return { pointer, detail };
  }
  const meant = nearestName(name, known);
  const hint = meant === undefined ? '.' : `; did you mean ${meant}?`;
  return { pointer: `${pointer}/${name}`, detail: `${name} is not a field of this recipient${hint}` };
}
