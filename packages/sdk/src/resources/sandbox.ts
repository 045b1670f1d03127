import { bodyOf, type CallOptions, type Connection } from '../connection/connection.ts';
import type { components } from '../generated/schema.ts';
import type { PaymentPlan } from './payments.ts';

type Schemas = components['schemas'];
/** The chain of a sandbox, with accounts to play with. */
export type SandboxFacts = Schemas['Sandbox'];

/** What a sandbox alone has. */
export type Sandbox = {
  get(options?: CallOptions): Promise<SandboxFacts>;
  faucet(request: Schemas['FaucetRequest'], options?: CallOptions): Promise<Schemas['FaucetAnswer']>;
  /** Plays the payer, the wallet, the custodian or the e-mailed recipient of a step. */
  simulate(
    planId: string,
    stepId: string,
    request: Schemas['SimulateRequest'],
    options?: CallOptions,
  ): Promise<PaymentPlan>;
  advanceClock(request: Schemas['ClockRequest'], options?: CallOptions): Promise<Schemas['ClockAnswer']>;
  /** The e-mails that were caught, newest first, with their links and codes. */
  mailbox(options?: CallOptions): Promise<Schemas['Mailbox']>;
};

/** The sandbox behind a service. */
export function createSandbox({ api, sending }: Connection): Sandbox {
  return {
    get: (options) => bodyOf(api.GET('/v1/sandbox', sending(options))),
    faucet: (body, options) => bodyOf(api.POST('/v1/sandbox/faucet', { body, ...sending(options) })),
    simulate(planId, stepId, body, options) {
      const path = '/v1/sandbox/payments/{planId}/steps/{stepId}/simulate';
      return bodyOf(api.POST(path, { body, params: { path: { planId, stepId } }, ...sending(options) }));
    },
    advanceClock: (body, options) => bodyOf(api.POST('/v1/sandbox/clock', { body, ...sending(options) })),
    mailbox: (options) => bodyOf(api.GET('/v1/sandbox/mailbox', sending(options))),
  };
}
