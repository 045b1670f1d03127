import { bodyOf, type CallOptions, type Connection } from '../connection/connection.ts';
import { from, type List, listOf } from '../connection/lists.ts';
import { type ChangeOptions, onlyAt, type QueryOf } from '../connection/parameters.ts';
import { sleep } from '../connection/waiting.ts';
import type { components } from '../generated/schema.ts';
import { type CollectRequests, createCollectRequests } from './collectRequests.ts';

type Schemas = components['schemas'];
/** A payment to plan. */
export type PaymentRequest = Schemas['PaymentRequest'];
/** A plan, from the deposit to the recipient. */
export type PaymentPlan = Schemas['PaymentPlan'];
/** An entry of a plan's history. */
export type PaymentEvent = Schemas['PaymentEvent'];
/** A movement of a plan's money. */
export type Movement = Schemas['Movement'];
/** What became of a step. */
export type StepReport = Schemas['StepReport'];
/** The full details of who is paid. */
export type RevealedRecipient = Schemas['RevealedRecipient'];

/** What an answer shows beside the plan itself. */
export type Expansion = 'executions' | 'rounds' | 'custody';
/** How a plan is read. */
export type PlanOptions = CallOptions & { readonly expand?: readonly Expansion[] | undefined };
/** How a plan is changed. */
export type PlanChange = PlanOptions & ChangeOptions;
/** How a plan is followed. */
export type FollowOptions = PlanOptions & {
  /** How long to wait between two readings; 2 s where absent. */
  readonly everyMs?: number | undefined;
};

/** The steps of plans. */
export type Steps = {
  report(planId: string, stepId: string, report: StepReport, options?: PlanChange): Promise<PaymentPlan>;
};

/** Payment plans. */
export type Payments = {
  /** Makes a plan. The same request with the same `clientReference` gives the same plan, so that it may be repeated. */
  create(request: PaymentRequest, options?: PlanOptions): Promise<PaymentPlan>;
  get(planId: string, options?: PlanOptions): Promise<PaymentPlan>;
  list(query?: QueryOf<'listPayments'>, options?: CallOptions): List<PaymentPlan>;
  /** The plan now, then whenever it has changed, until nothing more is to come. */
  follow(planId: string, options?: FollowOptions): AsyncIterableIterator<PaymentPlan>;
  history(planId: string, query?: QueryOf<'listPaymentEvents'>, options?: CallOptions): List<PaymentEvent>;
  movements(planId: string, query?: QueryOf<'listMovements'>, options?: CallOptions): List<Movement>;
  approve(
    planId: string,
    request: Schemas['PaymentApprovalRequest'],
    options?: PlanChange,
  ): Promise<PaymentPlan>;
  again(planId: string, request?: Schemas['AgainRequest'], options?: PlanChange): Promise<PaymentPlan>;
  refund(planId: string, report: Schemas['RefundReport'], options?: PlanChange): Promise<PaymentPlan>;
  /** Ends a plan as it was at a revision that you have looked at. */
  end(
    planId: string,
    request: Schemas['EndRequest'],
    options: PlanChange & { readonly ifRevision: number },
  ): Promise<PaymentPlan>;
  reveal(planId: string, options?: ChangeOptions): Promise<RevealedRecipient>;
  readonly steps: Steps;
  readonly collectRequests: CollectRequests;
};

const FOLLOW_MS = 2_000;

/** The payments of a service. */
export function createPayments(connection: Connection): Payments {
  const { api, sending } = connection;
  const get = (planId: string, options: PlanOptions = {}) =>
    bodyOf(
      api.GET('/v1/payments/{planId}', {
        params: { path: { planId }, query: shown(options) },
        ...sending(options),
      }),
    );
  async function* follow(planId: string, options: FollowOptions = {}): AsyncGenerator<PaymentPlan> {
    for (let revision = 0; ; ) {
      const plan = await get(planId, options);
      if (plan.revision !== revision) yield plan;
      if (plan.next === undefined) return;
      revision = plan.revision;
      await sleep(options.everyMs ?? FOLLOW_MS, options.signal);
    }
  }
  return {
    create: (body, options = {}) =>
      bodyOf(
        api.POST('/v1/payments', {
          body,
          params: { query: shown(options) },
          ...sending(options, body.clientReference),
        }),
      ),
    get,
    list: (query = {}, options) =>
      listOf((cursor) =>
        bodyOf(api.GET('/v1/payments', { params: { query: from(query, cursor) }, ...sending(options) })),
      ),
    follow,
    ...createReading(connection),
    ...createChanges(connection),
    collectRequests: createCollectRequests(connection),
  };
}

/** What belongs to a plan. */
function createReading({ api, sending }: Connection): Pick<Payments, 'history' | 'movements'> {
  return {
    history: (planId, query = {}, options) =>
      listOf((cursor) => {
        const params = { path: { planId }, query: from(query, cursor) };
        return bodyOf(api.GET('/v1/payments/{planId}/events', { params, ...sending(options) }));
      }),
    movements: (planId, query = {}, options) =>
      listOf((cursor) => {
        const params = { path: { planId }, query: from(query, cursor) };
        return bodyOf(api.GET('/v1/payments/{planId}/movements', { params, ...sending(options) }));
      }),
  };
}

/** What changes a plan. */
function createChanges({
  api,
  sending,
}: Connection): Pick<Payments, 'approve' | 'again' | 'refund' | 'end' | 'reveal' | 'steps'> {
  const sent = (planId: string, options: PlanChange = {}) => ({
    params: { path: { planId }, query: shown(options), ...onlyAt(options) },
    ...sending(options),
  });
  return {
    approve: (planId, body, options) =>
      bodyOf(api.POST('/v1/payments/{planId}/approve', { body, ...sent(planId, options) })),
    again: (planId, body = {}, options) =>
      bodyOf(api.POST('/v1/payments/{planId}/again', { body, ...sent(planId, options) })),
    refund: (planId, body, options) =>
      bodyOf(api.POST('/v1/payments/{planId}/refunds', { body, ...sent(planId, options) })),
    end(planId, body, options) {
      const header = { 'If-Match': `"${options.ifRevision}"` };
      const params = { path: { planId }, query: shown(options), header };
      return bodyOf(api.POST('/v1/payments/{planId}/end', { body, params, ...sending(options) }));
    },
    reveal: (planId, options = {}) =>
      bodyOf(
        api.POST('/v1/payments/{planId}/recipient/reveal', {
          params: { path: { planId }, ...onlyAt(options) },
          ...sending(options),
        }),
      ),
    steps: {
      report(planId, stepId, body, options = {}) {
        const params = { path: { planId, stepId }, query: shown(options), ...onlyAt(options) };
        const path = '/v1/payments/{planId}/steps/{stepId}/reports';
        return bodyOf(api.POST(path, { body, params, ...sending(options) }));
      },
    },
  };
}

function shown({ expand = [] }: PlanOptions): { expand?: string } {
  return expand.length === 0 ? {} : { expand: expand.join(',') };
}
