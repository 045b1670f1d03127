import { type Plan, planCreated } from '@fairway/plan';
import type { PlanScope } from '@fairway/store';
import type { Pool, PoolClient } from 'pg';

/** A plan, and the other values of its rows. */
export type HandWritten = {
  readonly scope: PlanScope;
  readonly plan: Plan;
  readonly sealed: Buffer;
  readonly bodyFingerprint: Buffer;
};

/**
 * Writes a new plan by hand: a transaction of plain parametrised queries for exactly the rows that the store
 * writes, the background job included.
 */
export async function writePlanByHand(pool: Pool, made: HandWritten): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await writeRows(client, made);
    await client.query('commit');
  } finally {
    client.release();
  }
}

async function writeRows(
  client: PoolClient,
  { scope, plan, sealed, bodyFingerprint }: HandWritten,
): Promise<void> {
  const key = [scope.organisationId, scope.environment, plan.planId];
  await client.query(
    `insert into plans (organisation_id, environment, plan_id, client_reference, body_fingerprint, corridor_id,
       source_chain_id, corridor, mode, amount_in, recipient, options, metadata, end_to_end_id, revision, status,
       is_unfunded, created_at, updated_at, life_ms, expires_at, watch_from_block)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 1, 'ACTION_REQUIRED', true, $15, $15, $16, $17, $18)`,
    [
      ...key,
      plan.clientReference,
      bodyFingerprint,
      plan.corridor.id,
      plan.corridor.source.chainId,
      plan.corridor,
      plan.mode,
      plan.amountIn,
      plan.recipient,
      plan.options,
      plan.metadata,
      plan.endToEndId,
      new Date(plan.createdAtMs),
      plan.lifeMs,
      new Date(plan.expiresAtMs),
      plan.watchFromBlock,
    ],
  );
  await writeSteps(client, key, plan);
  const { command, changes } = planCreated(plan);
  await client.query(
    `insert into plan_events (organisation_id, environment, plan_id, revision, at, actor, command, changes)
     values ($1, $2, $3, 1, $4, 'bench', $5, $6)`,
    [...key, new Date(plan.createdAtMs), command, JSON.stringify(changes)],
  );
  await client.query(
    `insert into recipients (organisation_id, environment, plan_id, field, key_id, sealed)
     values ($1, $2, $3, 'recipient', 'bench', $4)`,
    [...key, sealed],
  );
  await client.query(
    `select graphile_worker.add_job('plan', payload => $1::json, job_key => $2, run_at => $3, max_attempts => 32767)`,
    [JSON.stringify({ ...scope, planId: plan.planId }), `plan:${plan.planId}`, new Date(plan.expiresAtMs)],
  );
}

async function writeSteps(client: PoolClient, key: readonly string[], plan: Plan): Promise<void> {
  const [deposit, swap, payout] = plan.steps;
  if (
    deposit?.type !== 'AWAIT_DEPOSIT' ||
    swap?.type !== 'EXECUTE_SWAP' ||
    payout?.type !== 'CUSTODIAN_PAYOUT'
  )
    throw new Error('The plan has other steps.');
  await client.query(
    `insert into plan_steps (organisation_id, environment, plan_id, step_id, position, type, status, expected,
       amount_left)
     values ($1, $2, $3, $4, 0, 'AWAIT_DEPOSIT', 'PENDING', $7, null),
       ($1, $2, $3, $5, 1, 'EXECUTE_SWAP', 'PENDING', $8, null),
       ($1, $2, $3, $6, 2, 'CUSTODIAN_PAYOUT', 'PENDING', null, $8)`,
    [...key, deposit.stepId, swap.stepId, payout.stepId, deposit.expected, swap.expected],
  );
  const [attempt] = swap.attempts;
  if (attempt === undefined) throw new Error('The plan has no instructions.');
  await client.query(
    `insert into step_attempts (organisation_id, environment, plan_id, step_id, position, outcome, derived_at,
       not_after, instructions, quote, amount_out, min_amount_out)
     values ($1, $2, $3, $4, 0, 'OPEN', $5, $6, $7, $8, $9, $10)`,
    [
      ...key,
      swap.stepId,
      new Date(attempt.derivedAtMs),
      new Date(attempt.notAfterMs),
      JSON.stringify(attempt.instructions),
      attempt.quote,
      attempt.amountOut,
      attempt.minAmountOut,
    ],
  );
}
