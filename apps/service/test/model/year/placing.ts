// Gives the plans of a world, whose ids, addresses, hashes and times are made up and alike in all worlds, real ones of their own.
import { createHash } from 'node:crypto';
import { movementIdOf, NO_DEADLINE_MS, type PlanId } from '@fairway/plan';
import type { PlanScope, TokenName } from '@fairway/store';
import { SOURCE, TARGET, THIRD } from '../modelPlans.ts';
import { BEGIN_MS } from '../world.ts';

/** A corridor with its tokens. `third`: a token that nobody asked for, and that has no name. */
export type Way = {
  readonly corridorId: string;
  readonly source: TokenName;
  readonly target: TokenName;
  readonly third: string;
};

/** Where a world is put. `shiftMs`: how much later all of it happens. */
export type Placing = {
  readonly world: number;
  readonly scope: PlanScope;
  readonly way: Way;
  readonly shiftMs: number;
};

/** A value that a plan of a world has, such as an event, in its place. */
export function placed<Value>(placing: Placing, planId: string, value: Value): Value {
  const text = JSON.stringify(value, (key, inner: unknown) => {
    // One plan's references may be another's, but not in an organisation.
    if (key === 'providerReference') return `${String(inner)} ${placing.world}.${Number(planId.slice(-8))}`;
    return rewritten(placing, key, inner);
  });
  return JSON.parse(text) as Value;
}

/** The hash of a transaction or a block of a world. */
export function placedHash(placing: Placing, text: string): string {
  return `0x${digits(placing, text, 64)}`;
}

/** A token of a world. */
export function placedToken({ way }: Placing, token: string): string {
  const tokens: Readonly<Record<string, string>> = {
    [SOURCE]: way.source.address,
    [TARGET]: way.target.address,
    [THIRD]: way.third,
  };
  return tokens[token] ?? token;
}

/** The id of a plan of a world. */
export function placedPlanId(placing: Placing, planId: string): PlanId {
  return `plan_${digits(placing, planId.slice('plan_'.length), 32)}` as PlanId;
}

function digits({ world }: Placing, text: string, length: number): string {
  return createHash('sha256').update(`${world} ${text}`).digest('hex').slice(0, length);
}

function rewritten(placing: Placing, key: string, value: unknown): unknown {
  if (key === 'corridor') {
    const { source, target } = value as { source: { token: string }; target: { token: string } };
    const { corridorId } = placing.way;
    return { ...(value as object), id: source.token === target.token ? `${corridorId}-direct` : corridorId };
  }
  if (typeof value === 'string') return TEXTS[key]?.(placing, value) ?? value;
  if (typeof value !== 'number') return value;
  if (key === 'chainId') return placing.way.source.chainId;
  // Blocks of a world begin in 1970.
  if (key === 'blockTimeMs') return BEGIN_MS + value + placing.shiftMs;
  return isTime(key) && value !== NO_DEADLINE_MS ? value + placing.shiftMs : value;
}

/** The names of times end with `Ms`. Lives are no times. */
function isTime(key: string): boolean {
  return key.endsWith('Ms') && key !== 'lifeMs' && key !== 'collectLifeMs';
}

type Rewrite = (placing: Placing, text: string) => string;

const account: Rewrite = (placing, text) => `0x${digits(placing, `account ${text}`, 40)}`;

/** The last eight digits of the id of a movement are its number. */
const movement: Rewrite = (placing, text) => {
  const plan = `plan_${text.slice('mov_'.length, -8)}`;
  return movementIdOf(placedPlanId(placing, plan), Number.parseInt(text.slice(-8), 16));
};

const TEXTS: Readonly<Record<string, Rewrite>> = {
  planId: placedPlanId,
  stepId: (placing, text) => `step_${digits(placing, text, 32)}`,
  clientReference: (placing, text) => `${text}-${placing.world}`,
  endToEndId: (placing, text) => `FW${digits(placing, text, 30)}`,
  txHash: placedHash,
  blockHash: placedHash,
  token: placedToken,
  address: placedToken,
  from: account,
  to: account,
  sender: account,
  depositAddress: account,
  settlementAddress: account,
  movementId: movement,
  reverses: movement,
  corrects: movement,
};
