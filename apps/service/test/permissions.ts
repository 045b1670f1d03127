/** The permission that each operation needs; null: any valid credential of the environment. */
export const PERMISSION_OF: Record<string, string | null> = {
  'GET /health': null,
  'GET /v1/markets/chains': 'markets:read',
  'GET /v1/markets/tokens': 'markets:read',
  'GET /v1/markets/corridors': 'markets:read',
  'GET /v1/quote': 'quotes:read',
  'POST /v1/swap': 'swaps:plan',
  'GET /v1/recipients': 'recipients:read',
  'POST /v1/recipients': 'recipients:write',
  'POST /v1/recipients/validate': 'recipients:read',
  'GET /v1/events': 'events:read',
  'GET /v1/webhook_endpoints': 'webhooks:read',
  'POST /v1/webhook_endpoints': 'webhooks:write',
  'GET /v1/reports': 'reports:read',
  'POST /v1/reports': 'reports:write',
  'GET /v1/reconciliation/maps': 'reports:read',
  'GET /v1/reconciliation/statements': 'reports:read',
  'PUT /v1/reconciliation/maps/bank': 'reports:write',
  'GET /v1/sandbox': null,
  'GET /v1/sandbox/mailbox': 'payments:operate',
  'POST /v1/sandbox/clock': 'payments:operate',
  'POST /v1/sandbox/faucet': 'payments:operate',
};
/** Every permission, in the order in which the command line names them. */
export const PERMISSIONS = [
  ...['markets:read', 'quotes:read', 'swaps:plan', 'payments:read', 'payments:write'],
  ...['payments:operate', 'payments:approve'],
  ...['recipients:read', 'recipients:write', 'recipients:reveal', 'recipients:approve'],
  ...['webhooks:read', 'webhooks:write'],
  ...['events:read', 'reports:read', 'reports:write'],
];

/** What a credential may do unless told otherwise. */
export const DEFAULT_PERMISSIONS = PERMISSIONS.filter((permission) => !permission.endsWith(':approve'));
