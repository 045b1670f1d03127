import fc from 'fast-check';
import { RECIPIENT_KINDS } from '../paymentCalls.ts';
import { hostileText, type Json } from '../hostileValues.ts';
import type { Description, Schema } from './described.ts';
import { firstRoundOf, type Ground, plantedPayment } from './ground.ts';

/** Makes values for a field of a request. Most fit the schema, and many are values that the service knows. */
export type ValueOf = (name: string, schema: Schema) => fc.Arbitrary<Json>;

const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
const GOOD_ACCOUNTS = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
];
const ODD_ACCOUNTS = [
  // The letter case is no EIP-55 checksum.
  '0xf39fD6e51aad88F6F4ce6aB8827279cffFb92266',
  `0x${'00'.repeat(20)}`,
  `0x${'ff'.repeat(20)}`,
  '0x000000000000000000000000000000000000dEaD',
];

/** Amounts at the borders of what is stored, priced and accepted. */
const AMOUNTS = [
  ...['0', '1', '999999', '1000000', '5000000', '100000000000', '100000000001', '1000000000000000000'],
  ...[2n ** 53n, 2n ** 64n - 1n, 2n ** 112n - 1n, 2n ** 128n, 2n ** 256n - 1n, 2n ** 256n].map(String),
  ...['9'.repeat(78), '01', '1.0', '-1', '+1', '1e6', '0x10', ' 1', '١'],
];

const TIMES = ['2026-01-01T00:00:00Z', '2099-01-01T00:00:00+01:00'];
const ODD_TIMES = [
  '9999-12-31T23:59:59.999999999Z',
  '0000-01-01T00:00:00+23:59',
  '2026-02-30T00:00:00Z',
  '2026-06-30T23:59:60Z',
];

/** One of the good values, and now and then an odd one. */
function mostly(good: readonly Json[], odd: readonly Json[]): fc.Arbitrary<Json> {
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );
}

/** The values of fields that name what organisations have. */
function knownIds({ readers }: Ground): Readonly<Record<string, fc.Arbitrary<Json>>> {
  const plans = readers.flatMap((reader) => reader.plans);
  const planIds = plans.map(({ planId }) => planId);
  const stepIds = plans.flatMap(({ steps }) => steps.map(({ stepId }) => stepId));
  const recipientIds = readers.flatMap((reader) => reader.recipientIds);
  const endpointIds = readers.flatMap((reader) => reader.endpointIds);
  const reportIds = readers.map(({ reportId }) => reportId);
  return {
    recipientId: mostly(recipientIds, [`rcp_${'0'.repeat(32)}`, 'rcp_', '%00', 'validate']),
    endpointId: mostly(endpointIds, [`whe_${'0'.repeat(32)}`, 'whe_', '%00']),
    deliveryId: mostly([`whd_${'0'.repeat(32)}`], ['whd_', '%00']),
    eventId: mostly([`evt_${'0'.repeat(32)}`], ['evt_', '%00']),
    reportId: mostly(reportIds, [`rep_${'0'.repeat(32)}`, 'rep_', '%00']),
    statementId: mostly(
      readers.map(({ statement }) => statement.statementId),
      [`stm_${'0'.repeat(32)}`, 'stm_', '%00'],
    ),
    entryId: mostly(
      readers.flatMap(({ statement }) => statement.entryIds),
      [`ent_${'0'.repeat(32)}`, 'ent_', '%00'],
    ),
    movementId: mostly([`mov_${'0'.repeat(40)}`], ['mov_']),
    planId: mostly(planIds, [`plan_${'0'.repeat(32)}`, 'plan_', '%00']),
    collectRequestId: mostly(planIds.map(firstRoundOf), [`clr_${'0'.repeat(40)}`, 'clr_', '%00']),
    stepId: mostly(stepIds, [`step_${'0'.repeat(32)}`, 'step_']),
  };
}

/** The values of fields by name; of a field that holds an object, with `{}` behind its name. */
function knownValues(ground: Ground): Readonly<Record<string, fc.Arbitrary<Json>>> {
  const { readers, tokens, corridorIds, chainId } = ground;
  const [own, other] = readers;
  const plans = [...own.plans, ...other.plans];
  const references = plans.map(({ clientReference }) => clientReference);
  const lower = tokens.map((address) => address.toLowerCase());
  const token = mostly([...tokens, ...lower, NATIVE], [...GOOD_ACCOUNTS, ...ODD_ACCOUNTS]);
  const account = mostly(GOOD_ACCOUNTS, [...ODD_ACCOUNTS, ...tokens]);
  const amount = fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom<Json[]>(...AMOUNTS) },
    { weight: 6, arbitrary: fc.bigInt({ min: 10n ** 6n, max: 10n ** 11n }).map(String) },
  );
  const time = mostly(TIMES, ODD_TIMES);
  const text = (...words: string[]) =>
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom<Json[]>(...words) },
      { weight: 1, arbitrary: hostileText },
    );
  return {
    ...knownIds(ground),
    url: mostly(['http://127.0.0.1:9999/'], ['http://127.0.0.1:22/', 'https://10.0.0.1/', 'ftp://a', '']),
    corridorId: mostly(corridorIds, ['nowhere', '__proto__']),
    clientReference: mostly([...references, 'NEW-1'], [' ', 'é']),
    chainId: mostly([chainId], [0, 1, 2 ** 53, -1, 1.5]),
    ...{ tokenIn: token, tokenOut: token, token, amount, amountIn: amount, minAmountOut: amount },
    ...{ sender: account, recipient: account, depositAddress: account, address: account },
    ...{
      deadline: time,
      createdFrom: time,
      createdTo: time,
      updatedSince: time,
      occurredAt: time,
      checkedAt: time,
      from: time,
      to: time,
    },
    ...{ excludeTokens: token, excludePools: account },
    excludeSources: mostly(['uniswap-v2', 'uniswap-v3'], ['uniswap-v2,uniswap-v3', ',', '', 'nowhere']),
    cursor: mostly([...own.cursors, ...other.cursors], ['e30', '*']),
    txHash: mostly([...own.txHashes, ...other.txHashes], [`0x${'ab'.repeat(32)}`, `0x${'AB'.repeat(32)}`]),
    email: text(
      'jo@example.com',
      'a@b',
      'jo@exämple.com',
      '"a b"@example.com',
      `${'a'.repeat(64)}@example.com`,
    ),
    name: text('Jo Citizen', '李雷', 'ｆｕｌｌ'),
    timezone: text('UTC', 'Australia/Sydney', 'Mars/Olympus'),
    locale: text('en', 'de', 'de-AT', 'xx'),
    message: text('Thank you'),
    providerReference: text('P-1', 'P-2'),
    detail: text('A sentence.'),
    expiresIn: mostly(['P14D', 'PT1H', 'P90D'], ['P91D', 'PT0S', 'P1Y', 'x']),
    advance: mostly(['PT1S', 'PT61S'], ['P2Y', '-PT1S', 'PT0.5S']),
    'recipient{}': fc
      .constantFrom(...RECIPIENT_KINDS)
      .map((kind) => plantedPayment(kind, own.organisation.marker, 'x', 1).recipient as Json),
    'metadata{}': fc.dictionary(fc.string({ maxLength: 8 }), fc.string({ maxLength: 20 }), {
      maxKeys: 4,
    }) as fc.Arbitrary<Json>,
  };
}

/** Makes the values of a ground's fields. */
export function createValues(ground: Ground): ValueOf {
  const known = knownValues(ground);
  return (name, given) => valueOf(known, ground.description, name, given);
}

function valueOf(
  known: Readonly<Record<string, fc.Arbitrary<Json>>>,
  description: Description,
  name: string,
  given: Schema,
): fc.Arbitrary<Json> {
  const schema = description.schemaOf(given);
  const { type, properties = {}, required = [] } = schema;
  if (schema.enum !== undefined) return fc.constantFrom<Json[]>(...schema.enum);
  const whole = type === 'object' || schema.oneOf !== undefined ? known[`${name}{}`] : undefined;
  if (whole !== undefined) return whole;
  if (type === 'object') {
    const members = Object.entries(properties).map(
      ([member, inner]) => [member, valueOf(known, description, member, inner)] as const,
    );
    return fc.record(Object.fromEntries(members), { requiredKeys: [...required], noNullPrototype: true });
  }
  if (type === 'array') {
    const item = valueOf(known, description, name, schema.items ?? {});
    return fc.array(item, { maxLength: 3 });
  }
  const values = known[name];
  if (values !== undefined) return values;
  if (type === 'integer') return borders(schema);
  if (type === 'boolean') return fc.boolean();
  return fc.oneof(
    fc.constantFrom<Json[]>(...((schema.examples as Json[] | undefined) ?? ['x'])),
    hostileText,
  );
}

function borders({ minimum = 0, maximum = 2 ** 53 }: Schema): fc.Arbitrary<Json> {
  return fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: minimum, max: Math.min(maximum, 2 ** 53) }) },
    { weight: 1, arbitrary: fc.constantFrom<Json[]>(minimum, maximum, minimum - 1, maximum + 1, 0.5, 1e21) },
  );
}
