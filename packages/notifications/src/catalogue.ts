import type { Call } from '@fairway/api';
import type { Scope } from '@fairway/values';
import type { OperationId } from '@fairway/wire';

/** The operations on events and webhook endpoints. An application may serve them below another path. */
export type NotificationOperationId = Extract<
  OperationId,
  'listEvents' | 'streamEvents' | 'resendEvent' | `${string}Webhook${string}`
>;

/** What an application publishes, and how it is read there. */
export type Catalogue = {
  /** What the paths of its operations begin with, such as `/v1`. */
  readonly root: string;
  readonly types: readonly string[];
  /** What the id of a subject looks like, also in words. */
  readonly subjectIds: { readonly pattern: RegExp; readonly must: string };
  /** What a reader does whose place is not kept any more, as a sentence without a full stop. */
  readonly readAnew: string;
  /** The permission that reading a subject of a type needs, beside that of reading events; undefined for none. */
  readerOf(subjectType: string): string | undefined;
  /** Whose events and endpoints a caller sees. */
  scopeOf(call: Call): Scope;
};

/** The beginning of the first types, such as `payment_plan.*`. */
export function beginningOf({ types: [first = ''] }: Pick<Catalogue, 'types'>): string {
  return first.replace(/[^.]+$/, '*');
}
