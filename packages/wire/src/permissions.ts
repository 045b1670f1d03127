/** Every permission a credential can hold. */
export const PERMISSIONS = [
  'markets:read',
  'quotes:read',
  'swaps:plan',
  'payments:read',
  'payments:write',
  'payments:operate',
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

/** Every permission that a credential of a Client Node can hold beside those of the service. */
export const NODE_PERMISSIONS = ['execute', 'relay:read', 'relay:operate', 'relay:sign'] as const;

/** What a credential of a Client Node may do beside what the service lets it do. */
export type NodePermission = (typeof NODE_PERMISSIONS)[number];

const reads = PERMISSIONS.filter((permission) => permission.endsWith(':read'));

/**
 * Permissions by what people do. An integrator may do everything but approve: that takes somebody else. Credentials have
 * this role unless told otherwise, and so has the demo credential of the sandbox.
 *
 * @example
 * ```ts
 * import { ROLES } from '@fairway/wire';
 *
 * const isEnough = ROLES.finance.includes('reports:read'); // true
 * ```
 */
export const ROLES = {
  integrator: PERMISSIONS.filter((permission) => !permission.endsWith(':approve')),
  finance: ['payments:read', 'recipients:read', 'events:read', 'reports:read', 'reports:write'],
  approver: [
    'payments:read',
    'payments:approve',
    'recipients:read',
    'recipients:reveal',
    'recipients:approve',
  ],
  operator: [
    ...['payments:read', 'payments:operate', 'recipients:read', 'recipients:reveal'],
    ...['events:read', 'webhooks:read', 'webhooks:write'],
  ],
  'read-only': reads,
} as const satisfies Readonly<Record<string, readonly Permission[]>>;

/** Who may make payments may carry them on, and who approves sees what: the answer shows it. */
const BROUGHT: Partial<Readonly<Record<Permission, Permission>>> = {
  'payments:write': 'payments:operate',
  'payments:approve': 'payments:read',
  'recipients:approve': 'recipients:read',
};

/**
 * What a role may do, or a single permission with the one that it brings; undefined where there is neither of this name.
 *
 * @example
 * ```ts
 * import { permissionsOf } from '@fairway/wire';
 *
 * permissionsOf('quotes:read'); // ['quotes:read']
 * permissionsOf('nobody'); // undefined
 * ```
 */
export function permissionsOf(name: string): readonly Permission[] | undefined {
  if (isPermission(name)) return [name, BROUGHT[name] ?? []].flat();
  return Object.hasOwn(ROLES, name) ? ROLES[name as keyof typeof ROLES] : undefined;
}

/** Permissions at a Client Node by what people and programs do there. Those of the service are for what is mirrored. */
export const NODE_ROLES = {
  ...ROLES,
  executor: [...ROLES.integrator, 'execute', 'relay:read'],
  operator: [...ROLES.operator, 'relay:read', 'relay:operate'],
  signer: ['relay:read', 'relay:sign'],
  'read-only': [...reads, 'relay:read'],
} as const satisfies Readonly<Record<string, readonly (Permission | NodePermission)[]>>;
