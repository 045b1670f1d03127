import { SIMULATED_EVENTS } from '@fairway/wire';
import fc from 'fast-check';
import { RECIPIENT_KINDS } from '../paymentCalls.ts';
import { type Damage, damages } from '../hostileValues.ts';

/** Which of the two organisations acts. */
type Side = 0 | 1;
/** Which plan of the sequence, counted from the newest. */
type PlanChoice = number;

/** One act of a sequence, as data: what it means depends on what happened before. */
export type Act =
  | {
      readonly kind: 'CREATE';
      readonly side: Side;
      readonly payment: (typeof RECIPIENT_KINDS)[number];
      readonly options: 'PLAIN' | 'DEPOSIT_ADDRESS' | 'SENDER' | 'FLOOR';
      readonly damage: readonly Damage[];
    }
  /** Makes something happen to a step of a plan: the step that is next, or another. */
  | {
      readonly kind: 'SIMULATE';
      readonly plan: PlanChoice;
      readonly event: string;
      readonly step: number | 'NEXT';
    }
  /** Any operation on a plan; the body fits its schema. `isForeign`: the other organisation asks. */
  | {
      readonly kind: 'CALL';
      readonly plan: PlanChoice;
      readonly operation: string;
      readonly body: object | undefined;
      readonly step: number | 'NEXT';
      readonly isForeign: boolean;
      readonly damage: readonly Damage[];
    }
  /** An operation on the newest registered recipient, webhook endpoint or report of the sequence. `isForeign`: the other organisation asks. */
  | {
      readonly kind: 'KEPT';
      readonly operation: string;
      readonly body: object | undefined;
      readonly isForeign: boolean;
    }
  /** A form of the recipient's page, with the newest link of the plan. */
  | {
      readonly kind: 'FORM';
      readonly plan: PlanChoice;
      readonly form: 'open' | 'details' | 'review' | 'submit' | 'confirm';
      readonly destination: 'BANK' | 'WALLET' | 'OTHER_BANK';
      readonly code: 'RIGHT' | 'WRONG' | 'ABSENT';
      readonly damage: readonly Damage[];
    }
  /** A request that concerns no plan of the sequence. */
  | {
      readonly kind: 'ASK';
      readonly side: Side;
      readonly operation: string;
      readonly body: object | undefined;
    }
  /** Sends an earlier request of the sequence again; 0 is the newest. */
  | { readonly kind: 'REPLAY'; readonly back: number }
  /** Acts at the same time. */
  | { readonly kind: 'TOGETHER'; readonly acts: readonly Act[] };

const create = (
  payment: (typeof RECIPIENT_KINDS)[number],
  options: 'PLAIN' | 'DEPOSIT_ADDRESS' = 'PLAIN',
): Act => ({
  kind: 'CREATE',
  side: 0,
  payment,
  options,
  damage: [],
});
const simulate = (...events: string[]): Act[] =>
  events.map((event) => ({ kind: 'SIMULATE', plan: 0, event, step: 'NEXT' }));
const call = (operation: string, body?: object, step: number | 'NEXT' = 'NEXT'): Act => ({
  kind: 'CALL',
  plan: 0,
  operation,
  body,
  step,
  isForeign: false,
  damage: [],
});
const form = (
  name: Extract<Act, { kind: 'FORM' }>['form'],
  destination: Extract<Act, { kind: 'FORM' }>['destination'] = 'BANK',
): Act => ({ kind: 'FORM', plan: 0, form: name, destination, code: 'RIGHT', damage: [] });
const ofKept = (operation: string, body?: object): Act => ({
  kind: 'KEPT',
  operation,
  body,
  isForeign: false,
});
const ask = (operation: string, body?: object): Act => ({ kind: 'ASK', side: 0, operation, body });

const looks = [
  call('getPayment'),
  call('listPaymentEvents'),
  call('listMovements'),
  ask('listPayments'),
  ask('listEvents'),
];
const passMinute = ask('advanceClock', { advance: 'PT61S' });
const PAID = { outcome: 'DONE', providerReference: 'P-1' };
const END = { reason: 'OTHER' };
const ANOTHER = {
  type: 'bank',
  name: 'Other Orla',
  country: 'AU',
  account: { bsb: '062-000', accountNumber: '87654321' },
};
const OTHER_EMAIL = { type: 'email', email: 'other.orla@example.com' };
const HOOK = { url: 'http://127.0.0.1:9999/hooks', types: ['webhook_endpoint.*'] };
const REFUND = {
  providerReference: 'RF-1',
  amount: '1',
  asset: { chainId: 31337, address: `0x${'ab'.repeat(20)}` },
};
const HOLD = { reason: 'COMPLIANCE_REVIEW', needs: ['an invoice'] };
const REFUSED = { outcome: 'FAILED', failure: { code: 'ACCOUNT_NOT_FOUND' } };

/** Ways through the life of a plan that a caller takes. Together they have every operation that writes. */
export const JOURNEYS: readonly (readonly Act[])[] = [
  [create('bank'), ...looks, call('endPayment', {}), call('revealRecipient', {})],
  [
    create('wallet', 'DEPOSIT_ADDRESS'),
    ...simulate('deposit.partial'),
    call('getPayment'),
    ...simulate('deposit.exact', 'swap.done', 'payout.done'),
  ],
  [
    create('iban'),
    ...simulate('deposit.exact'),
    call('againPayment', {}),
    ...simulate('swap.reverted'),
    call('againPayment', {}),
    ...simulate('swap.done'),
    call('reportStep', REFUSED),
    call('againPayment', {}),
    call('reportStep', { outcome: 'HELD', hold: HOLD }),
    call('reportStep', PAID),
    ...simulate('payout.returned'),
    call('againPayment', {}),
    ...looks,
  ],
  [
    create('bank'),
    ...simulate('deposit.exact', 'swap.done'),
    call('reportStep', REFUSED),
    call('againPayment', { recipient: ANOTHER }),
    call('recordRefund', REFUND),
    call('endPayment', END),
  ],
  [create('bank'), call('approvePayment', { version: 1 }), call('endPayment', END), ...looks],
  [
    create('email'),
    ...simulate('deposit.exact', 'swap.done'),
    form('open'),
    form('details'),
    form('review'),
    form('submit'),
    form('confirm'),
    call('reportStep', { outcome: 'SENT' }, 2),
    call('reportStep', { outcome: 'HELD', hold: HOLD }, 2),
    call('reportStep', REFUSED, 2),
    form('open', 'WALLET'),
    form('submit', 'WALLET'),
    form('confirm', 'WALLET'),
    ...simulate('payout.done'),
    call('revealRecipient', {}),
  ],
  [
    create('email'),
    ...simulate('deposit.exact', 'swap.done'),
    form('open'),
    ask('listCollectRequests'),
    passMinute,
    call('againPayment', {}),
    passMinute,
    call('againPayment', { recipient: OTHER_EMAIL }),
    call('getCollectRequest'),
    call('endPayment', END),
  ],
  [create('emoney', 'DEPOSIT_ADDRESS'), ...simulate('deposit.late'), ...looks],
  [
    ask('validateRecipient', { recipient: ANOTHER }),
    ask('createWebhookEndpoint', HOOK),
    ofKept('changeWebhookEndpoint', { types: ['*'], headers: { a: 'b' } }),
    ofKept('rotateWebhookSecret', { overlap: 'PT1H' }),
    ofKept('enableWebhookEndpoint'),
    ofKept('testWebhookEndpoint'),
    ofKept('listWebhookDeliveries'),
    ofKept('resendWebhookDelivery'),
    ofKept('resendEvent', {}),
    ofKept('recoverWebhookEndpoint', { since: '2026-01-01T00:00:00Z', only: 'ALL' }),
    ofKept('getWebhookEndpoint'),
    ofKept('deleteWebhookEndpoint'),
  ],
  [
    ask('createRecipient', { recipient: ANOTHER, label: 'Rent' }),
    ask('listRecipients'),
    ofKept('getRecipient'),
    ofKept('changeRecipient', { label: 'Office', recipient: { ...ANOTHER, name: 'Orla Other' } }),
    ofKept('verifyRecipient', {
      provider: 'Check',
      result: 'MATCH',
      checkedAt: '2026-01-01T00:00:00Z',
      reference: 'V-1',
    }),
    ofKept('approveRecipient', { version: 2 }),
    ofKept('rejectRecipient', { version: 2 }),
    ofKept('listRecipientVersions'),
    ofKept('revealRegisteredRecipient', {}),
    ofKept('deactivateRecipient', {}),
    ofKept('eraseRecipient', {}),
    ofKept('revealRegisteredRecipient', {}),
  ],
  [
    ask('createReport', {
      type: 'movements',
      format: 'csv',
      from: '2026-01-01T00:00:00Z',
      to: '2026-02-01T00:00:00Z',
    }),
    ask('listReports'),
    ofKept('getReport'),
  ],
  [
    ofKept('getStatement'),
    ofKept('listStatementEntries'),
    ofKept('getEntry'),
    ofKept('matchEntry', { allocations: [{ movementId: `mov_${'0'.repeat(40)}`, amount: '1' }] }),
    ofKept('ignoreEntry', { reason: 'fee' }),
    ofKept('unmatchEntry', {}),
    ofKept('listStatementDifferences'),
    ask('listStatements'),
    ofKept('keepStatementMap', {
      ...{ account: 'AU1', currency: 'AUD' },
      columns: { bookedOn: 'Day', amount: 'Amount' },
    }),
    ofKept('getStatementMap'),
    ask('listStatementMaps'),
  ],
  [
    ask('useFaucet', { address: `0x${'ab'.repeat(20)}`, native: true, amount: '1' }),
    ask('planSwap'),
    ask('getQuote'),
    ask('getMailbox'),
  ],
];

const side = fc.constantFrom<Side[]>(0, 1);
const planChoice = fc.nat(2);
const step = fc.oneof(fc.constant('NEXT' as const), fc.nat(3));
const few = fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: damages });

/** Generates single acts. `bodyOf`: bodies of an operation by its schema. */
export function actsOf(
  ofPlans: readonly string[],
  ofKeptOnes: readonly string[],
  others: readonly string[],
  bodyOf: (operation: string) => fc.Arbitrary<object | undefined>,
): fc.Arbitrary<Act> {
  const withBody = (operations: readonly string[]) =>
    fc.constantFrom(...operations).chain((operation) => fc.tuple(fc.constant(operation), bodyOf(operation)));
  const single: fc.Arbitrary<Act> = fc.oneof(
    fc.record({
      kind: fc.constant('CREATE' as const),
      side,
      payment: fc.constantFrom(...RECIPIENT_KINDS),
      options: fc.constantFrom(
        'PLAIN' as const,
        'DEPOSIT_ADDRESS' as const,
        'SENDER' as const,
        'FLOOR' as const,
      ),
      damage: few,
    }),
    fc.record({
      kind: fc.constant('SIMULATE' as const),
      plan: planChoice,
      event: fc.constantFrom(...SIMULATED_EVENTS),
      step,
    }),
    fc.tuple(withBody(ofPlans), planChoice, step, fc.boolean(), few).map(
      ([[operation, body], plan, at, isForeign, damage]): Act => ({
        kind: 'CALL',
        operation,
        body,
        plan,
        step: at,
        isForeign,
        damage,
      }),
    ),
    fc.record({
      kind: fc.constant('FORM' as const),
      plan: planChoice,
      form: fc.constantFrom(
        'open' as const,
        'details' as const,
        'review' as const,
        'submit' as const,
        'confirm' as const,
      ),
      destination: fc.constantFrom('BANK' as const, 'WALLET' as const, 'OTHER_BANK' as const),
      code: fc.constantFrom('RIGHT' as const, 'WRONG' as const, 'ABSENT' as const),
      damage: few,
    }),
    fc
      .tuple(withBody(others), side)
      .map(([[operation, body], who]): Act => ({ kind: 'ASK', side: who, operation, body })),
    fc
      .tuple(withBody(ofKeptOnes), fc.boolean())
      .map(([[operation, body], isForeign]): Act => ({ kind: 'KEPT', operation, body, isForeign })),
    fc.record({ kind: fc.constant('REPLAY' as const), back: fc.nat(4) }),
  );
  const together = fc
    .array(single, { minLength: 2, maxLength: 3 })
    .map((acts): Act => ({ kind: 'TOGETHER', acts }));
  return fc.oneof({ weight: 5, arbitrary: single }, { weight: 1, arbitrary: together });
}

/**
 * Generates sequences: a journey with other acts in between. A plan whose money has moved cannot be cancelled and is
 * watched while it is open. So such a journey is played to its end.
 */
export function sequencesOf(act: fc.Arbitrary<Act>): fc.Arbitrary<readonly Act[]> {
  const inserts = fc.array(fc.tuple(fc.nat(14), act), { maxLength: 6 });
  // When the clock moves, the jobs of all open plans run: only whole journeys at the start of a round move it.
  const journeys = JOURNEYS.map((acts) => acts.filter((each) => !isClock(each)));
  const beginnings = journeys.map((acts) => {
    const first = acts.findIndex(({ kind }) => kind === 'SIMULATE');
    return first < 0 ? acts : acts.slice(0, first);
  });
  // The chain takes most of the time.
  const journey = fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...journeys) },
    { weight: 3, arbitrary: fc.constantFrom(...beginnings) },
  );
  return fc.tuple(journey, inserts).map(([acts, added]) => {
    const sequence: Act[] = [...acts];
    for (const [place, other] of added) sequence.splice(place, 0, other);
    return sequence;
  });
}

function isClock(act: Act): boolean {
  return act.kind === 'ASK' && act.operation === 'advanceClock';
}
