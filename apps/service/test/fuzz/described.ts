import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { type DescribedAnswer, undeclaredHeaders, wholeAnswer } from '../describedHeaders.ts';

/** A JSON Schema, as far as generators read it. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly examples?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
};

/** An operation of the OpenAPI document. */
export type Described = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly isOpen: boolean;
  readonly params: readonly string[];
  readonly query: Readonly<Record<string, { readonly schema: Schema; readonly required: boolean }>>;
  readonly body: Schema | undefined;
  readonly bodyOptional: boolean;
  /** Whether the body of a success fits the document. */
  readonly fits: ValidateFunction;
  /** The codes of the problems that the document lists. */
  readonly codes: ReadonlySet<string>;
  /** The headers of an answer with this status that the document does not have. */
  undeclared(status: number, names: Iterable<string>): readonly string[];
};

/** The OpenAPI document that a service serves, read for generators and for checks of answers. */
export type Description = {
  readonly operations: readonly Described[];
  /** The operation that answers a method and a path; undefined for pages and for paths that do not exist. */
  find(method: string, path: string): Described | undefined;
  readonly fitsProblem: ValidateFunction;
  /** Follows a reference to a schema. */
  schemaOf(schema: Schema): Schema;
};

type Parameter = { name: string; in: 'path' | 'query'; required: boolean; schema: Schema };
type Operation = {
  operationId: string;
  security: readonly object[];
  parameters?: readonly Parameter[];
  requestBody?: { required: boolean; content: { 'application/json': { schema: Schema } } };
  responses: Record<string, DescribedAnswer>;
};
/** The parts of an OpenAPI document that are read. */
export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, DescribedAnswer>>;
  };
};

/** The status of a success. */
function successOf({ responses }: Pick<Operation, 'responses'>): string {
  return ['201', '202'].find((status) => status in responses) ?? '200';
}

/** Reads a document. */
export function readDescription(document: Document): Description {
  const ajv = new Ajv2020({ strict: false });
  ajvFormats.default(ajv);
  ajv.addFormat('uint64', { type: 'number', validate: (value: number) => value >= 0 && value <= 2 ** 64 });
  ajv.addSchema(document, 'openapi');
  const checkOf = (...place: string[]) => {
    const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
    return ajv.compile({ $ref: `openapi#/${pointer.join('/')}` });
  };
  // A stream has no end, and a file is of its own format: eventStream.test.ts and reports.test.ts ask for them.
  // A file that is sent is written by statements.test.ts.
  const isStream = ({ responses, requestBody }: Operation) =>
    (requestBody !== undefined && !('application/json' in requestBody.content)) ||
    ['text/event-stream', 'text/csv'].some((type) => type in (responses['200']?.content ?? {}));
  const answered = Object.entries(document.paths).map(
    ([path, byMethod]) => [path, Object.entries(byMethod).filter(([, each]) => !isStream(each))] as const,
  );
  const operations = answered.flatMap(([path, byMethod]) =>
    byMethod.map(([method, { operationId, security, parameters = [], ...rest }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path,
      isOpen: security.length === 0,
      params: parameters.filter((each) => each.in === 'path').map(({ name }) => name),
      query: Object.fromEntries(
        parameters.flatMap((each) => (each.in === 'query' ? [[each.name, each] as const] : [])),
      ),
      body: rest.requestBody?.content['application/json'].schema,
      bodyOptional: rest.requestBody?.required === false,
      fits: checkOf(
        'paths',
        path,
        method,
        'responses',
        successOf(rest),
        'content',
        'application/json',
        'schema',
      ),
      codes: new Set(
        Object.values(rest.responses).flatMap((response) =>
          Object.keys(wholeAnswer(document, response).content?.['application/problem+json']?.examples ?? {}),
        ),
      ),
      undeclared: (status: number, names: Iterable<string>) => {
        const answer = rest.responses[String(status)];
        return answer === undefined ? [] : undeclaredHeaders(wholeAnswer(document, answer), names);
      },
    })),
  );
  const shapes = operations.map((operation) => ({
    operation,
    shape: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));
  return {
    operations,
    find: (method, path) =>
      shapes.find(({ operation, shape }) => operation.method === method && shape.test(path))?.operation,
    fitsProblem: checkOf('components', 'schemas', 'Problem'),
    schemaOf(schema) {
      const name = schema.$ref?.split('/').at(-1);
      return name === undefined ? schema : (document.components.schemas[name] ?? {});
    },
  };
}
