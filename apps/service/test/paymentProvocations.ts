import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentPlan, Sandbox } from '@fairway/wire';
import { postOf } from './harness.ts';
import type { Ask, Provocation, Provocations, Reply } from './provocation.ts';
import { statementProvocations } from './statementProvocations.ts';

let references = 0;
/** A hash that is no transaction's. */
const noTransaction = `0x${'ab'.repeat(32)}`;
const watched = { mode: 'STANDARD', depositAddress: `0x${'de'.repeat(20)}` };

/** A valid payment to a bank, with members replaced. */
function bankPayment(changes: object = {}): object {
  return {
    clientReference: `INV-${(references += 1)}`,
    corridorId: 'usdc-aud-bank',
    amountIn: '100000000',
    recipient: {
      type: 'bank',
      name: 'Jo Citizen',
      country: 'AU',
      account: { bsb: '062-000', accountNumber: '12345678' },
    },
    options: { mode: 'STANDARD' },
    ...changes,
  };
}

/** The path of a new registered recipient. */
async function ownRecipient(ask: Ask): Promise<string> {
  const { recipient } = bankPayment() as { recipient: object };
  const { text } = await ask('/v1/recipients', postOf({ recipient }));
  return `/v1/recipients/${(JSON.parse(text) as { recipientId: string }).recipientId}`;
}

/** SQL that inserts a plan with the reference in a transaction and leaves it open. */
const twin = (clientReference: string) => `BEGIN; INSERT INTO plans SELECT (jsonb_populate_record(p,
  '{"plan_id":"plan_twin","client_reference":"${clientReference}","end_to_end_id":"twin","deposit_address":null}')).*
  FROM plans p LIMIT 1`;

/** SQL after which the server ends every connection that commits an event of a plan. */
const CUT_AT_COMMIT = `CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(5); RETURN NULL; END $$;
  CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON plan_events DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION cut()`;

/** The requests that provoke problems of payments. */
function requestsOf(ask: Ask) {
  const pay = (changes?: object) => ask('/v1/payments', postOf(bankPayment(changes)));
  return {
    ask,
    pay,
    made: async (changes?: object) => JSON.parse((await pay(changes)).text) as PaymentPlan,
    act: (plan: PaymentPlan, step: number, action: string, body: object = {}) =>
      ask(`/v1/payments/${plan.planId}/steps/${plan.steps[step]?.stepId}/${action}`, postOf(body)),
    again: ({ planId }: PaymentPlan, body: object = {}) => ask(`/v1/payments/${planId}/again`, postOf(body)),
    end: ({ planId }: PaymentPlan, revision: number, body: object = {}) =>
      ask(`/v1/payments/${planId}/end`, postOf(body, { 'if-match': `"${revision}"` })),
  };
}

type Requests = ReturnType<typeof requestsOf>;
/** Changes the database with `sql`, asks, and changes it back with `undo`. */
type WhileDone = (sql: string, question: () => Promise<Reply>, undo: string) => Promise<Reply>;

/** A sentence that says what to do, or names who does: "errors" with its sentences, a list to look at. */
const REMEDY =
  /^\S+ .*\b(ask|change|close|correct|give|keep|leave|let|lists?|look|make|must|names?|read|report|say|send|try|use|wait)\b.*\.$/i;

/** A way to provoke each problem of payments on a sandbox. Each answer says what to do. */
export function paymentProvocations(ask: Ask, whileDone: WhileDone): readonly Provocations[] {
  const requests = requestsOf(ask);
  const tables: readonly Provocations[] = [
    unfitPayments(requests),
    unfitRecipients(requests),
    erasures(requests),
    webhookEndpoints(requests),
    approvals(requests, whileDone),
    conflicts(requests, whileDone),
    reports(requests),
    plansAndSteps(requests),
    moneyUnderWay(requests),
    statementProvocations(ask),
  ];
  const toldWhat = (provocation: Provocation) => ({ detail: REMEDY, ...provocation });
  return tables.map((table) =>
    Object.fromEntries(Object.entries(table).map(([code, each]) => [code, each.map(toldWhat)])),
  );
}

function unfitRecipients({ ask, pay }: Requests): Provocations {
  return {
    'recipient-invalid': [
      {
        when: 'two members are wrong and one is missing',
        ask: () =>
          pay({
            recipient: { type: 'bank', country: 'DE', account: { bsb: '06200', accountNumber: '12345678' } },
          }),
        pointers: ['/recipient/account/bsb', '/recipient/country', '/recipient/name'],
      },
      {
        when: 'the wallet is the contract of a token',
        ask: async () => {
          const { tokens } = JSON.parse((await ask('/v1/sandbox')).text) as Pick<Sandbox, 'tokens'>;
          const recipient = { type: 'wallet', chainId: 31_337, address: tokens[0]?.address };
          return pay({ corridorId: 'usdc-wallet', recipient });
        },
        pointers: ['/recipient/address'],
      },
      {
        when: 'no registered recipient has the id',
        ask: () => pay({ recipient: { type: 'saved', recipientId: `rcp_${'0'.repeat(32)}` } }),
        pointers: ['/recipient/recipientId'],
      },
      {
        when: 'the registered recipient was deactivated',
        ask: async () => {
          const own = await ownRecipient(ask);
          await ask(own, { method: 'DELETE' });
          return pay({ recipient: { type: 'saved', recipientId: own.split('/').at(-1) } });
        },
        pointers: ['/recipient/recipientId'],
      },
      {
        when: 'new details of a recipient are of another type',
        ask: async () => {
          const recipient = { type: 'email', email: 'jo@example.com' };
          return ask(await ownRecipient(ask), { ...postOf({ recipient }), method: 'PATCH' });
        },
        pointers: ['/recipient/type'],
      },
    ],
    'recipient-not-active': [
      {
        when: 'a recipient that was deactivated is changed',
        ask: async () => {
          const own = await ownRecipient(ask);
          await ask(own, { method: 'DELETE' });
          return ask(own, { ...postOf({ label: 'Back' }), method: 'PATCH' });
        },
      },
    ],
  };
}

/** The problems of recipients that are erased. */
function erasures({ ask }: Requests): Provocations {
  return {
    'recipient-not-erasable': [
      {
        when: 'a recipient is erased that is in use',
        ask: async () => ask(`${await ownRecipient(ask)}/erase`, postOf({})),
      },
    ],
    'details-erased': [
      {
        when: 'the details of an erased recipient are asked for',
        ask: async () => {
          const own = await ownRecipient(ask);
          await ask(own, { method: 'DELETE' });
          await ask(`${own}/erase`, postOf({}));
          return ask(`${own}/reveal`, postOf({}));
        },
      },
    ],
  };
}

function webhookEndpoints({ ask }: Requests): Provocations {
  return {
    'too-many-webhook-endpoints': [
      {
        when: 'there are 20 endpoints already',
        ask: async () => {
          const made = () => ask('/v1/webhook_endpoints', postOf({ url: 'http://127.0.0.1:9999/' }));
          for (let count = 0; count < 20; count += 1) await made();
          return made();
        },
      },
    ],
    'webhook-endpoint-disabled': [
      {
        when: 'an endpoint whose receiver wants nothing more is tried',
        ask: async () => {
          const receiver = createServer((_, response) => response.writeHead(410).end());
          await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
          const { port } = receiver.address() as AddressInfo;
          const endpoints = '/v1/webhook_endpoints';
          const listed = JSON.parse((await ask(endpoints)).text) as { data: { endpointId: string }[] };
          for (const { endpointId } of listed.data)
            await ask(`${endpoints}/${endpointId}`, { method: 'DELETE' });
          const made = await ask(endpoints, postOf({ url: `http://127.0.0.1:${port}/` }));
          const path = `${endpoints}/${(JSON.parse(made.text) as { endpointId: string }).endpointId}`;
          const tried = () => ask(`${path}/test`, postOf({}));
          let answer = await tried();
          for (let tries = 0; tries < 500 && answer.status === 200; tries += 1) {
            await sleep(20);
            answer = await tried();
          }
          receiver.close();
          receiver.closeAllConnections();
          return answer;
        },
      },
    ],
  };
}

function unfitPayments({ ask, pay, made, act, end }: Requests): Provocations {
  return {
    'unknown-corridor': [
      {
        when: 'a payment names a corridor that does not exist',
        ask: () => pay({ corridorId: 'usd-aud' }),
        pointers: ['/corridorId'],
      },
    ],
    'mode-not-supported': [
      {
        when: 'a corridor to banks is asked for DIGITAL_COLLECT',
        ask: () => pay({ options: { mode: 'DIGITAL_COLLECT' } }),
        pointers: ['/options/mode'],
      },
    ],
    'amount-out-of-range': [
      {
        when: 'the amount is less than the corridor takes',
        ask: () => pay({ amountIn: '999999' }),
        pointers: ['/amountIn'],
        detail: /from 1000000 to 100000000000 for corridor usdc-aud-bank/,
      },
    ],
    'validation-failed': [
      {
        when: 'a payment is wrong at several depths',
        ask: () =>
          pay({
            amountIn: 5,
            note: 'x',
            metadata: { a: 1 },
            options: { mode: 'STANDARD', slipage: 5, collect: {} },
          }),
        pointers: ['/note', '/amountIn', '/metadata/a', '/options/slipage', '/options/collect'],
      },
      {
        when: 'a list of plans has a time filter that ends before it begins',
        ask: () =>
          ask('/v1/payments?createdFrom=2026-03-02T00:00:00Z&createdTo=2026-03-01T00:00:00Z&limit=101'),
        pointers: ['/query/createdTo', '/query/limit'],
      },
      {
        when: 'a plan is ended by somebody who does not say which revision they have seen',
        ask: async () => ask(`/v1/payments/${(await made()).planId}/end`, postOf({})),
        pointers: ['/headers/If-Match'],
      },
      {
        when: 'a plan whose deposit has come is ended without a reason',
        ask: async () => {
          const plan = await made();
          const reported = await act(plan, 0, 'reports', { outcome: 'DONE' });
          return end(plan, (JSON.parse(reported.text) as PaymentPlan).revision);
        },
        pointers: ['/reason'],
      },
    ],
  };
}

/** A sandbox asks nobody to approve; so that a recipient waits is written into its database. */
function approvals({ ask, pay, made, act, again }: Requests, whileDone: WhileDone): Provocations {
  const waiting = (question: (own: string) => Promise<Reply>) => async () => {
    const own = await ownRecipient(ask);
    const status = (word: string) =>
      `UPDATE registered_recipients SET status = '${word}' WHERE recipient_id = '${own.split('/').at(-1)}'`;
    return whileDone(status('PENDING_APPROVAL'), () => question(own), status('ACTIVE'));
  };
  return {
    'recipient-not-approved': [
      {
        when: 'the registered recipient waits for approval',
        ask: waiting((own) => pay({ recipient: { type: 'saved', recipientId: own.split('/').at(-1) } })),
        pointers: ['/recipient/recipientId'],
      },
    ],
    'own-approval': [
      {
        when: 'who has made the payment approves it',
        ask: async () => {
          const { planId } = await made({ corridorId: 'usdc-aud-approval' });
          return ask(`/v1/payments/${planId}/approve`, postOf({ version: 1 }));
        },
      },
      {
        when: 'who has set the details approves them',
        ask: waiting((own) => ask(`${own}/approve`, postOf({ version: 1 }))),
      },
    ],
    'approval-required': [
      {
        when: 'instructions are asked for before a second person has approved the payment',
        ask: async () => {
          const plan = await made({ corridorId: 'usdc-aud-approval' });
          await act(plan, 0, 'reports', { outcome: 'DONE' });
          return again(plan);
        },
      },
    ],
    'approval-not-due': [
      {
        when: 'the payment needs no approval',
        ask: async () => ask(`/v1/payments/${(await made()).planId}/approve`, postOf({ version: 1 })),
      },
      {
        when: 'the recipient does not wait for approval',
        ask: async () => ask(`${await ownRecipient(ask)}/approve`, postOf({ version: 1 })),
      },
    ],
  };
}

function conflicts({ ask, pay, made }: Requests, whileDone: WhileDone): Provocations {
  return {
    'client-reference-reused': [
      {
        when: 'a request has the reference of another request and a different amount',
        ask: async () => {
          const { clientReference } = await made();
          return pay({ clientReference, amountIn: '100000001' });
        },
        pointers: ['/clientReference'],
      },
    ],
    'request-in-progress': [
      {
        when: 'the first request with the reference is still being handled',
        ask: async () => {
          await made();
          return whileDone(twin('INV-twin'), () => pay({ clientReference: 'INV-twin' }), 'ROLLBACK');
        },
        headers: { 'retry-after': /^[1-9]\d*$/ },
      },
    ],
    'deposit-address-in-use': [
      {
        when: 'an open plan waits for a deposit at the address',
        ask: async () => {
          await made({ options: watched });
          return pay({ options: watched });
        },
        pointers: ['/options/depositAddress'],
      },
      {
        when: 'a plan without a deposit address names that of an open plan as sender',
        ask: async () => {
          const depositAddress = `0x${'df'.repeat(20)}`;
          await made({ options: { mode: 'STANDARD', depositAddress } });
          return pay({ options: { mode: 'STANDARD', sender: depositAddress } });
        },
        pointers: ['/options/sender'],
      },
    ],
    'outcome-unknown': [
      {
        when: 'the database ends the connection while it commits the plan',
        ask: async () =>
          whileDone(CUT_AT_COMMIT, () => pay(), 'DROP TRIGGER cut ON plan_events; DROP FUNCTION cut()'),
        headers: { 'retry-after': /^[1-9]\d*$/ },
      },
    ],
    'upstream-unavailable': [
      {
        when: 'the plans cannot be read in time',
        ask: async () => whileDone('BEGIN; LOCK TABLE plans', () => ask('/v1/payments'), 'ROLLBACK'),
        headers: { 'retry-after': /^[1-9]\d*$/ },
      },
    ],
  };
}

/** Asks for a report. */
function report(ask: Ask, changes: object): Promise<Reply> {
  const period = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' };
  return ask('/v1/reports', postOf({ type: 'movements', format: 'csv', ...period, ...changes }));
}

function reports({ ask, made }: Requests): Provocations {
  return {
    'format-not-supported': [
      {
        when: 'a statement is asked for without the corridor whose payouts it is to have',
        ask: () => report(ask, { format: 'camt.053' }),
      },
    ],
    'report-not-ready': [
      {
        when: 'the file of a report is asked for while it is made',
        ask: async () => {
          // The report waits for some seconds after the end of its period, which is now.
          const { text } = await report(ask, { to: (await made()).createdAt });
          return ask(`/v1/reports/${(JSON.parse(text) as { reportId: string }).reportId}/download`);
        },
      },
    ],
  };
}

function plansAndSteps({ ask, made, act, again, end }: Requests): Provocations {
  return {
    'step-not-ready': [
      {
        when: 'instructions are asked for before the deposit',
        ask: async () => again(await made()),
        detail: /AWAIT_DEPOSIT/,
      },
      {
        when: 'a payout is reported before the swap',
        ask: async () => act(await made(), 2, 'reports', { outcome: 'DONE', providerReference: 'P-1' }),
      },
    ],
    'revision-mismatch': [
      {
        when: 'If-Match names another revision than the plan has',
        ask: async () => end(await made(), 7),
        detail: /at revision 1/,
      },
    ],
    'evidence-mismatch': [
      {
        when: 'the transaction is not on the chain',
        ask: async () => act(await made(), 0, 'reports', { outcome: 'DONE', txHash: noTransaction }),
        detail: /has no transaction 0x(ab){32}/,
      },
    ],
    'cursor-expired': [
      { when: 'no event has the id', ask: () => ask(`/v1/events?after=evt_${'0'.repeat(32)}`) },
    ],
    'not-found': [
      { when: 'there is no such plan', ask: () => ask(`/v1/payments/plan_${'0'.repeat(32)}`) },
      {
        when: 'the plan has no such step',
        ask: async () =>
          ask(`/v1/payments/${(await made()).planId}/steps/step_0/reports`, postOf({ outcome: 'DONE' })),
      },
    ],
  };
}

function moneyUnderWay({ made, act, again }: Requests): Provocations {
  return {
    'execution-in-flight': [
      {
        when: 'instructions are asked for beside a transaction that was submitted',
        ask: async () => {
          const reported = await act(await made(), 0, 'reports', { outcome: 'DONE' });
          const plan = JSON.parse(reported.text) as PaymentPlan;
          const attemptId = plan.next?.attemptId;
          await act(plan, 1, 'reports', { outcome: 'SUBMITTED', attemptId, txHash: noTransaction });
          return again(plan);
        },
        detail: /0x(ab){32} was submitted/,
        headers: { 'retry-after': /^\d+$/ },
      },
    ],
  };
}
