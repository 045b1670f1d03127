import type { operations } from '../generated/schema.ts';
import type { CallOptions } from './connection.ts';

/** The query of an operation. */
export type QueryOf<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>;

/** What a change of a plan or of a recipient can take beside `CallOptions`. */
export type ChangeOptions = CallOptions & {
  /** The revision that you have seen: the change is made only if there is none since, else it is a `revision-mismatch`. */
  readonly ifRevision?: number | undefined;
};

/** The header of a change that is made only at a revision. */
export function onlyAt({ ifRevision }: ChangeOptions): { header?: { 'If-Match': string } } {
  return ifRevision === undefined ? {} : { header: { 'If-Match': `"${ifRevision}"` } };
}
