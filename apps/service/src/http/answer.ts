import type { Readable } from 'node:stream';
import type { ProblemFacts } from '../problems/problem.ts';

/** A problem with what HTTP adds to it. */
export type ProblemAnswer = ProblemFacts & { readonly headers?: Readonly<Record<string, string>> };

/** What a resource answers: a body that is written as JSON, a stream that is sent as it comes, or a problem. */
export type Answer<Body> =
  | { readonly ok: true; readonly body: Body; readonly headers?: Readonly<Record<string, string>> }
  | {
      readonly ok: true;
      readonly stream: Readable;
      readonly contentType: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly ok: false; readonly problem: ProblemAnswer };
