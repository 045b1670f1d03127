import type { Readable } from 'node:stream';
import type { ProblemFacts } from '../problems/problem.ts';

/** A problem with the HTTP headers that belong to it. */
export type ProblemAnswer = ProblemFacts & { readonly headers?: Readonly<Record<string, string>> };

/**
 * The answer of an operation: a body that is written as JSON, a text that is JSON already, a stream that is sent as it
 * arrives, or a problem.
 */
export type Answer<Body> =
  | { readonly ok: true; readonly body: Body; readonly headers?: Readonly<Record<string, string>> }
  | { readonly ok: true; readonly json: string; readonly headers?: Readonly<Record<string, string>> }
  | {
      readonly ok: true;
      readonly stream: Readable;
      readonly contentType: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly ok: false; readonly problem: ProblemAnswer };
