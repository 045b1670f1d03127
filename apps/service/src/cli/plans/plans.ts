import type { NodesEvent } from '@fairway/evm';
import type { Plan } from '@fairway/plan';
import { defined } from '@fairway/values';
import type { OwnedPlan, Store } from '@fairway/store';
import { parseCommand } from '../../platform/config/commandLine.ts';
import { UsageError } from '../../platform/config/error.ts';
import { readPlanPlace } from '../../platform/config/marketPlace.ts';
import { endPlan, type EndRequest, PLAN_ID, planAgain, readEnd } from '../../parts/payments/index.ts';
import { type Acting, bodyFields, done, type Outcome, readJson } from '@fairway/api';
import { CommandError } from '../commandError.ts';
import { type DuePayout, duePayoutJson, duePayoutOf, duePayoutsText } from './duePayouts.ts';
import { heldNow } from './heldNow.ts';
import { chainsOf, noteNodes } from '../trading/marketReading.ts';
import { createPlanParts, type PlanPlace } from './planParts.ts';
import { type Output, runOnStore } from '../storeCommand.ts';
import { listText, storyText } from './text.ts';
import { openPlanJson, type PlanStory, storyJson } from './planStory.ts';
import type { Terminal } from '../terminal.ts';

const OPTIONS = {
  stuck: { type: 'boolean' },
  due: { type: 'boolean' },
  limit: { type: 'string' },
  reason: { type: 'string' },
  revision: { type: 'string' },
  note: { type: 'string' },
  force: { type: 'boolean' },
  config: { type: 'string' },
  'ready-file': { type: 'string' },
  'audit-log': { type: 'string' },
  data: { type: 'string' },
  json: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseCommand<typeof OPTIONS>>['values'];
type Run = (store: Store) => Promise<Output>;

/** The options that a verb takes beside those of every verb. */
const OPTIONS_OF: Readonly<Record<string, readonly (keyof Values)[]>> = {
  list: ['stuck', 'due', 'limit'],
  show: ['config', 'ready-file'],
  again: ['force', 'config', 'ready-file'],
  end: ['reason', 'revision', 'note', 'force', 'config', 'ready-file'],
};
const OF_EVERY_VERB: readonly (keyof Values)[] = ['audit-log', 'data', 'json'];

/** How many plans are listed unless --limit says otherwise, and at most. */
const [LISTED, MOST_LISTED] = [50, 1_000];
/** How many events a story tells: the last ones. */
const EVENTS_SHOWN = 200;
/** In whose name the events of a command are recorded. */
const OPERATOR_ACTOR = 'operator';

/**
 * `fairway plans list | show | again | end`: what an operator sees of the plans of all organisations, and does to one
 * of them. The last two are the same as over the API, and are in the audit log with the organisation.
 * @throws UsageError, CommandError, ConfigError
 */
export async function plansCommand(args: readonly string[], terminal: Terminal): Promise<string> {
  const { values, positionals } = parseCommand(args, OPTIONS, true);
  const [verb, planId, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(`Unexpected argument: ${rest[0]}`);
  const run = await prepare(verb, planId, values, terminal);
  const command = { name: `plans ${verb}`, isChange: verb === 'again' || verb === 'end', mayMake: false };
  return runOnStore(values, terminal, command, run);
}

/** Checks the whole command line before any database is opened. */
async function prepare(
  verb: string | undefined,
  planId: string | undefined,
  values: Values,
  terminal: Terminal,
): Promise<Run> {
  const known = verb === undefined ? undefined : OPTIONS_OF[verb];
  if (verb === undefined || known === undefined)
    throw new UsageError('Use one of: plans list, show PLAN, again PLAN, end PLAN.');
  const given = Object.keys(values) as (keyof Values)[];
  const unfit = given.find((name) => !known.includes(name) && !OF_EVERY_VERB.includes(name));
  if (unfit !== undefined) throw new UsageError(`plans ${verb} does not take --${unfit}.`);
  if (verb === 'list') {
    if (planId !== undefined) throw new UsageError(`Unexpected argument: ${planId}`);
    return values.due === true ? prepareDue(values) : prepareList(values);
  }
  if (planId === undefined)
    throw new UsageError(`plans ${verb} needs a PLAN: one that fairway plans list prints.`);
  if (!PLAN_ID.test(planId))
    throw new UsageError(`${planId}: is no id of a plan, which is plan_ and 32 hex digits.`);
  if (verb === 'show') {
    const place = await placeOf(values, true, terminal);
    return (store) => show(store, planId, place);
  }
  const request = verb === 'end' ? readEndRequest(values) : undefined;
  const place = await placeOf(values, verb === 'end' && values.force === true, terminal);
  if (request === undefined) return (store) => again(store, planId, values, place);
  return (store) => end(store, planId, request, place);
}

/**
 * Where the chains are. A plan is compared with its chain before it is changed; one that is shown or ended by force need not
 * be.
 */
async function placeOf(
  values: Values,
  mayBeNone: boolean,
  { environment, notes }: Terminal,
): Promise<PlanPlace> {
  const named = { config: values.config, readyFile: values['ready-file'] };
  const place = readPlanPlace(named, mayBeNone, environment);
  const onNodes = (event: NodesEvent) => noteNodes(event, notes);
  return { chains: await chainsOf(place), corridors: place.corridors, onNodes };
}

function prepareList(values: Values): Run {
  const limit = values.limit === undefined ? LISTED : Number(values.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_LISTED)
    throw new UsageError(`--limit ${values.limit}: use a number from 1 to ${MOST_LISTED}.`);
  const onlyStuck = values.stuck === true;
  return async ({ operator }) => {
    const listed = await operator.openPlans({ limit, onlyStuck });
    const { plans, count, stuck, nowMs } = listed;
    const json = { count, stuck, at: new Date(nowMs).toISOString(), plans: plans.map(openPlanJson(nowMs)) };
    return {
      text: listText(listed, onlyStuck),
      json,
      fact: { event: 'PLANS_LISTED', count: plans.length },
    };
  };
}

/** How many plans are read at once. */
const READ_AT_ONCE = 200;

/** Lists every payout that is due: none may be missing where they are compared with a custodian's list. */
function prepareDue(values: Values): Run {
  const unfit = (['stuck', 'limit'] as const).find((name) => values[name] !== undefined);
  if (unfit !== undefined)
    throw new UsageError(`plans list --due lists every payout that is due; leave --${unfit} out.`);
  return async (store) => {
    const { operator, clock } = store;
    const nowMs = clock.nowMs();
    const payouts: DuePayout[] = [];
    let after: string | undefined;
    do {
      const part = await operator.duePlans({ limit: READ_AT_ONCE, after });
      payouts.push(...part.plans.flatMap((owned) => duePayoutOf(store, owned, nowMs) ?? []));
      after = part.next;
    } while (after !== undefined);
    const count = payouts.length;
    return {
      text: duePayoutsText(payouts, nowMs),
      json: { count, at: new Date(nowMs).toISOString(), payouts: payouts.map(duePayoutJson) },
      fact: { event: 'PLANS_LISTED', count },
    };
  };
}

async function found(store: Store, planId: string): Promise<OwnedPlan> {
  const asked = await store.operator.findPlan(planId);
  if (asked.found === undefined)
    throw new CommandError('PLAN_UNKNOWN', `There is no plan ${planId}. See: fairway plans list`);
  return asked.found;
}

async function storyOf(store: Store, owned: OwnedPlan): Promise<PlanStory> {
  const { scope, plan } = owned;
  const nowMs = Math.max(store.clock.nowMs(), plan.updatedAtMs);
  const { chainId } = plan.corridor.source;
  const [events, pending, position] = await Promise.all([
    store.payments.history(scope, plan.planId, {
      limit: EVENTS_SHOWN,
      afterRevision: Math.max(0, plan.revision - EVENTS_SHOWN),
    }),
    store.operator.pendingWork(scope, plan.planId),
    store.record.position({ environment: scope.environment, chainId }),
  ]);
  return {
    ...owned,
    nowMs,
    events: events.found?.events ?? [],
    pending: pending.pending,
    moment: position.moment,
  };
}

async function show(store: Store, planId: string, place: PlanPlace): Promise<Output> {
  const owned = await found(store, planId);
  const { environment, organisationId } = owned.scope;
  const isAsked = place.chains.length > 0;
  const parts = createPlanParts(store, environment, place, owned.plan.updatedAtMs);
  const held = isAsked ? await heldNow(parts, owned.plan) : undefined;
  const story = { ...(await storyOf(store, owned)), ...defined({ held }) };
  return {
    text: storyText(story),
    json: storyJson(story),
    fact: { event: 'PLAN_SHOWN', planId, organisationId },
  };
}

async function again(store: Store, planId: string, values: Values, place: PlanPlace): Promise<Output> {
  const owned = await found(store, planId);
  const { scope, plan } = owned;
  const parts = createPlanParts(store, scope.environment, place, plan.updatedAtMs);
  const request = defined({ force: values.force === true ? true : undefined });
  const outcome = await planAgain(parts, actingOf(owned), planId, request);
  const { did = '' } = outcome.ok ? outcome.value : {};
  return changed(store, owned, outcome.ok ? done(outcome.value.plan) : outcome, {
    event: 'PLAN_AGAIN',
    planId,
    organisationId: scope.organisationId,
    did,
  });
}

/** A request to end a plan, and the revision that the operator has seen. */
type SeenEnd = { readonly request: EndRequest; readonly revision: number };

async function end(
  store: Store,
  planId: string,
  { request, revision }: SeenEnd,
  place: PlanPlace,
): Promise<Output> {
  const owned = await found(store, planId);
  const { scope, plan } = owned;
  const parts = createPlanParts(store, scope.environment, place, plan.updatedAtMs);
  const acting = { ...actingOf(owned), expectedRevisions: [revision] };
  const ended = await endPlan(parts, acting, planId, request);
  return changed(store, owned, ended, {
    event: 'PLAN_ENDED',
    planId,
    organisationId: scope.organisationId,
    reason: request.reason ?? 'CANCELLED',
    forced: request.force,
  });
}

function actingOf({ scope }: OwnedPlan): Acting {
  return { scope, actor: OPERATOR_ACTOR };
}

async function changed(
  store: Store,
  owned: OwnedPlan,
  outcome: Outcome<Plan>,
  fact: Output['fact'],
): Promise<Output> {
  if (!outcome.ok) {
    const { code, detail } = outcome.problem;
    throw new CommandError('REFUSED', `${owned.plan.planId} of ${owned.organisation}: ${detail} (${code})`);
  }
  const story = await storyOf(store, { ...owned, plan: outcome.value });
  return { text: storyText(story), json: storyJson(story), fact };
}

/** Reads the request with the same function as the API, so that both understand it alike. @throws UsageError */
function readEndRequest({ reason, revision, note, force }: Values): SeenEnd {
  if (revision === undefined || !/^[1-9][0-9]{0,8}$/.test(revision))
    throw new UsageError(
      'plans end needs --revision N, the revision of the plan that you have looked at: what is left of its money counts as known then. ' +
        'fairway plans show PLAN names it.',
    );
  const json = readJson(Buffer.from(JSON.stringify({ force: force === true, ...defined({ reason, note }) })));
  const fields = bodyFields(json.ok ? json.value : null, ['reason', 'note', 'force']);
  const request = readEnd(fields);
  if (request !== undefined && fields.errors.length === 0) return { request, revision: Number(revision) };
  throw new UsageError(fields.errors.map(({ detail }) => `--${detail}`).join('\n'));
}
