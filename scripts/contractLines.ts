import { createHash } from 'node:crypto';
import { type openApiDocument, type OperationId, operation } from '@fairway/wire';

type JsonObject = ReturnType<typeof openApiDocument>;
type Json = JsonObject[string];

/** What only explains: a change of it changes no program. */
const EXPLANATIONS = new Set(['description', 'summary', 'title', 'example', 'examples', 'tags', 'contact']);

/** What maps names to schemas, so that a name such as "description" is one of a field. */
const MAPS_OF_NAMES = new Set(['properties', 'schemas', 'responses', 'headers']);

/**
 * The contract that an OpenAPI document describes, a line for each operation, event and schema, so that a change shows in
 * a review. Each ends with a digest of all its rules, such as types and bounds, but of no explanation.
 */
export function contractLines(document: JsonObject): readonly string[] {
  const { paths, webhooks, components } = document;
  const { schemas, ...others } = objectOf(components);
  return [
    ...operationsOf(paths).map(([name, described]) =>
      line(name, [accessOf(described), ...parametersOf(described)], described),
    ),
    ...operationsOf(webhooks).map(([name, described]) => line(name, [], described)),
    ...Object.entries(objectOf(schemas)).map(([name, schema]) => line(name, fieldsOf(schema), schema)),
    ...Object.entries(others)
      .filter(([kind]) => !EXPLANATIONS.has(kind))
      .map(([kind, described]) => line(kind, Object.keys(objectOf(described)), described)),
  ];
}

function line(name: string, members: readonly string[], rules: Json | undefined): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(rulesOf(rules)))
    .digest('hex')
    .slice(0, 8);
  return `${[`${name}:`, ...members].join(' ')} #${digest}`;
}

function operationsOf(byPath: Json | undefined): readonly (readonly [string, JsonObject])[] {
  return Object.entries(objectOf(byPath)).flatMap(([path, methods]) =>
    Object.entries(objectOf(methods)).map(
      ([method, described]) => [`${method.toUpperCase()} ${path}`, objectOf(described)] as const,
    ),
  );
}

/** Who may ask: the permission that it needs. The document says it in words alone. */
function accessOf({ operationId }: JsonObject): string {
  const { access } = operation(operationId as OperationId);
  return access.kind === 'PERMISSION' ? access.permission : access.kind;
}

/** The parameters that are no part of the path, and the statuses of the answers. */
function parametersOf({ parameters = [], responses }: JsonObject): readonly string[] {
  const given = Object.values(objectOf(parameters)).map(objectOf);
  return [
    ...given
      .filter((each) => each['in'] !== 'path')
      .map((each) => nameOf(wordOf(each['name']), each['required'] === true)),
    ...Object.keys(objectOf(responses)),
  ];
}

/** The fields of an object; the words of a list of words; else the schemas that it is one of. */
function fieldsOf(schema: Json): readonly string[] {
  const { properties, required, enum: words, oneOf, $ref } = objectOf(schema);
  if (typeof $ref === 'string') return [$ref.split('/').at(-1) ?? $ref];
  if (properties !== undefined) {
    const needed = new Set(Object.values(objectOf(required)));
    return Object.keys(objectOf(properties)).map((name) => nameOf(name, needed.has(name)));
  }
  if (words !== undefined) return Object.values(objectOf(words)).map(wordOf);
  return Object.values(objectOf(oneOf)).flatMap((each) => {
    const fields = fieldsOf(each);
    return objectOf(each)['properties'] === undefined ? fields : [`{ ${fields.join(' ')} }`];
  });
}

const wordOf = (value: Json | undefined) => (typeof value === 'string' ? value : JSON.stringify(value));

const nameOf = (name: string, isRequired: boolean) => (isRequired ? name : `${name}?`);

/** The same without what only explains. It keeps the names of examples: those of refusals are the codes. */
function rulesOf(value: Json | undefined, isMapOfNames = false): Json {
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (isList(value)) return value.map((each) => rulesOf(each));
  const rules: Record<string, Json> = {};
  for (const [key, each] of Object.entries(value)) {
    if (isMapOfNames || !EXPLANATIONS.has(key))
      rules[key] = rulesOf(each, !isMapOfNames && MAPS_OF_NAMES.has(key));
    else if (key === 'examples' && !isList(each)) rules['codes'] = Object.keys(objectOf(each));
  }
  return rules;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** The members of an object or a list; none of anything else. */
function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}
