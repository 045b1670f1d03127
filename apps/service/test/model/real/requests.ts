import { setTimeout as sleep } from 'node:timers/promises';
import { type PlanAnswer, stepOf } from '../../paymentsHarness.ts';
import type { Kept } from './keptTypes.ts';
import { PATIENCE_MS } from './ground.ts';
import type { Run } from './runTypes.ts';

/** Asks one of the services. One that catches up with the chain is asked again, or another one is. */
export async function say(run: Run, path: string, body: unknown, ifMatch?: string): Promise<PlanAnswer> {
  const first = run.random.pick(run.ground.clients());
  for (let client = first, tries = 1, untilMs = performance.now() + PATIENCE_MS; ; tries += 1) {
    const answer = await client.ask(path, body, ifMatch);
    if (answer.status !== 503 || performance.now() > untilMs) return answer;
    await sleep(60);
    // Not at random: how often it is asked depends on the machine.
    const clients = run.ground.clients();
    client = clients[tries % clients.length] ?? first;
  }
}

/** Where a plan is asked to do something. */
export const pathOf = ({ plan }: Kept, action: string): string => `/v1/payments/${plan.planId}/${action}`;

/** Where a step of a plan is asked to do something. */
export const stepPath = (one: Kept, type: Parameters<typeof stepOf>[1], action: string): string =>
  pathOf(one, `steps/${stepOf(one.plan, type).stepId}/${action}`);
