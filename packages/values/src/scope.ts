/** The environments that records can belong to; a deployment serves one of them. */
export type Environment = 'sandbox' | 'production';

/** The organisation and environment that records belong to. They lead every key, so that organisations are kept apart. */
export type Scope = { readonly organisationId: string; readonly environment: Environment };
