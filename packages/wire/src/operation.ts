import type { TSchema } from 'typebox';
import type { NodePermission, Permission } from './permissions.ts';
import type { ProblemCode } from './problems.ts';

/** Who may call an operation: anyone, any valid credential, or one with a permission. */
export type Access =
  | { readonly kind: 'OPEN' }
  | { readonly kind: 'AUTHENTICATED' }
  | { readonly kind: 'PERMISSION'; readonly permission: Permission | NodePermission };

/** One operation of the API. */
export type Operation = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly tag:
    | 'Markets'
    | 'Trading'
    | 'Payments'
    | 'Recipients'
    | 'Events'
    | 'Webhooks'
    | 'Reports'
    | 'Reconciliation'
    | 'Service'
    | 'Sandbox'
    | 'Executions'
    | 'Relayers';
  readonly summary: string;
  readonly description: string;
  readonly access: Access;
  /** Object schema whose members are the parameters in the path. */
  readonly params?: TSchema;
  /** Object schema whose members are the query parameters. */
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** Whether the body may be left out. */
  readonly bodyOptional?: true;
  /** The header If-Match, which others may leave out, is required. */
  readonly needsIfMatch?: true;
  readonly response: TSchema;
  /** A body that is a file: what it can be, by its media type. */
  readonly upload?: Readonly<Record<string, TSchema>>;
  /** How many bytes the file can have. */
  readonly uploadBytes?: number;
  /** The answer goes on as server-sent events, and Last-Event-ID says after which. */
  readonly isStream?: true;
  /** The answer is a file: what it can be, by its media type. */
  readonly fileTypes?: Readonly<Record<string, TSchema>>;
  /** The status of a success; absent: 200. */
  readonly success?: 201 | 202;
  /** The same request again is answered as the first one, with the header Idempotent-Replayed. */
  readonly isReplayed?: true;
  /** The answer has an entity tag to ask again with, and callers may keep it for a short time. */
  readonly isCached?: true;
  /** Served by deployments of the sandbox environment alone. */
  readonly sandboxOnly?: true;
  /** The operation's own problems; those of its access and of its body are added. */
  readonly problems: readonly ProblemCode[];
};

/** Anyone may call the operation. */
export const OPEN: Access = { kind: 'OPEN' };
/** Any valid credential may call the operation. */
export const AUTHENTICATED: Access = { kind: 'AUTHENTICATED' };

/** A credential with this permission may call the operation. */
export function permission<Name extends Permission | NodePermission>(
  name: Name,
): { readonly kind: 'PERMISSION'; readonly permission: Name } {
  return { kind: 'PERMISSION', permission: name };
}

/** How the paths of operations begin that act on a plan. */
const PLAN_PATHS = ['/v1/payments/{planId}/'];

/**
 * Whether the operation acts on an existing plan, or changes a registered recipient, so that it honours the header If-Match with the
 * revision of that.
 *
 * @example
 * ```ts
 * import { operation, takesIfMatch } from '@fairway/wire';
 *
 * takesIfMatch(operation('endPayment')); // true
 * ```
 */
export function takesIfMatch({ method, path }: Pick<Operation, 'method' | 'path'>): boolean {
  if (path.startsWith('/v1/recipients/{recipientId}')) return ['PUT', 'PATCH', 'DELETE'].includes(method);
  return method === 'POST' && PLAN_PATHS.some((begin) => path.startsWith(begin));
}
