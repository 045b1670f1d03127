import { setTimeout as sleep } from 'node:timers/promises';
import { collectRequestIdOf, type PlanId } from '@fairway/plan';
import { type Event, type EventList, type PaymentPlan } from '@fairway/wire';
import { parseCommand } from '../platform/config/commandLine.ts';
import { UsageError } from '../platform/config/error.ts';
import { readServiceAccess, type ServiceAccess } from '../platform/config/serviceAccess.ts';
import { USUAL_PAYMENT } from '../parts/reference/index.ts';
import { callService } from './callService.ts';
import { CommandError } from './commandError.ts';
import { BROUGHT_ABOUT } from './triggeredElsewhere.ts';
import { type Act, type Recipe, RECIPES } from './triggerRecipes.ts';
import type { Terminal } from './terminal.ts';

const OPTIONS = { service: { type: 'string' }, 'ready-file': { type: 'string' } } as const;

/** How long an event may take to be told once its cause is there. */
const PUBLISHED_WITHIN_MS = 20_000;

/**
 * `fairway trigger TYPE`: makes an event of a type in the sandbox, with a plan of its own. Returns what to print.
 * @throws UsageError, ConfigError, CommandError
 */
export async function triggerCommand(args: readonly string[], terminal: Terminal): Promise<string> {
  const { values, positionals } = parseCommand(args, OPTIONS, true);
  const [type = ''] = positionals;
  const recipe = recipeOf(type);
  const access = readServiceAccess(
    { service: values.service, readyFile: values['ready-file'] },
    terminal.environment,
  );
  // Refused by any service that is no sandbox, before a plan is made there.
  await callService(access, '/v1/sandbox');
  const plan = await makePlan(access, recipe.plan);
  for (const act of recipe.acts) await carryOut(access, plan, act);
  const { id, subject } = await told(access, type, plan.planId as PlanId);
  return `${type} of ${subject.id}: ${id}`;
}

/** @throws UsageError */
function recipeOf(type: string): Recipe {
  const recipe = (RECIPES as Readonly<Record<string, Recipe | undefined>>)[type];
  if (recipe !== undefined && Object.hasOwn(RECIPES, type)) return recipe;
  const cause = Object.hasOwn(BROUGHT_ABOUT, type)
    ? (BROUGHT_ABOUT as Readonly<Record<string, string>>)[type]
    : undefined;
  const why =
    cause !== undefined
      ? `${type} is not made by this command: it is told when ${cause}.`
      : type === ''
        ? 'trigger needs a TYPE of event.'
        : `There is no type of event ${type}.`;
  throw new UsageError(`${why} There are ${Object.keys(RECIPES).join(', ')}.`);
}

function makePlan(access: ServiceAccess, kind: Recipe['plan']): Promise<PaymentPlan> {
  const asked = kind === 'BANK' ? USUAL_PAYMENT.payment : COLLECTING;
  return callService(access, '/v1/payments', { ...asked, clientReference: `trigger-${Date.now()}` });
}

const COLLECTING = {
  corridorId: 'usdc-eur-collect',
  amountIn: '5000000',
  recipient: { type: 'email', email: 'jo@example.com', name: 'Jo Citizen' },
  options: { mode: 'DIGITAL_COLLECT' },
};

/** How often a plan is ended anew that has changed by itself meanwhile, such as by its e-mail. */
const MOST_TRIES = 20;

async function carryOut(access: ServiceAccess, { planId, steps }: PaymentPlan, act: Act): Promise<void> {
  const own = `/payments/${planId}`;
  if ('end' in act) await endPlan(access, planId, act.end);
  else
    await callService(access, `/v1/sandbox${own}/steps/${steps[act.step]?.stepId}/simulate`, {
      event: act.simulated,
    });
}

async function endPlan(access: ServiceAccess, planId: string, request: object, tries = 1): Promise<void> {
  const { revision } = await callService<PaymentPlan>(access, `/v1/payments/${planId}`);
  try {
    await callService(access, `/v1/payments/${planId}/end`, request, revision);
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== 'PLAN_CHANGED' || tries === MOST_TRIES)
      throw error;
    await endPlan(access, planId, request, tries + 1);
  }
}

/** Waits until the event of a plan, or of its round, is told. */
async function told(access: ServiceAccess, type: string, planId: PlanId): Promise<Event> {
  const subjects = [planId, collectRequestIdOf(planId, 1)];
  for (const untilMs = performance.now() + PUBLISHED_WITHIN_MS; performance.now() < untilMs; await sleep(100))
    for (const subject of subjects) {
      const { data } = await callService<EventList>(
        access,
        `/v1/events?subject=${subject}&type=${type}&limit=1`,
      );
      if (data[0] !== undefined) return data[0];
    }
  throw new CommandError('REFUSED', `${type} did not come within ${PUBLISHED_WITHIN_MS / 1000} s.`);
}
