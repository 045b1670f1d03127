const PLAIN = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
} as const;

/** Has browsers come back over TLS for a year. */
const SECURE = { ...PLAIN, 'strict-transport-security': 'max-age=31536000' } as const;

/** The headers of every answer of a service at a URL, unless an operation says otherwise. */
export function staticHeaders(publicUrl: string): Readonly<Record<string, string>> {
  return publicUrl.startsWith('https:') ? SECURE : PLAIN;
}
