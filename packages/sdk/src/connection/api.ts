import type { paths } from '../generated/schema.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
/** The paths that take a method. */
type PathOf<Name extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<Name, { responses: unknown }> ? Path : never;
}[keyof paths];
type Operation<Name extends Method, Path extends keyof paths> =
  paths[Path] extends Record<Name, infer Found> ? Found : never;

/** The parameters of an operation; those that nothing needs may be left out. */
type Parameters<Of> = Of extends { parameters: infer Given }
  ? Record<never, never> extends Given
    ? { params?: Given }
    : { params: Given }
  : never;
type Body<Of> = Of extends { requestBody: { content: infer Content } }
  ? { body: Content[keyof Content] }
  : Of extends { requestBody?: { content: infer Content } }
    ? { body?: Content[keyof Content] }
    : Record<never, never>;

/** How a request is sent, beside its parameters. */
export type Sending = { readonly fetch: (request: Request) => Promise<Response> };
/** What a request can have beside what its operation says. */
type Beside = Sending & {
  headers?: Readonly<Record<string, string>>;
  bodySerializer?: () => unknown;
  parseAs?: 'stream';
};

/** The body of an operation's success. */
type Success<Of> = Of extends { responses: infer Answers }
  ? Answers[keyof Answers] extends { content: infer Content }
    ? Content extends { 'application/json': infer Body }
      ? Body
      : Content[keyof Content]
    : never
  : never;

type Call<Name extends Method> = <Path extends PathOf<Name>>(
  path: Path,
  init: Parameters<Operation<Name, Path>> & Body<Operation<Name, Path>> & Beside,
) => Promise<{ data?: Success<Operation<Name, Path>> }>;

/** Every operation of the API, by its method and path. Refusals are thrown. */
export type Api = {
  GET: Call<'get'>;
  POST: Call<'post'>;
  PUT: Call<'put'>;
  PATCH: Call<'patch'>;
  DELETE: Call<'delete'>;
};
