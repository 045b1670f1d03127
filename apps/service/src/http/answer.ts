import type { Readable } from 'node:stream';
import type { ProblemFacts } from '../problems/problem.ts';

/** A problem with the HTTP headers that belong to it. */
export type ProblemAnswer = ProblemFacts & { readonly headers?: Readonly<Record<string, string>> };

/**
 * The answer of an operation: a body that is written as JSON, a text that is JSON already, a stream that is sent as it
 * arrives, or a problem. `place`: what it came from where an operation asks several, such as a chain.
 */
export type Answer<Body> =
  | ({ readonly ok: true; readonly place?: string; readonly headers?: Readonly<Record<string, string>> } & (
      | { readonly body: Body }
      | { readonly json: string }
      | { readonly stream: Readable; readonly contentType: string }
    ))
  | { readonly ok: false; readonly problem: ProblemAnswer };
