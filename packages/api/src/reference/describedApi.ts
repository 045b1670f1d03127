/** The parts of the OpenAPI document that the reference shows. */
export type DescribedApi = {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: DescribedEvent }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly examples?: Readonly<Record<string, Example>>;
    readonly responses?: Readonly<Record<string, DescribedAnswer>>;
  };
};

/** What endpoints of webhooks are sent when an event of a type happens. */
export type DescribedEvent = {
  readonly summary: string;
  readonly requestBody: { readonly content: Content };
};

/** One operation of the document. */
export type DescribedOperation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
};

/** A parameter in a path, a query or a header. */
export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
};

/** An answer, or where the document has it. */
export type DescribedAnswer = { readonly $ref?: string; readonly content?: Content };
type Content = Readonly<Record<string, { readonly schema: Schema; readonly examples?: Examples }>>;
type Examples = Readonly<Record<string, Example>>;
type Example = { readonly $ref?: string; readonly summary?: string; readonly value?: unknown };

/** A JSON Schema, as far as the reference shows it. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly Word[];
  readonly const?: Word;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
};

/** One of the values that a schema names. */
type Word = string | number | boolean | null;

/** Reads the text of a document. Texts, numbers and words that it names are written out where they are used. */
export function readApi(text: string): DescribedApi {
  const { components } = JSON.parse(text) as DescribedApi;
  return JSON.parse(text, (_key, value: Schema | null) => {
    const named = value?.$ref === undefined ? undefined : components.schemas[nameOf(value.$ref)];
    return named === undefined || isObject(named) ? value : { ...named, ...value, $ref: undefined };
  }) as DescribedApi;
}

/** Whether a schema is an object, a list, or one of several. */
function isObject({ properties, items, anyOf, oneOf, $ref }: Schema): boolean {
  return [properties, items, anyOf, oneOf, $ref].some((each) => each !== undefined);
}

/** The name at the end of a reference: PaymentPlan for #/components/schemas/PaymentPlan. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** The name of the object that a schema refers to, also as a list of it or as one that may be null. */
export function objectNameOf({ $ref, items, anyOf }: Schema): string | undefined {
  if ($ref !== undefined) return nameOf($ref);
  if (items !== undefined) return objectNameOf(items);
  const some = anyOf?.filter(({ type }) => type !== 'null') ?? [];
  return some.length === 1 && some[0] !== undefined ? objectNameOf(some[0]) : undefined;
}

/** The answer of a success with its status. */
export function successOf(
  { components }: DescribedApi,
  { responses }: DescribedOperation,
): { readonly status: string; readonly content: Content } {
  const [status = '200', answer] =
    Object.entries(responses).find(([candidate]) => candidate.startsWith('2')) ?? [];
  const whole = answer?.$ref === undefined ? answer : components.responses?.[nameOf(answer.$ref)];
  return { status, content: whole?.content ?? {} };
}

/** The first example, as JSON; undefined where there is none. */
export function exampleText(
  { components }: DescribedApi,
  examples: Examples | undefined,
): string | undefined {
  const first = Object.values(examples ?? {})[0];
  const whole = first?.$ref === undefined ? first : components.examples?.[nameOf(first.$ref)];
  if (whole?.value === undefined) return undefined;
  return typeof whole.value === 'string' ? whole.value : JSON.stringify(whole.value, null, 2);
}

/** A problem that an operation can answer with. */
export type DescribedProblem = { readonly status: string; readonly code: string; readonly title: string };

/** The problems of an operation, by status. */
export function problemsOf(
  { components }: DescribedApi,
  { responses }: DescribedOperation,
): readonly DescribedProblem[] {
  return Object.entries(responses).flatMap(([status, answer]) => {
    const whole = answer.$ref === undefined ? answer : components.responses?.[nameOf(answer.$ref)];
    const { examples = {} } = whole?.content?.['application/problem+json'] ?? {};
    return Object.keys(examples).map((code) => ({
      ...{ status, code },
      title: components.examples?.[code]?.summary ?? '',
    }));
  });
}
