/**
 * The types of `src/generated`, made of the OpenAPI document. Only what a client needs is taken: bodies and parameters
 * of requests, and the answers of successes. Words of answers are open, because a later service may know more of
 * them. Words of requests are closed, so that a misspelt one does not compile.
 */
import { openApiDocument, openApiText, PROBLEM_CODES } from '@fairway/wire';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

/** Any object of JSON. */
export type Json = { [key: string]: unknown };

const NOTE = '// Written by `npm run openapi` from the OpenAPI document. Do not edit.';

/** The files of `src/generated`, by their names. */
export async function clientTypes(): Promise<Readonly<Record<string, string>>> {
  const document = JSON.parse(openApiText(openApiDocument('https://fairway.example'))) as Json;
  const codes = PROBLEM_CODES.map((code) => `  '${code}',\n`).join('');
  return {
    'schema.ts': await schemaOf(document),
    'problemCodes.ts': `${NOTE}\n\n/** The codes of all problems that this version knows. */\nexport const PROBLEM_CODES = [\n${codes}] as const;\n`,
  };
}

/** The types of a document's paths and components. */
async function schemaOf(document: Json): Promise<string> {
  const reduced = withOpenWords(ofSuccesses(document));
  const nodes = await openapiTS(JSON.stringify(reduced), {
    inject: '/** A word that this version does not know. */\nexport type Other = string & {};',
    defaultNonNullable: false,
    transform: (schema) => (OPEN in schema ? openWords(schema.enum ?? []) : undefined),
  });
  return `${NOTE}\n\n${astToString(nodes)}`;
}

/** Marks a list of words that may grow. */
const OPEN = 'x-open';

/** A union of words that accepts any other text, too. */
function openWords(words: readonly unknown[]): ts.TypeNode {
  const { factory } = ts;
  const literals = words.map((word) =>
    factory.createLiteralTypeNode(factory.createStringLiteral(String(word))),
  );
  return factory.createUnionTypeNode([...literals, factory.createTypeReferenceNode('Other')]);
}

/** The document without problems, headers of answers, examples and what needs no client. */
function ofSuccesses(document: Json): Json {
  const paths: Json = {};
  for (const [path, item] of Object.entries(document['paths'] as Record<string, Json>)) {
    if (!path.startsWith('/v1/')) continue;
    const operations = Object.entries(item as Record<string, Json>);
    paths[path] = Object.fromEntries(operations.map(([method, operation]) => [method, ofSuccess(operation)]));
  }
  const { schemas } = document['components'] as { schemas: Json };
  return withoutExamples({
    openapi: document['openapi'],
    info: document['info'],
    paths,
    components: { schemas },
  }) as Json;
}

function ofSuccess({
  description: _description,
  summary: _summary,
  security: _security,
  ...operation
}: Json): Json {
  const responses = Object.entries(operation['responses'] as Record<string, Json>)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { description, content }]) => [status, { description, content }]);
  return { ...operation, responses: Object.fromEntries(responses) };
}

function withoutExamples(value: unknown, isNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutExamples(item));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => isNames || !['example', 'examples'].includes(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutExamples(item, key === 'properties')]));
}

/** Opens every list of several words that no request can contain, but for those that tell the members of a union apart. */
function withOpenWords(document: Json): Json {
  const { schemas } = document['components'] as { schemas: Record<string, Json> };
  const sent = new Set<string>();
  for (const item of Object.values(document['paths'] as Record<string, Record<string, Json>>))
    for (const { requestBody, parameters } of Object.values(item))
      reach([requestBody, parameters], schemas, sent);
  const told = tellers(schemas);
  for (const [name, schema] of Object.entries(schemas)) {
    if (sent.has(name)) continue;
    open(schema, told.has(name));
  }
  for (const item of Object.values(document['paths'] as Record<string, Record<string, Json>>))
    for (const { responses } of Object.values(item)) open(responses, false);
  return document;
}

/** Adds the names of all schemas that a value refers to, however far away. */
function reach(value: unknown, schemas: Readonly<Record<string, Json>>, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const name = key === '$ref' ? String(item).split('/').at(-1) : undefined;
    if (name === undefined) reach(item, schemas, names);
    else if (!names.has(name)) {
      names.add(name);
      reach(schemas[name], schemas, names);
    }
  }
}

/** The members of unions: their `type` says which one it is, so that it has to be closed. */
function tellers(schemas: Readonly<Record<string, Json>>): ReadonlySet<string> {
  const members = Object.values(schemas).flatMap(({ oneOf }) => (oneOf ?? []) as Json[]);
  return new Set(members.map(({ $ref }) => String($ref).split('/').at(-1) ?? ''));
}

function open(value: unknown, isTeller: boolean): void {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as Json;
  if (Array.isArray(schema['enum']) && schema['enum'].length > 1 && schema['type'] === 'string')
    schema[OPEN] = true;
  for (const [key, item] of Object.entries(schema)) {
    if (key === 'properties' && isTeller) {
      const { type: _type, ...others } = item as Json;
      open(others, false);
    } else open(item, false);
  }
}
