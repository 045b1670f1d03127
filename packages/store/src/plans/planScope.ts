import type { Environment } from '../database/schema.ts';

/** Whose plans, and of which environment: it leads every key and every query, so that nobody meets another's. */
export type PlanScope = { readonly organisationId: string; readonly environment: Environment };
