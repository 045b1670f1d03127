import {
  attemptIdOf,
  depositOf,
  directionOf,
  evidenceOf,
  fundsOf,
  type Movement,
  NEXT,
  type Plan,
  planStatus,
  type Step,
  ZERO,
} from '@fairway/plan';
import type { OpenPlans, OpenPlan } from '@fairway/store';
import { decimalOf } from '../../words/text/decimalOf.ts';
import { eip55, plainLine, timestampOf } from '@fairway/api';
import { assetText } from '../assetText.ts';
import { custodianLines } from './duePayouts.ts';
import { isLate, nextOf, type PlanStory } from './planStory.ts';
import { type Fact, factLines, table, wrapped } from '../textLines.ts';

const LONGEST_NAME = 24;
/** How many events and movements are told: the last ones. */
const EVENTS_SHOWN = 15;
const MOVEMENTS_SHOWN = 30;
const NATIVE_DECIMALS = 18;

/** The list of open plans as people read it. */
export function listText({ plans, count, stuck, nowMs }: OpenPlans, onlyStuck: boolean): string {
  const counted = `${count} open ${count === 1 ? 'plan' : 'plans'}, ${stuck} stuck, at ${timestampOf(nowMs)}`;
  if (plans.length === 0) return `${counted}.`;
  const rows = plans.map((open) => rowOf(open, nowMs));
  const left = (onlyStuck ? stuck : count) - plans.length;
  const more = left > 0 ? [`and ${left} more; see --limit`] : [];
  const head = ['PLAN', 'ORGANISATION', 'STATUS', 'UNCHANGED', 'NEXT'];
  return [`${counted}:`, ...table([head, ...rows]), ...more].join('\n');
}

function rowOf({ plan, organisation, isOverdue }: OpenPlan, nowMs: number): string[] {
  const action = nextOf(plan, nowMs);
  const next =
    action === undefined ? 'nothing' : `${NEXT[action.why].do} by ${NEXT[action.why].by}: ${action.why}`;
  const late = isOverdue || isLate(action, nowMs) ? ', overdue' : '';
  return [
    plan.planId,
    plainLine(organisation, LONGEST_NAME),
    planStatus(plan),
    ageText(nowMs - plan.updatedAtMs),
    `${next}${late}`,
  ];
}

/** A duration in its two largest units. */
function ageText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
}

/** A plan's story as people read it: what it is, what has to happen, its steps, its money and what happened. */
export function storyText(story: PlanStory): string {
  const { plan } = story;
  return [
    ...headLines(story),
    'Next',
    ...nextLines(story),
    'Steps',
    ...table(plan.steps.map((step) => stepRow(plan, step))),
    ...section('The custodian', custodianLines(plan, story.nowMs)),
    'Funds',
    ...fundsLines(plan),
    ...section('At the deposit address now', heldLines(story)),
    ...section('Movements', movementLines(plan)),
    ...section('The service', serviceLines(story)),
    ...section('What happened', eventLines(story)),
  ].join('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

function approvalText({ version, madeBy, approved }: NonNullable<PlanStory['plan']['approval']>): string {
  const given = approved === undefined ? 'waits' : `by ${approved.by} at ${timestampOf(approved.atMs)}`;
  return `version ${version}, made by ${madeBy}: ${given}`;
}

function headLines({ plan, organisation, scope }: PlanStory): string[] {
  const { corridor, recipient, options, closed, approval } = plan;
  const facts: Fact[] = [
    ['organisation', `${plainLine(organisation, 60)} (${scope.organisationId})`],
    ['reference', plainLine(plan.clientReference, 80)],
    ['corridor', `${corridor.id}, ${plan.mode}, ${scope.environment}`],
    ['status', `${planStatus(plan)}, revision ${plan.revision}`],
    ['amount in', moneyText(plan.amountIn, corridor.source.token, corridor.source.chainId)],
    ['recipient', recipient.type],
    ...(approval === undefined ? [] : ([['approval', approvalText(approval)]] satisfies Fact[])),
    ...(options.depositAddress === undefined
      ? []
      : ([['deposit to', eip55(options.depositAddress)]] satisfies Fact[])),
    ['made', timestampOf(plan.createdAtMs)],
    ['changed', timestampOf(plan.updatedAtMs)],
    ['expires', timestampOf(plan.expiresAtMs)],
  ];
  const closings = closed === undefined ? [] : [...(closed.earlier ?? []), closed];
  const ending = closings.map(
    ({ reason, note, atMs, forced }): Fact => [
      'ended',
      `${reason} at ${timestampOf(atMs)}${forced ? ', by force' : ''}`,
      ...(note === undefined ? [] : [plainLine(note, 80)]),
    ],
  );
  return [plan.planId, ...factLines([...facts, ...ending])];
}

function nextLines({ plan, nowMs, moment }: PlanStory): string[] {
  const action = nextOf(plan, nowMs, moment);
  if (action === undefined) return ['  Nothing: the plan is over.'];
  const { why, detail, deadlineMs } = action;
  const { do: what, by } = NEXT[why];
  const until = deadlineMs === undefined ? '' : `, until ${timestampOf(deadlineMs)}`;
  const late = isLate(action, nowMs) ? ', which has passed' : '';
  return [
    `  ${by}: ${what}, ${why}${until}${late}`,
    ...wrapped(plainLine(detail, 600)).map((line) => `  ${line}`),
    `  To end it: fairway plans end ${plan.planId} --revision ${plan.revision} --reason REASON`,
  ];
}

function stepRow(plan: Plan, step: Step): string[] {
  const evidence = evidenceOf(step);
  const told = [
    ...(step.type === 'AWAIT_DEPOSIT' ? [`${depositOf(plan).received} of ${step.expected} received`] : []),
    ...(step.failure === undefined ? [] : [`failed: ${plainLine(step.failure.code, 40)}`]),
    ...(step.type === 'EXECUTE_SWAP' && step.attempts.length > 0 ? [attemptsText(plan, step)] : []),
    ...(evidence === undefined ? [] : [`${evidence.status} ${evidence.txHash}`]),
  ];
  return [step.stepId, step.type, step.status, told.join('; ')];
}

function attemptsText(plan: Plan, { attempts }: Extract<Step, { type: 'EXECUTE_SWAP' }>): string {
  const count = attempts.length;
  return `${count} ${count === 1 ? 'attempt' : 'attempts'}, the last ${attemptIdOf(plan.planId, count - 1)}`;
}

function fundsLines(plan: Plan): string[] {
  return fundsOf(plan).flatMap(({ asset, unallocated, ...amounts }) => {
    const { swapped, ...others } = amounts;
    const all = { swappedIn: swapped.in, swappedOut: swapped.out, ...others };
    const told = Object.entries(all).filter(([, amount]) => amount !== ZERO);
    const sums = told.map(([name, amount]) => `${spaced(name)} ${amount}`).join(', ');
    const loose = unallocated.map(
      ({ amount, reason, direction }) =>
        `    unallocated ${amount} ${direction}${reason === undefined ? '' : `, ${reason}`}`,
    );
    return [`  ${assetText(asset)}: ${sums === '' ? 'nothing' : sums}`, ...loose];
  });
}

/** Native currency counts for no plan, so this is where an operator sees it. */
function heldLines({ held, plan }: PlanStory): string[] {
  if (held === undefined) return [];
  if (held === 'AWAY') return ['  No node tells what it holds.'];
  const { source, native, nativeSymbol } = held;
  return [
    `  ${source} units of ${eip55(plan.corridor.source.token)}`,
    `  ${decimalOf(native, NATIVE_DECIMALS)} ${nativeSymbol}, which counts for no plan`,
  ];
}

/** `swappedIn` as "swapped in". */
function spaced(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function movementLines(plan: Plan): string[] {
  const { ledger = [] } = plan;
  const hidden = ledger.length - MOVEMENTS_SHOWN;
  const lines = table(ledger.slice(-MOVEMENTS_SHOWN).map(movementRow));
  return hidden > 0 ? [`  ${hidden} earlier ones; see --json`, ...lines] : lines;
}

function movementRow(movement: Movement): string[] {
  const { seq, kind, actual, asset, verification, recordedAtMs, reverses, transfer, providerReference } =
    movement;
  const by = transfer?.txHash ?? providerReference ?? '';
  const taken = reverses === undefined ? '' : `takes back ${reverses}`;
  return [
    String(seq),
    timestampOf(recordedAtMs),
    kind,
    directionOf(movement),
    String(actual),
    assetText(asset),
    verification,
    [taken, plainLine(by, 66)].filter((part) => part !== '').join(' '),
  ];
}

function serviceLines({ pending, moment, plan }: PlanStory): string[] {
  const { chainId } = plan.corridor.source;
  const record =
    moment.state === 'NOT_SERVED'
      ? `No process keeps a record of chain ${chainId}.`
      : `The record of chain ${chainId} is at block ${moment.readNumber ?? 'none'}, ${moment.state}.`;
  const jobs = pending.jobs.map(({ task, dueAtMs, attempts, isRunning, lastError }) => {
    const state = isRunning ? 'running' : `due ${timestampOf(dueAtMs)}`;
    const failed = lastError === undefined ? '' : `, failed ${attempts} times: ${plainLine(lastError, 160)}`;
    return `Job ${task}: ${state}${failed}`;
  });
  const waits = pending.waits.map(({ dueBlock, tries }) =>
    dueBlock === 0
      ? 'Waits until the record is at the head of the chain.'
      : `Waits for block ${dueBlock}, put off ${tries} times.`,
  );
  return [record, ...jobs, ...waits].map((line) => `  ${line}`);
}

function eventLines({ events }: PlanStory): string[] {
  const hidden = events.length - EVENTS_SHOWN;
  const rows = events
    .slice(-EVENTS_SHOWN)
    .map(({ revision, atMs, command, actor }) => [String(revision), timestampOf(atMs), command.type, actor]);
  return hidden > 0 ? ['  … earlier ones; see --json', ...table(rows)] : table(rows);
}

function moneyText(amount: string, token: `0x${string}`, chainId: number): string {
  return `${amount} units of ${eip55(token)} on chain ${chainId}`;
}
