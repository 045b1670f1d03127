/** Every permission a credential can hold. */
export const PERMISSIONS = [
  'markets:read',
  'quotes:read',
  'swaps:plan',
  'payments:read',
  'payments:write',
  'payments:approve',
  'recipients:read',
  'recipients:write',
  'recipients:reveal',
  'recipients:approve',
  'webhooks:read',
  'webhooks:write',
  'events:read',
  'reports:read',
  'reports:write',
] as const;

/** What a credential may do. */
export type Permission = (typeof PERMISSIONS)[number];

/**
 * Whether a text names a permission.
 *
 * @example
 * ```ts
 * import { isPermission } from '@fairway/wire';
 *
 * isPermission('quotes:read'); // true
 * isPermission('quotes'); // false
 * ```
 */
export function isPermission(text: string): text is Permission {
  return (PERMISSIONS as readonly string[]).includes(text);
}
