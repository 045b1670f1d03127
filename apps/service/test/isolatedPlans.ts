import assert from 'node:assert/strict';
import type { Caller, Reply } from './paymentCalls.ts';

/** The parts of a plan that tests of isolation use. */
export type OwnPlan = {
  readonly planId: string;
  readonly stepIds: readonly string[];
  readonly reference: string;
};

/** An organisation that plays its plans. */
type Player = { readonly ask: Caller; readonly plans: readonly OwnPlan[] };

/** Plays the first plan through failures and another account to its end, and ends two others early. */
export async function playWhole(
  { ask, plans }: Player,
  plant: () => string,
  person: () => string,
  digits: () => string,
): Promise<readonly Reply[]> {
  const [{ planId, stepIds } = assert.fail()] = plans;
  const [deposit = '', swap = '', payout = ''] = stepIds;
  const play = (stepId: string, event: string) =>
    ask(`/v1/sandbox/payments/${planId}/steps/${stepId}/simulate`, { event });
  const failure = { code: 'OTHER', detail: plant() };
  const another = {
    type: 'bank',
    name: person(),
    country: 'AU',
    account: { bsb: '062-000', accountNumber: digits() },
  };
  const reports = `/v1/payments/${planId}/steps/${payout}`;
  const again = `/v1/payments/${planId}/again`;
  return [
    await ask(`/v1/payments/${planId}/recipient/reveal`, {}),
    await play(deposit, 'deposit.exact'),
    await play(swap, 'swap.done'),
    await ask(`${reports}/reports`, { outcome: 'FAILED', failure }),
    await ask(again, {}),
    await ask(`${reports}/reports`, { outcome: 'FAILED', failure, providerReference: plant() }),
    await ask(again, { recipient: another }),
    await ask(`${reports}/reports`, { outcome: 'HELD', hold: { reason: 'OTHER', needs: [plant()] } }),
    await ask(`${reports}/reports`, { outcome: 'DONE', providerReference: plant() }),
    await ask(`/v1/payments/${planId}/recipient/reveal`, {}),
    ...(await endEarly({ ask, plans }, plant)),
  ];
}

/** Refunds and ends one plan, and cancels another. */
async function endEarly(
  { ask, plans: [, refunded, cancelled] }: Player,
  plant: () => string,
): Promise<readonly Reply[]> {
  const own = `/v1/payments/${refunded?.planId}`;
  const [deposit] = refunded?.stepIds ?? [];
  const paid = await ask(`/v1/sandbox/payments/${refunded?.planId}/steps/${deposit}/simulate`, {
    event: 'deposit.exact',
  });
  const { funds } = JSON.parse(paid.text) as { funds: { received: string; asset: object }[] };
  const [{ received: amount, asset } = assert.fail()] = funds;
  const end = async (path: string, request: object) =>
    ask(`${path}/end`, request, undefined, { 'if-match': `"${(await ask(path)).body.revision}"` });
  return [
    paid,
    await ask(`${own}/again`, {}),
    await ask(`${own}/refunds`, { amount, asset, providerReference: plant() }),
    await end(own, { reason: 'REFUNDED', note: plant() }),
    await ask(`${own}/movements`),
    await end(`/v1/payments/${cancelled?.planId}`, {}),
  ];
}
