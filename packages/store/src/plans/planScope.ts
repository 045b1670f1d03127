import type { Environment } from '../database/schema.ts';

/**
 * The organisation and environment that plans belong to. They lead every key and every query, so that organisations are
 * kept apart.
 */
export type PlanScope = { readonly organisationId: string; readonly environment: Environment };
