import { setTimeout as sleep } from 'node:timers/promises';
import { collectRequestIdOf, type PlanId } from '@fairway/plan';
import { EVENT_TYPES, type Event, type EventList, type PaymentPlan } from '@fairway/wire';
import { parseCommand, UsageError } from '../config/commandLine.ts';
import { readServiceAccess, type ServiceAccess } from '../config/serviceAccess.ts';
import { USUAL_PAYMENT } from '../http/examples.ts';
import { callService } from './callService.ts';
import { CommandError } from './commandError.ts';

const OPTIONS = { service: { type: 'string' }, 'ready-file': { type: 'string' } } as const;

/** What is done with a new plan: an event of one of its steps is simulated, or something is posted below its path. */
type Act =
  | { readonly step: number; readonly simulated: string }
  | { readonly path: string; readonly body: object };

/** How an event of a type comes about: the plan that is made, and what is done with it. */
type Recipe = { readonly plan: 'BANK' | 'EMAIL'; readonly acts: readonly Act[] };

const simulated = (...events: readonly string[]): Act[] =>
  events.map((event) => ({ step: STEP_OF[event.split('.')[0] ?? ''] ?? 0, simulated: event }));
const STEP_OF: Readonly<Record<string, number>> = { deposit: 0, swap: 1, payout: 2 };
const posted = (path: string, body: object = {}): Act => ({ path, body });
const PAID = simulated('deposit.exact', 'swap.done');

const RECIPES: Readonly<Partial<Record<Event['type'], Recipe>>> = {
  'payment_plan.created': { plan: 'BANK', acts: [] },
  'payment_plan.updated': { plan: 'BANK', acts: simulated('deposit.exact') },
  'payment_plan.step.done': { plan: 'BANK', acts: simulated('deposit.exact') },
  'payment_plan.step.ready': { plan: 'BANK', acts: simulated('deposit.exact') },
  'payment_plan.step.failed': { plan: 'BANK', acts: simulated('deposit.exact', 'swap.reverted') },
  'payment_plan.step.held': { plan: 'BANK', acts: [...PAID, ...simulated('payout.held')] },
  'payment_plan.failed': { plan: 'BANK', acts: simulated('deposit.exact', 'swap.reverted') },
  'payment_plan.completed': { plan: 'BANK', acts: [...PAID, ...simulated('payout.done')] },
  'payment_plan.returned': { plan: 'BANK', acts: [...PAID, ...simulated('payout.done', 'payout.returned')] },
  'payment_plan.unallocated': { plan: 'BANK', acts: simulated('deposit.exact', 'swap.done', 'swap.again') },
  'payment_plan.cancelled': { plan: 'BANK', acts: [posted('/cancel')] },
  'payment_plan.closed': {
    plan: 'BANK',
    acts: [posted('/close', { reason: 'ABANDONED', acknowledge: [] })],
  },
  'collect_request.created': { plan: 'EMAIL', acts: PAID },
  'collect_request.sent': { plan: 'EMAIL', acts: PAID },
  'collect_request.cancelled': { plan: 'EMAIL', acts: [...PAID, posted('/collect/cancel')] },
};

/** How long an event may take to be told once its cause is there. */
const TOLD_WITHIN_MS = 20_000;

/**
 * `fairway trigger TYPE`: makes an event of a type in the sandbox, with a plan of its own. Returns what to print.
 * @throws UsageError, ConfigError, CommandError
 */
export async function triggerCommand(args: readonly string[]): Promise<string> {
  const { values, positionals } = parseCommand(args, OPTIONS, true);
  const [type = ''] = positionals;
  const recipe = recipeOf(type);
  const access = readServiceAccess({ service: values.service, readyFile: values['ready-file'] });
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
  const isKnown = EVENT_TYPES.some((each) => each === type);
  const why = isKnown
    ? `${type} cannot be made by a command: a recipient, time or a mail server brings it about.`
    : `trigger needs a TYPE of event${type === '' ? '' : `; ${type} is none`}.`;
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

async function carryOut(access: ServiceAccess, { planId, steps }: PaymentPlan, act: Act): Promise<void> {
  const own = `/payments/${planId}`;
  if ('path' in act) await callService(access, `/v1${own}${act.path}`, act.body);
  else
    await callService(access, `/v1/sandbox${own}/steps/${steps[act.step]?.stepId}/simulate`, {
      event: act.simulated,
    });
}

/** Waits until the event of a plan, or of its round, is told. */
async function told(access: ServiceAccess, type: string, planId: PlanId): Promise<Event> {
  const subjects = [planId, collectRequestIdOf(planId, 1)];
  for (const untilMs = performance.now() + TOLD_WITHIN_MS; performance.now() < untilMs; await sleep(100))
    for (const subject of subjects) {
      const { data } = await callService<EventList>(
        access,
        `/v1/events?subject=${subject}&type=${type}&limit=1`,
      );
      if (data[0] !== undefined) return data[0];
    }
  throw new CommandError('REFUSED', `${type} did not come within ${TOLD_WITHIN_MS / 1000} s.`);
}
