/** The headers of every answer, unless an operation says otherwise. */
export const STATIC_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
} as const;

/** Has browsers come back over TLS for a year, where callers reach the service over TLS. */
export const TLS_HEADERS = { 'strict-transport-security': 'max-age=31536000' } as const;
