import fc from 'fast-check';
import { defined } from '@fairway/values';
import { DESTINATIONS } from '../collectCalls.ts';
import { damaged, type Damage, damages, hostileText, type Json } from '../hostileValues.ts';
import { type BytesFault, bytesFaults } from './bytesFaults.ts';
import type { Described } from './described.ts';
import {
  type Fault,
  headerFaults,
  methodFaults,
  pathFaults,
  queryFaults,
  retyped,
  textFaults,
  typeFaults,
  unknownMember,
} from './faults.ts';
import { firstRoundOf, type Ground, type Property } from './ground.ts';
import type { Request } from './request.ts';
import { createValues, type ValueOf } from './values.ts';

/** A request, and whose answers it may see: the marker of an organisation, or undefined for nobody's. */
export type Ask = {
  readonly request: Request;
  readonly marker: string | undefined;
  /** Whether the request must not be answered 200. */
  readonly isRefused?: true;
};

/** What is sent at once on one connection. ODD: the bytes may be no request. */
export type FuzzCase =
  | { readonly kind: 'USUAL'; readonly asks: readonly Ask[] }
  | { readonly kind: 'ODD'; readonly ask: Ask; readonly fault: BytesFault };

/** A caller: a credential, or something that is none. */
type Login = { readonly authorization: string | undefined; readonly marker: string | undefined };

/** The request of an operation as the document describes it. */
type Shape = {
  readonly operation: Described;
  readonly params: Readonly<Record<string, Json>>;
  readonly query: Readonly<Record<string, Json>>;
  readonly body: Json | undefined;
};

/** Generates a request for an operation as the document describes it, with values that the service knows. */
export function shapeOf(operation: Described, valueOf: ValueOf): fc.Arbitrary<Shape> {
  const query = Object.entries(operation.query);
  const required = query.flatMap(([name, parameter]) => (parameter.required ? [name] : []));
  return fc.record({
    operation: fc.constant(operation),
    params: fc.record(
      Object.fromEntries(operation.params.map((name) => [name, valueOf(name, { type: 'string' })])),
    ),
    query: fc.record(
      Object.fromEntries(query.map(([name, parameter]) => [name, valueOf(name, parameter.schema)])),
      { requiredKeys: required },
    ),
    body: operation.body === undefined ? fc.constant(undefined) : valueOf('body', operation.body),
  });
}

/** Writes a shape as a request. */
export function requestOf({ operation, params, query, body }: Shape, login: Login): Request {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(textOf(params[name] ?? '')),
  );
  const pairs = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, textOf(value)]));
  const headers: [string, string][] = [];
  if (login.authorization !== undefined) headers.push(['Authorization', login.authorization]);
  if (body !== undefined) headers.push(['content-type', 'application/json']);
  return {
    method: operation.method,
    target: pairs.size === 0 ? path : `${path}?${pairs}`,
    headers,
    ...defined({ body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)) }),
  };
}

function textOf(value: Json): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed();
}

/** What makes sure that a request which could write is refused. */
type Guard = { readonly login: Login; readonly fault: Fault; readonly isOutside: boolean };

function loginsOf({ readers: [own, other], marketsOnly }: Ground) {
  const full = ({ organisation: { authorization, marker } }: Property): Login => ({ authorization, marker });
  const nobody = (authorization: string | undefined): Login => ({ authorization, marker: undefined });
  const wrong = `Basic ${Buffer.from('nobody:wrong').toString('base64')}`;
  const odd = [
    undefined,
    wrong,
    'Basic',
    'Basic !',
    'Basic OnB3',
    `${own.organisation.authorization}=`,
    'Digest x',
  ];
  return {
    full: [full(own), full(other)] as const,
    any: fc.oneof(
      { weight: 12, arbitrary: fc.constant(full(own)) },
      { weight: 4, arbitrary: fc.constant(full(other)) },
      {
        weight: 1,
        arbitrary: fc.constant<Login>({ authorization: marketsOnly, marker: own.organisation.marker }),
      },
      { weight: 1, arbitrary: fc.constantFrom(...odd).map(nobody) },
    ),
    unable: { authorization: marketsOnly, marker: own.organisation.marker } satisfies Login,
  };
}

/** Generates cases that neither write nor reach a chain: reads, and everything else only where it must be refused. */
export function createCases(ground: Ground): fc.Arbitrary<FuzzCase> {
  const valueOf = createValues(ground);
  const logins = loginsOf(ground);
  const operations = ground.description.operations.map((operation) => ({
    weight: WEIGHTS[operation.id] ?? 4,
    arbitrary: asksOf(operation, valueOf, ground, logins),
  }));
  const forms = { weight: 10, arbitrary: formAsks(ground) };
  const pages = { weight: 5, arbitrary: pageAsks(ground) };
  const ask = fc.oneof(...operations, forms, pages);
  const one = ask.map(({ ask: single }): FuzzCase => ({ kind: 'USUAL', asks: [single] }));
  const odd = fc
    .tuple(ask, bytesFaults)
    .map(
      ([{ ask: single, isOutside }, fault]): FuzzCase =>
        isOutside ? { kind: 'ODD', ask: single, fault } : { kind: 'USUAL', asks: [single] },
    );
  const pipeline = fc
    .array(ask, { minLength: 2, maxLength: 4 })
    .map((asks): FuzzCase => ({ kind: 'USUAL', asks: asks.map((each) => each.ask) }));
  return fc.oneof(
    { weight: 84, arbitrary: one },
    { weight: 10, arbitrary: odd },
    { weight: 6, arbitrary: pipeline },
  );
}

/** Operations that are asked more or less often than others. */
const WEIGHTS: Readonly<Record<string, number>> = {
  ...{ getQuote: 14, planSwap: 8, createPayment: 16, listPayments: 10, getPayment: 8, listPaymentEvents: 8 },
  ...{ livez: 2, readyz: 2, getMailbox: 2, listCorridors: 3, listChains: 3, health: 8 },
};

/** A generated request. `isOutside`: it is refused, or reads, even when its bytes are changed. */
type Generated = { readonly ask: Ask; readonly isOutside: boolean };

function asksOf(
  operation: Described,
  valueOf: ValueOf,
  ground: Ground,
  logins: ReturnType<typeof loginsOf>,
): fc.Arbitrary<Generated> {
  const faults = fc.record({
    damage: sometimes(damages, []),
    retype: sometimes(fc.double({ min: 0, max: 0.999, noNaN: true }), undefined),
    header: sometimes(headerFaults(ground), unchanged),
    query: rarely(queryFaults, unchanged),
    method: rarely(methodFaults, unchanged),
    path: rarely(pathFaults, unchanged),
  });
  const reads = operation.method === 'GET';
  const isOfRecipient = operation.params.some((name) => ['recipientId', 'endpointId'].includes(name));
  const guard = reads
    ? logins.any.map((login): Guard => ({ login, fault: unchanged, isOutside: true }))
    : guardsOf(operation, logins);
  return fc
    .tuple(shapeOf(operation, valueOf), faults, guard)
    .map(([shape, { damage, retype, header, query, method, path }, { login, fault, isOutside }]) => {
      const params = isOutside && !reads ? outside(shape.params, login, ground) : shape.params;
      const request = requestOf({ ...damagedShape(shape, damage, retype), params }, login);
      // Another method of the same path may be one that the caller may use, such as DELETE.
      const spelt = isOfRecipient || (isOutside && !reads) ? request : path(method(request));
      const changed = fault(header(query(spelt)));
      const ask: Ask = { request: changed, marker: login.marker };
      const isWriting = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(changed.method);
      return { ask: reads || !isWriting ? ask : { ...ask, isRefused: true }, isOutside };
    });
}

function damagedShape(shape: Shape, damage: readonly Damage[], retype: number | undefined): Shape {
  if (shape.body === undefined) return { ...shape, query: damagedMembers(shape.query, damage) };
  const body = damaged(shape.body, damage);
  return { ...shape, body: retype === undefined ? body : retyped(body, retype) };
}

/** A damaged object. Damage to the whole of it gives one without members. */
function damagedMembers(
  members: Readonly<Record<string, Json>>,
  damage: readonly Damage[],
): Record<string, Json> {
  const changed = damaged({ ...members }, damage);
  return typeof changed === 'object' && changed !== null && !Array.isArray(changed) ? changed : {};
}

const unchanged: Fault = (request) => request;

function sometimes<T, E>(arbitrary: fc.Arbitrary<T>, usual: E): fc.Arbitrary<T | E> {
  return fc.oneof({ weight: 2, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary });
}

function rarely<T, E>(arbitrary: fc.Arbitrary<T>, usual: E): fc.Arbitrary<T | E> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary });
}

/** Generates what makes sure that a request for an operation with a body is refused. */
function guardsOf(
  operation: Described,
  { any, full, unable }: ReturnType<typeof loginsOf>,
): fc.Arbitrary<Guard> {
  const inBody = fc
    .tuple(any, bodyFaultsOf(operation))
    .map(([login, fault]): Guard => ({ login, fault, isOutside: false }));
  const ofOthers = fc
    .constantFrom(...full)
    .map((login): Guard => ({ login, fault: unchanged, isOutside: true }));
  const withoutPermission = fc.constant<Guard>({ login: unable, fault: unchanged, isOutside: true });
  if (namesOthers(operation)) return fc.oneof(inBody, ofOthers, withoutPermission);
  return fc.oneof({ weight: 5, arbitrary: inBody }, { weight: 1, arbitrary: withoutPermission });
}

/** Whether paths of an operation can name what is of another organisation. Names are each organisation's own. */
export function namesOthers({ params }: Described): boolean {
  return params.some((param) => param !== 'name');
}

/** Faults after which a body is refused. A body that may be left out has an unknown member, too. */
function bodyFaultsOf({ bodyOptional }: Described): fc.Arbitrary<Fault> {
  const other = fc.oneof({ weight: 3, arbitrary: textFaults }, { weight: 1, arbitrary: typeFaults });
  const both = fc.tuple(unknownMember, other).map(
    ([first, second]): Fault =>
      (request) =>
        second(first(request)),
  );
  return fc.oneof(unknownMember, bodyOptional ? both : other);
}

/** Parameters of a plan, a recipient or a report that the caller does not have: of another organisation, or of nobody. */
function outside(params: Shape['params'], { marker }: Login, { readers }: Ground): Shape['params'] {
  const own = readers.filter(({ organisation }) => organisation.marker === marker);
  const ids = own.flatMap(({ plans, recipientIds, endpointIds, reportId, statement }) => [
    reportId,
    statement.statementId,
    ...statement.entryIds,
    ...plans.flatMap(({ planId }) => [planId, firstRoundOf(planId)]),
    ...recipientIds,
    ...endpointIds,
  ]);
  const moved = Object.entries(params).map(([name, id]) =>
    typeof id === 'string' && ids.includes(id)
      ? [name, id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))]
      : [name, id],
  );
  return Object.fromEntries(moved) as Shape['params'];
}

const FORMS = [...['open', 'choose', 'details', 'review', 'submit', 'resend', 'confirm', 'ask'], 'restore'];
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Generates forms of the recipient's page. Those that change something carry a token that no link has. */
function formAsks({ readers }: Ground): fc.Arbitrary<Generated> {
  const tokens = readers.map(({ linkToken }) => linkToken);
  const unknown = fc.oneof(fc.constantFrom('', 'x', 'A'.repeat(43), 'A'.repeat(44)), hostileText);
  const form = fc.constantFrom(...FORMS).chain((name) => {
    const token = ['choose', 'details', 'review'].includes(name)
      ? fc.oneof(fc.constantFrom(...tokens), unknown)
      : unknown;
    return fc.tuple(fc.constant(name), token);
  });
  const fields = fc.constantFrom<Json[]>(
    ...Object.values(DESTINATIONS),
    { type: 'wallet', address: `0x${'ab'.repeat(20)}`, confirmed: 'yes' },
    { submission: 'x', own: 'yes', code: '123456' },
    { state: 'x', typed: 'x' },
    { type: 'emoney', provider: 'GCash', idType: 'PHONE', idValue: '+639171234567', code: '123456' },
  );
  const type = fc.constantFrom(
    FORM_TYPE,
    FORM_TYPE,
    FORM_TYPE,
    `${FORM_TYPE}; charset=utf-8`,
    'application/json',
    '',
  );
  const address = fc.nat(4_000).map((number) => `10.9.${number >> 8}.${number & 255}`);
  return fc
    .tuple(form, fields, sometimes(damages, []), type, address, rarely(unparsed, undefined))
    .map(([[name, token], given, damage, contentType, from, garbage]) => {
      const members = Object.entries(damagedMembers(given as Record<string, Json>, damage));
      const pairs = [...members.map(([key, value]) => [key, textOf(value)]), ['token', token.toWellFormed()]];
      const headers: [string, string][] = [
        ['X-Forwarded-For', from],
        ['Content-Type', contentType],
      ];
      const body = Buffer.from(garbage ?? new URLSearchParams(pairs).toString());
      return {
        ask: { request: { method: 'POST', target: `/collect/${name}`, headers, body }, marker: undefined },
        isOutside: true,
      };
    });
}

const unparsed = fc.constantFrom(
  '%',
  'token=%zz',
  '&&=&',
  'token',
  `x=${'y'.repeat(70_000)}`,
  'token=%ff&token=x',
  '{}',
);

const PAGES = [
  '/',
  '/docs',
  '/docs/',
  '/docs/reference.js',
  '/docs/tryIt.js',
  '/docs/code.js',
  '/docs/quick-start',
  '/docs/payments',
  '/openapi.json',
  '/problems',
  '/problems/not-found',
  '/problems/x',
  '/collect',
  '/collect/open',
  '/collect/collect.js',
  '/collect/x',
  '/sandbox/mailbox',
  '/sandbox/mailbox?mail=1',
  '/v2',
  '/v1',
  '/favicon.ico',
];

function pageAsks(ground: Ground): fc.Arbitrary<Generated> {
  return fc
    .tuple(
      fc.constantFrom(...PAGES),
      sometimes(headerFaults(ground), unchanged),
      rarely(methodFaults, unchanged),
      rarely(pathFaults, unchanged),
      rarely(queryFaults, unchanged),
    )
    .map(([target, header, method, path, query]) => ({
      ask: {
        request: query(header(method(path({ method: 'GET', target, headers: [] })))),
        marker: undefined,
      },
      isOutside: true,
    }));
}
