import type { MovementId, PlanId, TimeMs } from './scalars.ts';

/** The most milliseconds that the 48 bits of an id hold. */
const LAST_MS = 0xff_ff_ff_ff_ff_ff;

/**
 * The id of a plan that is made at this time: a UUID of version 7, whose time is the plan's. Ids therefore sort by age.
 * `uuid` is any UUID of version 7; its time is replaced.
 *
 * @example
 * ```ts
 * import { planIdAt } from '@fairway/plan';
 *
 * planIdAt(1_795_000_000_000, '0199a6f2-0000-7abc-8def-0123456789ab'); // 'plan_01a1ee565e007abc8def0123456789ab'
 * ```
 */
export function planIdAt(timeMs: TimeMs, uuid: string): PlanId {
  return `${leastPlanId(timeMs)}${uuid.replaceAll('-', '').slice(12)}` as PlanId;
}

/**
 * A text that sorts before the id of every plan made at this time or later, and behind those of earlier ones.
 *
 * @example
 * ```ts
 * import { leastPlanId } from '@fairway/plan';
 *
 * leastPlanId(1_795_000_000_000); // 'plan_01a1ee565e00'
 * ```
 */
export function leastPlanId(timeMs: TimeMs): string {
  const wholeMs = Math.floor(timeMs);
  const notBelowZeroMs = Math.max(0, wholeMs);
  const inRangeMs = Math.min(LAST_MS, notBelowZeroMs);
  return `plan_${inRangeMs.toString(16).padStart(12, '0')}`;
}

/** The digits of an attempt's position in its id. */
const POSITION_DIGITS = 4;

/**
 * The id of an attempt of a plan's swap. It is the plan's id, followed by the position of the attempt as four hex
 * digits. Positions begin at 0.
 *
 * @example
 * ```ts
 * import { attemptIdOf, type PlanId } from '@fairway/plan';
 *
 * attemptIdOf('plan_01a1ee565e007abc8def0123456789ab' as PlanId, 1); // 'att_01a1ee565e007abc8def0123456789ab0001'
 * ```
 */
export function attemptIdOf(planId: PlanId, position: number): string {
  return `att_${planId.slice('plan_'.length)}${position.toString(16).padStart(POSITION_DIGITS, '0')}`;
}

/**
 * The position that an id of an attempt names; undefined for a text that is no such id of this plan.
 *
 * @example
 * ```ts
 * import { attemptPosition, type PlanId } from '@fairway/plan';
 *
 * const planId = 'plan_01a1ee565e007abc8def0123456789ab' as PlanId;
 * attemptPosition(planId, 'att_01a1ee565e007abc8def0123456789ab0001'); // 1
 * ```
 */
export function attemptPosition(planId: PlanId, attemptId: string): number | undefined {
  const hexPlace = `0x${attemptId.slice(-POSITION_DIGITS)}`;
  const position = Number(hexPlace);
  return attemptIdOf(planId, position) === attemptId ? position : undefined;
}

/**
 * The id of a movement, by its plan and its number: `mov_`, the digits of the plan's id, and the number.
 *
 * @example
 * ```ts
 * import { movementIdOf, type PlanId } from '@fairway/plan';
 *
 * const first = movementIdOf(`plan_${'0'.repeat(32)}` as PlanId, 1);
 * ```
 */
export function movementIdOf(planId: PlanId, seq: number): MovementId {
  return `mov_${planId.slice('plan_'.length)}${seq.toString(16).padStart(8, '0')}` as MovementId;
}

/**
 * The id of a round: `clr_`, the digits of the plan's id, and eight of the round's number.
 *
 * @example
 * ```ts
 * import { collectRequestIdOf, type PlanId } from '@fairway/plan';
 *
 * const first = collectRequestIdOf(`plan_${'0'.repeat(32)}` as PlanId, 1);
 * ```
 */
export function collectRequestIdOf(planId: PlanId, round: number): string {
  return `clr_${planId.slice('plan_'.length)}${round.toString(16).padStart(8, '0')}`;
}

/** A round of a plan, as its id names it. */
export type NamedRound = { readonly planId: PlanId; readonly round: number };

/**
 * The round that an id names, whether there is one or not; undefined for a text that is no such id.
 *
 * @example
 * ```ts
 * import { collectRequestNamed } from '@fairway/plan';
 *
 * collectRequestNamed(`clr_${'0'.repeat(39)}1`)?.round; // 1
 * ```
 */
export function collectRequestNamed(id: string): NamedRound | undefined {
  const [, digits, hex] = /^clr_([0-9a-f]{32})(0[0-9a-f]{7})$/.exec(id) ?? [];
  if (digits === undefined || hex === undefined) return undefined;
  const roundCount = BigInt(`0x${hex}`);
  return { planId: `plan_${digits}` as PlanId, round: Number(roundCount) };
}
