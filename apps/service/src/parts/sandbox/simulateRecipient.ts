import { collectStep, type Plan, type PlanCommand } from '@fairway/plan';
import type { SimulatedEvent } from '@fairway/wire';
import { setTimeout as sleep } from 'node:timers/promises';
import { done, invalidFields, type Outcome, refuse } from '@fairway/api';
import { playSubmission } from '../collect/index.ts';
import { CHAIN_AWAY, type GivenRecipient, recipientOf } from '../payments/index.ts';
import type { RecipientScene } from './stage.ts';

/** An event of the recipient who chooses. */
export type RecipientEvent = Extract<SimulatedEvent, `collect.${string}`>;

/** How often it is looked whether the link's e-mail has arrived, and how long between. */
const [MOST_LOOKS, LOOK_MS] = [100, 50];

/** Simulates the recipient of a link. `destination`: what collect.submitted chooses. */
export async function playRecipient(
  event: RecipientEvent,
  scene: RecipientScene,
  destination: GivenRecipient | undefined,
): Promise<Outcome<Plan>> {
  if ((event === 'collect.submitted') !== (destination !== undefined)) {
    const detail = 'destination goes with event collect.submitted: give both or neither.';
    return refuse(invalidFields([{ pointer: '/destination', detail }]));
  }
  const link = collectStep(scene.plan)?.link;
  if (link === undefined) {
    const detail = `event ${event} needs a link, which the service makes when the swap is DONE.`;
    return refuse({ code: 'step-not-ready', detail });
  }
  if (event === 'collect.expired') return recorded(scene, { type: 'TIME_PASSED' }, link.expiresAtMs);
  if (destination !== undefined) {
    const tokens = await mailedTokens(scene);
    const submitted = await playSubmission(scene.parts, scene.plan.planId, tokens, destination);
    if (!submitted.ok) return submitted;
  }
  const stepId = collectStep(scene.plan)?.stepId;
  if (stepId === undefined) throw new Error('The plan has no SEND_DIGITAL_COLLECT step.');
  return recorded(scene, { type: 'LINK_OPENED', stepId, version: link.version });
}

/** The plan after something that the recipient or time did; as it stands where that comes too late. */
async function recorded(
  { parts, acting, plan }: RecipientScene,
  command: PlanCommand,
  leastMs = 0,
): Promise<Outcome<Plan>> {
  const context = { actor: 'recipient', atMs: Math.max(parts.nowMs(), leastMs) };
  const changed = await parts.store.payments.changePlan(acting.scope, plan.planId, command, context);
  if (changed.ok) return done(changed.plan);
  const { plan: now } = await parts.store.payments.loadPlan(acting.scope, plan.planId);
  return now === undefined ? refuse(CHAIN_AWAY) : done(now);
}

/** The tokens of the links that were e-mailed to the recipient, newest first. It waits for the first e-mail. */
async function mailedTokens({ parts, sandbox, acting, plan }: RecipientScene): Promise<readonly string[]> {
  const addressed = await recipientOf(parts, acting.scope, plan.planId);
  if (!addressed.ok) return [];
  const { email } = addressed.recipient;
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const { plan: now } = await parts.store.payments.loadPlan(acting.scope, plan.planId);
    const links = sandbox.mailbox().flatMap((mail) => (mail.to === email ? mail.links : []));
    const tokens = links.flatMap((link) => /\/collect#([\w-]{43})$/.exec(link)?.[1] ?? []);
    if (now === undefined || collectStep(now)?.link?.mail !== 'QUEUED') return tokens;
    await sleep(LOOK_MS);
  }
  return [];
}
