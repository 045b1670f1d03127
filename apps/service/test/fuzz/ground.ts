import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentPlan } from '@fairway/wire';
import { tokenIn } from '../collectCalls.ts';
import { basic } from '../harness.ts';
import {
  type AskedPayment,
  callerOf,
  type Caller,
  type Login,
  payment,
  RECIPIENT_KINDS,
} from '../paymentCalls.ts';
import { type Description, type Document, readDescription } from './described.ts';
import { camtOf } from '../statementsHarness.ts';
import type { FuzzedService } from './serviceProcess.ts';

/** An organisation of the fuzzer. */
export type Organisation = {
  readonly name: string;
  /** A word in every text that this organisation plants, and in no text of another. */
  readonly marker: string;
  readonly authorization: string;
  readonly ask: Caller;
};

/** A statement that was imported, and its entries. */
export type ImportedFile = { readonly statementId: string; readonly entryIds: readonly string[] };

/** What the organisations own at the start of a round: the values that matter to a request. */
export type Property = {
  readonly organisation: Organisation;
  readonly plans: readonly PaymentPlan[];
  readonly recipientIds: readonly string[];
  readonly endpointIds: readonly string[];
  readonly reportId: string;
  readonly statement: ImportedFile;
  readonly cursors: readonly string[];
  readonly txHashes: readonly string[];
  /** The token of a link that works. */
  readonly linkToken: string;
};

/** Everything that requests are generated from. It has the same shape in every run, so that a seed repeats a case. */
export type Ground = {
  readonly description: Description;
  /** Two organisations that only ask, and what they own. */
  readonly readers: readonly [Property, Property];
  /** Two organisations that sequences act for. */
  readonly actors: readonly [Organisation, Organisation];
  /** What the first of those has imported. Files of an organisation are taken one at a time, so that sequences beside each other share it. */
  readonly actorStatement: ImportedFile;
  /** A credential of the first organisation that may only read markets. */
  readonly marketsOnly: string;
  readonly tokens: readonly string[];
  readonly corridorIds: readonly string[];
  readonly chainId: number;
  readonly entityTags: readonly string[];
};

/** The organisations and their credentials, made once. */
export type Cast = Pick<Ground, 'description' | 'actors' | 'marketsOnly'> & {
  readonly readers: readonly [Organisation, Organisation];
};

const NAMES = ['Alder', 'Birch', 'Cedar', 'Damson'] as const;

/** The word in every text that an organisation plants. */
function markerOf(name: string): string {
  return `zq${name.toLowerCase()}7x`;
}

/** Makes the organisations. */
export async function makeCast(service: FuzzedService): Promise<Cast> {
  const { url } = service;
  const [document, marketsOnly, ...logins] = await Promise.all([
    fetch(`${url}/openapi.json`).then((response) => response.json() as Promise<Document>),
    service.makeLogin(NAMES[0], 'markets:read'),
    ...NAMES.map((name) => service.makeLogin(name)),
  ]);
  for (const name of NAMES) service.hide(markerOf(name));
  const organisationOf = (index: number): Organisation => {
    const [name, login] = [NAMES[index], logins[index]];
    assert.ok(name !== undefined && login !== undefined);
    return {
      name,
      marker: markerOf(name),
      authorization: authorizationOf(login),
      ask: callerOf(url, login),
    };
  };
  return {
    description: readDescription(document),
    readers: [organisationOf(0), organisationOf(1)],
    actors: [organisationOf(2), organisationOf(3)],
    marketsOnly: authorizationOf(marketsOnly),
  };
}

function authorizationOf({ username, password }: Login): string {
  return basic(username, password);
}

/** Makes plans for the organisations that only ask, and collects the values that matter. */
export async function makeGround(service: FuzzedService, cast: Cast): Promise<Ground> {
  const [first] = cast.readers;
  const [sandbox, corridors, tokens, chains] = await Promise.all(
    ['/v1/sandbox', '/v1/markets/corridors', '/v1/markets/tokens', '/v1/markets/chains'].map((path) =>
      first.ask(path),
    ),
  );
  const readers = await Promise.all(cast.readers.map((organisation) => settle(service, organisation)));
  const [one, other] = readers;
  assert.ok(one !== undefined && other !== undefined && sandbox !== undefined && corridors !== undefined);
  const listed = JSON.parse(sandbox.text) as { chainId: number; tokens: { address: string }[] };
  return {
    ...cast,
    readers: [one, other],
    actorStatement: await importStatement(service, cast.actors[0]),
    chainId: listed.chainId,
    tokens: listed.tokens.map(({ address }) => address),
    corridorIds: (JSON.parse(corridors.text) as { id: string }[]).map(({ id }) => id),
    entityTags: [corridors, tokens, chains].map((reply) => reply?.headers.get('etag') ?? ''),
  };
}

let imported = 0;

/** Imports a statement whose entries no plan knows. The name of the other side is the organisation's marker. */
async function importStatement(
  { url }: FuzzedService,
  { authorization, marker, ask }: Organisation,
): Promise<ImportedFile> {
  const number = (imported += 1);
  const bookings = ['-1.00', '2.00'].map((amount, index) => ({
    amount,
    name: marker,
    reference: `${number}-${index}`,
  }));
  const response = await fetch(`${url}/v1/reconciliation/statements`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/xml' },
    body: camtOf({ bookings }),
  });
  const text = await response.text();
  assert.equal(response.status, 201, text);
  const { statementId } = JSON.parse(text) as { statementId: string };
  const listed = await ask(`/v1/reconciliation/statements/${statementId}/entries`);
  const { data } = JSON.parse(listed.text) as { data: { entryId: string }[] };
  return { statementId, entryIds: data.map(({ entryId }) => entryId) };
}

let settled = 0;

/** Makes plans in several states. References are the same in both organisations. */
async function settle(service: FuzzedService, organisation: Organisation): Promise<Property> {
  const { ask, marker } = organisation;
  const round = (settled += 1);
  const plans = await Promise.all(
    RECIPIENT_KINDS.map(async (kind, index) => {
      const asked = plantedPayment(kind, marker, `R${Math.ceil(round / 2)}-${index}`, round);
      const { status, text, body } = await ask('/v1/payments', asked);
      assert.equal(status, 200, text);
      return body;
    }),
  );
  const recipientIds = await Promise.all(
    (['bank', 'email'] as const).map(async (kind) => {
      const { recipient } = plantedPayment(kind, marker, 'x', round);
      const kept = await ask('/v1/recipients', { recipient, label: `${marker} ${kind}` });
      assert.equal(kept.status, 201, kept.text);
      return (JSON.parse(kept.text) as { recipientId: string }).recipientId;
    }),
  );
  const hook = { url: 'http://127.0.0.1:9999/', description: marker, clientReference: 'hook' };
  const endpoint = await ask('/v1/webhook_endpoints', hook);
  assert.equal(endpoint.status, 201, endpoint.text);
  const endpointIds = [(JSON.parse(endpoint.text) as { endpointId: string }).endpointId];
  const period = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' };
  const report = await ask('/v1/reports', { type: 'movements', format: 'csv', ...period });
  assert.equal(report.status, 202, report.text);
  const { reportId } = JSON.parse(report.text) as { reportId: string };
  const statement = await importStatement(service, organisation);
  const [bank, , , emoney, email] = plans;
  assert.ok(bank !== undefined && emoney !== undefined && email !== undefined);
  const seen = { 'if-match': `"${bank.revision}"` };
  await ask(`/v1/payments/${bank.planId}/end`, {}, undefined, seen);
  const played = [await swapped(ask, emoney), await swapped(ask, email)];
  const linkToken = await awaitToken(service, emailOf(marker, round));
  service.hideToken(linkToken);
  const lists = await Promise.all(
    [
      '/v1/payments?limit=1',
      '/v1/payments?limit=2&status=ACTION_REQUIRED',
      `/v1/payments/${email.planId}/events?limit=1`,
      '/v1/recipients?limit=1',
    ].map((path) => ask(path)),
  );
  return {
    organisation,
    plans,
    recipientIds,
    endpointIds,
    reportId,
    statement,
    linkToken,
    cursors: lists.map(({ text }) => (JSON.parse(text) as { nextCursor?: string }).nextCursor ?? 'none'),
    txHashes: played.map((text) => /0x[0-9a-f]{64}/.exec(text)?.[0] ?? ''),
  };
}

/** The id of the first round of asking the recipient of a plan. */
export function firstRoundOf(planId: string): string {
  return `clr_${planId.slice('plan_'.length)}00000001`;
}

/** The e-mail address of the recipient with a number. */
export function emailOf(marker: string, number: number): string {
  return `${marker}.${number}@example.com`;
}

/** A good request for a plan, with the organisation's marker in every text that others must not see. */
export function plantedPayment(
  kind: (typeof RECIPIENT_KINDS)[number],
  marker: string,
  clientReference: string,
  number: number,
): AskedPayment {
  const asked = payment(kind, clientReference);
  const { recipient, options } = asked;
  const named = recipient.type === 'wallet' ? recipient : { ...recipient, name: `${marker} Finch` };
  const isEmail = kind === 'email';
  return {
    ...asked,
    recipient: isEmail ? { ...named, email: emailOf(marker, number) } : named,
    options: isEmail ? { ...options, collect: { message: `For ${marker}` } } : options,
    metadata: { note: marker },
  };
}

/** Plays deposit and swap. Returns the last answer. */
async function swapped(ask: Caller, { planId, steps }: PaymentPlan): Promise<string> {
  let last = '';
  for (const [index, event] of ['deposit.exact', 'swap.done'].entries()) {
    const path = `/v1/sandbox/payments/${planId}/steps/${steps[index]?.stepId}/simulate`;
    const { status, text } = await ask(path, { event });
    assert.equal(status, 200, text);
    last = text;
  }
  return last;
}

/** Waits for the e-mail with a link to an address. */
async function awaitToken({ mails }: FuzzedService, to: string): Promise<string> {
  for (let tries = 0; tries < 600; tries++) {
    const mail = mails.messages().find((each) => each.to === to);
    if (mail !== undefined) return tokenIn(mail);
    await sleep(25);
  }
  return assert.fail(`There is no e-mail to ${to}.`);
}
