declare const idBrand: unique symbol;

/** `plan_` and a UUID of version 7 in hexadecimal: ids sort by age. */
export type PlanId = string & { readonly [idBrand]: 'plan' };
/** `step_` and a UUID of version 7 in hexadecimal. */
export type StepId = string & { readonly [idBrand]: 'step' };
/** `mov_`, the hexadecimal digits of the plan's id, and eight of the movement's number: ids sort by plan and age. */
export type MovementId = string & { readonly [idBrand]: 'movement' };
/** A contract or account, in lower case. */
export type Address = `0x${string}`;
/** A hash, in lower case. */
export type Hash = `0x${string}`;
/** Milliseconds since 1970 by the service's clock. */
export type TimeMs = number;
/** A JSON value that plans keep without reading it. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json | undefined };

/** How the money reaches the recipient. */
export type Mode = 'STANDARD' | 'DIGITAL_COLLECT';
/**
 * How far a claim was checked. VERIFIED: it was read on the chain. REPORTED: the integrator says so. UNVERIFIABLE:
 * there is nothing to check it against.
 */
export type Verification = 'VERIFIED' | 'REPORTED' | 'UNVERIFIABLE';
