import type { TSchema } from 'typebox';
import { Errors } from 'typebox/schema';

type SchemaError = ReturnType<typeof Errors>[1][number];

/**
 * What is wrong with the value of a JSON document. Each line names a field, and gives the description of its schema as the
 * remedy. No line repeats a value, which can be a secret. `whole`: what the document is called, or the field that it is of.
 *
 * @example
 * ```ts
 * import { documentFaults, PolicyDocument } from '@fairway/policies';
 *
 * documentFaults(PolicyDocument, { chains: [] }, 'the policy'); // []
 * ```
 */
export function documentFaults(schema: TSchema, document: unknown, whole: string): readonly string[] {
  const [isRight, errors] = Errors(schema, document);
  return isRight ? [] : [...new Set(errors.flatMap((error) => faultsOf(schema, error, whole)))];
}

/** A mistake against the schema. It leaves out those that follow from another one. */
function faultsOf(
  schema: TSchema,
  { keyword, schemaPath, instancePath, params }: SchemaError,
  whole: string,
): string[] {
  const field = fieldOf(instancePath, whole);
  const { additionalProperties = [], requiredProperties = [] } = params as {
    additionalProperties?: string[];
    requiredProperties?: string[];
  };
  if (keyword === 'boolean' || schemaPath.includes('/anyOf/')) return [];
  if (keyword === 'additionalProperties')
    return additionalProperties.map((name) => `${field}: ${name} is not a key here. Remove it.`);
  if (keyword === 'required')
    return requiredProperties.map(
      (name) => `${field}: ${name} is missing. ${remedyOf(schema, `${schemaPath}/properties/${name}`)}`,
    );
  return [`${field} is not as it must be. ${remedyOf(schema, schemaPath)}`];
}

/** The field of a JSON Pointer, as in a program: `chains[0].routers`. */
function fieldOf(pointer: string, whole: string): string {
  if (pointer === '') return whole;
  const field = pointer
    .slice(1)
    .replaceAll(/(^|\/)(\d+)(?=\/|$)/g, '[$2]')
    .replaceAll('/', '.');
  return whole.includes('[') ? `${whole}.${field}` : field;
}

type SchemaPart = { readonly [key: string]: unknown; readonly description?: string };

/** The description of the schema at a path, which says what to give. */
function remedyOf(schema: TSchema, schemaPath: string): string {
  let at: SchemaPart | undefined = { ...schema };
  let description = '';
  for (const part of schemaPath.split('/')) {
    if (part !== '#') at = at?.[part] as SchemaPart | undefined;
    description = at?.description ?? description;
  }
  return description;
}
