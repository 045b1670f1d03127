import type { Scope } from '@fairway/values';

/**
 * The organisation and environment that plans belong to. They lead every key and every query, so that organisations are
 * kept apart.
 */
export type PlanScope = Scope;

/** A plan's id and scope. */
export type ScopedPlanId = { readonly scope: PlanScope; readonly planId: string };
