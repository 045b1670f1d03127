import type { FieldError } from './problem.ts';

type ExampleError = Omit<FieldError, 'suggestions'> & { readonly suggestions?: readonly string[] };

/** One occurrence of a problem. */
export type ProblemExample = { readonly detail: string; readonly errors?: readonly ExampleError[] };

/** An occurrence that is all about one field, and says the same of both. */
export function exampleAt(pointer: string, detail: string, suggestions?: readonly string[]): ProblemExample {
  return { detail, errors: [{ pointer, detail, ...(suggestions && { suggestions }) }] };
}
