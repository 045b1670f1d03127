import type { ErrorObject } from 'ajv';

/** The parts of a schema that a sentence about a wrong value names. */
type Schema = {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly { readonly const?: unknown }[];
  readonly minimum?: number;
  readonly maximum?: number;
};

/**
 * What is wrong with a configuration file, as a sentence that begins with the key: `chains[0].agreement must be a whole
 * number of at least 1.` Never repeats the value, which can be a secret. The validator must be verbose.
 */
export function schemaProblem({ instancePath, keyword, message, params, parentSchema }: ErrorObject): string {
  const key = keyOf(instancePath);
  const { additionalProperty, missingProperty } = params as Record<string, string | undefined>;
  if (additionalProperty !== undefined) return `${key}: ${additionalProperty} is not a key here.`;
  if (missingProperty !== undefined) return `${key}: ${missingProperty} is missing.`;
  const schema = (parentSchema ?? {}) as Schema;
  if (keyword === 'pattern' && schema.description !== undefined)
    return `${key} is not as it must be. ${schema.description}`;
  return `${key} ${MUST[keyword]?.(params as Params, schema) ?? message}.`;
}

/**
 * Whether a mistake gets a line of its own. For a value that is not one of several, only the line that names all
 * allowed values is shown.
 */
export function isListed({ keyword, schemaPath }: ErrorObject): boolean {
  return keyword !== 'const' || !schemaPath.includes('/anyOf/');
}

/** The key of a JSON Pointer, as in a program: `chains[0].agreement`. */
function keyOf(instancePath: string): string {
  if (instancePath === '') return 'the file';
  const parts = instancePath.slice(1).split('/');
  return parts
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('');
}

type Params = {
  readonly type?: string;
  readonly limit?: number;
  readonly pattern?: string;
  readonly allowedValue?: unknown;
};

const MUST: Readonly<Record<string, (params: Params, schema: Schema) => string | undefined>> = {
  type: ({ type = '' }, schema) => mustBe(type, schema),
  minimum: (_, schema) => mustBe(schema.type, schema),
  maximum: (_, schema) => mustBe(schema.type, schema),
  exclusiveMinimum: ({ limit }) => `must be a number above ${limit}`,
  minLength: ({ limit = 0 }) => `must have at least ${counted(limit, 'character')}`,
  maxLength: ({ limit = 0 }) => `must have at most ${counted(limit, 'character')}`,
  minItems: ({ limit = 0 }) => `must have at least ${counted(limit, 'entry', 'entries')}`,
  maxItems: ({ limit = 0 }) => `must have at most ${counted(limit, 'entry', 'entries')}`,
  minProperties: ({ limit = 0 }) => `must have at least ${counted(limit, 'key')}`,
  uniqueItems: () => 'must not have the same entry twice',
  pattern: ({ pattern }) => `must match the pattern ${pattern}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  enum: (_, { enum: values = [] }) =>
    `must be one of ${values.map((each) => JSON.stringify(each)).join(', ')}`,
  anyOf: (_, { anyOf = [] }) =>
    anyOf.every((each) => 'const' in each)
      ? `must be one of ${anyOf.map((each) => JSON.stringify(each.const)).join(', ')}`
      : 'has none of the forms that it may have',
};

function mustBe(type = '', schema: Schema): string {
  return `must be ${TYPES[type] ?? type}${rangeOf(type, schema)}`;
}

const TYPES: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a text in quotation marks',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function rangeOf(type: string, schema: Schema): string {
  if (type !== 'integer' && type !== 'number') return '';
  const { minimum } = schema;
  // The largest whole number that JavaScript counts to is no limit that anybody chose.
  const maximum = schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum;
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}

function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}
