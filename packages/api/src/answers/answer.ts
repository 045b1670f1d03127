import type { Readable } from 'node:stream';
import type { ProblemFacts } from './problemFacts.ts';

/** A problem with the HTTP headers that belong to it. */
export type ProblemAnswer = ProblemFacts & { readonly headers?: Readonly<Record<string, string>> };

/**
 * The answer of an operation: a body to write as JSON, a JSON text, a stream to send as it arrives, or a problem.
 * `place` is what the answer came from, such as a chain, when an operation asks several.
 */
export type Answer<Body> =
  | ({ readonly ok: true; readonly place?: string; readonly headers?: Readonly<Record<string, string>> } & (
      | { readonly body: Body }
      | { readonly json: string }
      | { readonly stream: Readable; readonly contentType: string }
    ))
  | { readonly ok: false; readonly problem: ProblemAnswer };
