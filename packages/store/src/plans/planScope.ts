import type { Environment } from '../database/schema.ts';

/**
 * The organisation and environment that plans belong to. They lead every key and every query, so that organisations are
 * kept apart.
 */
export type PlanScope = { readonly organisationId: string; readonly environment: Environment };

/** A plan's id and scope. */
export type ScopedPlanId = { readonly scope: PlanScope; readonly planId: string };
