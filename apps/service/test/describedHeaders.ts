import { openApiDocument } from '@fairway/wire';

/** An answer in an OpenAPI document, or a reference to a named one. */
export type DescribedAnswer = {
  readonly $ref?: string;
  readonly headers?: object;
  readonly content?: Readonly<Record<string, { readonly examples?: object }>>;
};

/** The parts of an OpenAPI document that say what answers have. */
type AnswersDocument = {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, DescribedAnswer>> }>>
    >
  >;
  readonly components: { readonly responses: Readonly<Record<string, DescribedAnswer>> };
};

/** Headers that belong to HTTP, and not to the answer. OpenAPI ignores Content-Type. */
const OF_HTTP = new Set([
  ...['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'],
]);

/** The answer itself where the document has a reference to it. */
export function wholeAnswer<Answer extends DescribedAnswer>(
  { components }: { readonly components: { readonly responses: Readonly<Record<string, Answer>> } },
  answer: Answer,
): Answer {
  const name = answer.$ref?.split('/').at(-1);
  return name === undefined ? answer : (components.responses[name] ?? answer);
}

/** The headers of an answer that its description does not have. */
export function undeclaredHeaders(answer: DescribedAnswer, names: Iterable<string>): readonly string[] {
  const declared = new Set(Object.keys(answer.headers ?? {}).map((name) => name.toLowerCase()));
  return [...names].filter((name) => !declared.has(name.toLowerCase()) && !OF_HTTP.has(name.toLowerCase()));
}

/** Made once: it takes longer than what it is asked for. */
let document: AnswersDocument | undefined;

/** The headers of an answer with this problem that no operation with the problem declares. */
export function undeclaredWith(code: string, names: readonly string[]): readonly string[] {
  document ??= openApiDocument('https://fairway.example') as unknown as AnswersDocument;
  const described = document;
  const undeclared = Object.values(described.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.values(responses))
    .map((answer) => wholeAnswer(described, answer))
    .filter(({ content }) => code in (content?.['application/problem+json']?.examples ?? {}))
    .map((answer) => undeclaredHeaders(answer, names));
  return undeclared.toSorted((a, b) => a.length - b.length)[0] ?? [];
}
