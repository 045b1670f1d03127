// Nobody can make the sender connect to this machine or to a network of its operator (SSRF).
import assert from 'node:assert/strict';
import { get, setGlobalProxyFromEnv } from 'node:http';
import { after, test } from 'node:test';
import { createWebhookSender, type Delivery, type WebhookRule } from '../src/index.ts';
import {
  closeServers,
  type NameAnswer,
  orderTo,
  startNameServer,
  startReceiver,
  startSensors,
  trustedCertificate,
} from './receivers.ts';
import { opening, PRODUCTION, SANDBOX } from './rules.ts';

after(closeServers);
const sensors = await startSensors();
const certificate = trustedCertificate('receiver.test');
const LIMITS = { leastRefusalMs: 0, queryMs: 500 };

/** Sends to a URL by a rule, with a name server of the test, and says how it ended. */
async function send(
  url: string,
  rule: WebhookRule,
  answerTo: (name: string, type: string) => NameAnswer = () => 'NO_SUCH_NAME',
): Promise<Delivery> {
  const { nameServers } = await startNameServer(answerTo);
  const sender = createWebhookSender(rule, { version: '1', limits: LIMITS, nameServers });
  const delivery = await sender.send(orderTo(url));
  await sender.close();
  return delivery;
}

const REFUSED = { outcome: 'FAILED', error: 'NO_PUBLIC_ADDRESS', durationMs: 0 };

/** Expects the one refusal for addresses, and that no sensor was connected to. */
async function assertRefused(...sent: Parameters<typeof send>): Promise<void> {
  const before = sensors.connections();
  assert.deepEqual(
    { ...(await send(...sent)), durationMs: 0 },
    REFUSED,
    `${sent[0]} ${String(sent[2]?.('', ''))}`,
  );
  assert.equal(sensors.connections(), before, sent[0]);
}

const LOOPBACK_HOSTS = [
  '127.0.0.1',
  '127.44.0.9',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '017700000001',
  '0177.0.0.01',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '①②⑦.0.0.1',
  '0.0.0.0',
  '0',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:7f00:1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  'localhost',
  'LocalHost',
  'a.localhost',
];

/** What a name may resolve to without anybody being connected to. */
const LOOPBACK_ADDRESSES = [
  '127.0.0.1',
  '127.44.0.9',
  '0.0.0.0',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::127.0.0.1',
];
const OTHER_INNER_ADDRESSES = [
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '255.255.255.255',
  '224.0.0.1',
  'fe80::1',
  'fd00:ec2::254',
  'fec0::1',
  'ff02::1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::7f00:1',
  '2002:7f00:1::',
  '2001:db8::1',
];

test('the sensors count: a rule that opens loopback connects to them', async () => {
  const open = opening('127.0.0.0/8', '::1/128', '0.0.0.0/32', '::/128', '::ffff:0.0.0.0/96');
  for (const host of [
    '127.0.0.1',
    '127.44.0.9',
    '0x7f.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    'localhost',
  ]) {
    const before = sensors.connections();
    const delivery = await send(`https://${host}:${sensors.port}/`, open);
    assert.equal('error' in delivery && delivery.error, 'TLS_FAILED', host);
    assert.ok(sensors.connections() > before, host);
  }
  for (const address of ['127.0.0.1', '127.44.0.9', '::1', '::ffff:127.0.0.1', '0.0.0.0']) {
    const before = sensors.connections();
    await send(`https://receiver.test:${sensors.port}/`, open, () => [address]);
    assert.ok(sensors.connections() > before, address);
  }
  const before = sensors.connections();
  await send(`http://localhost:${sensors.port}/`, SANDBOX);
  assert.ok(sensors.connections() > before);
});

test('in production an address of this machine is refused in every notation', async () => {
  for (const host of LOOPBACK_HOSTS) await assertRefused(`https://${host}:${sensors.port}/`, PRODUCTION);
});

test('in production a name of an inner address is refused, whichever it is', async () => {
  for (const address of [...LOOPBACK_ADDRESSES, ...OTHER_INNER_ADDRESSES]) {
    await assertRefused(`https://receiver.test:${sensors.port}/`, PRODUCTION, () => [address]);
  }
});

test('a name with several addresses is refused for one of them, at any place', async () => {
  const receiver = await startReceiver((_request, response) => response.end(), {
    address: '127.0.0.2',
    certificate,
  });
  const rule = opening('127.0.0.2/32');
  const url = `https://receiver.test:${receiver.port}/`;
  assert.equal((await send(url, rule, () => ['127.0.0.2'])).outcome, 'DELIVERED');
  for (const inner of ['127.0.0.1', '::1', '10.0.0.1', '::ffff:127.0.0.2']) {
    await assertRefused(url, rule, () => ['127.0.0.2', '127.0.0.2', '127.0.0.2', inner]);
    await assertRefused(url, rule, () => [inner, '127.0.0.2']);
  }
  assert.equal(receiver.connections(), 1);
});

test('a name that changes its address is asked once an attempt, and connected to as answered', async () => {
  const addresses = ['127.0.0.2', '127.0.0.1'];
  const seen: (string | undefined)[] = [];
  const receiver = await startReceiver(
    (request, response) => {
      seen.push(request.socket.localAddress);
      response.end();
    },
    { address: '127.0.0.2', certificate },
  );
  const names = await startNameServer((_name, type) =>
    type === 'A' ? [addresses.shift() ?? '127.0.0.1'] : [],
  );
  const sender = createWebhookSender(opening('127.0.0.2/32'), {
    version: '1',
    limits: LIMITS,
    nameServers: names.nameServers,
  });
  const order = orderTo(`https://receiver.test:${receiver.port}/`);
  assert.equal((await sender.send(order)).outcome, 'DELIVERED');
  assert.deepEqual(names.questions.toSorted(), ['A receiver.test', 'AAAA receiver.test']);
  assert.deepEqual({ ...(await sender.send(order)), durationMs: 0 }, REFUSED);
  assert.equal(names.questions.length, 4);
  assert.deepEqual(seen, ['127.0.0.2']);
  await sender.close();
});

test('a redirect to this machine is not followed', async () => {
  const before = sensors.connections();
  const location = `http://127.0.0.1:${sensors.port}/`;
  const receiver = await startReceiver((_request, response) => response.writeHead(307, { location }).end(), {
    address: '127.0.0.2',
    certificate,
  });
  const delivery = await send(`https://receiver.test:${receiver.port}/`, opening('127.0.0.2/32'), () => [
    '127.0.0.2',
  ]);
  assert.deepEqual({ ...delivery, durationMs: 0 }, { outcome: 'FAILED', status: 307, durationMs: 0 });
  assert.equal(sensors.connections(), before);
});

test('absent names, failing name servers and inner names end alike, after the same time', async () => {
  const leastRefusalMs = 150;
  const inner: NameAnswer[] = [['10.0.0.1'], ['fd00::1'], ['127.0.0.1', '::1']];
  const answers: NameAnswer[] = ['NO_SUCH_NAME', 'SERVER_FAILURE', [], ...inner];
  for (const answer of answers) {
    const { nameServers } = await startNameServer(() => answer);
    const sender = createWebhookSender(PRODUCTION, { version: '1', limits: { leastRefusalMs }, nameServers });
    const { durationMs, ...rest } = await sender.send(orderTo('https://inner.test/'));
    assert.deepEqual(rest, { outcome: 'FAILED', error: 'NO_PUBLIC_ADDRESS' });
    assert.ok(durationMs >= leastRefusalMs - 5, `${durationMs} ms`);
    await sender.close();
  }
});

test('a name server that is silent about one family does not keep the event from the other', async () => {
  const receiver = await startReceiver((_request, response) => response.end(), { certificate });
  const delivery = await send(
    `https://receiver.test:${receiver.port}/`,
    opening('127.0.0.1/32'),
    (_name, type) => (type === 'A' ? ['127.0.0.1'] : 'SILENCE'),
  );
  assert.equal(delivery.outcome, 'DELIVERED');
});

test('a name server that is silent ends the attempt in time, and close ends it at once', async () => {
  const { nameServers, questions } = await startNameServer(() => 'SILENCE');
  const queryMs = 5000;
  const hasty = createWebhookSender(PRODUCTION, {
    version: '1',
    limits: { queryMs, attemptMs: 100 },
    nameServers,
  });
  const patient = createWebhookSender(PRODUCTION, { version: '1', limits: { queryMs }, nameServers });
  const closed = patient.send(orderTo('https://receiver.test/'));
  const late = await hasty.send(orderTo('https://receiver.test/'));
  while (questions.length < 4) await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([hasty.close(), patient.close()]);
  for (const [delivery, error] of [
    [late, 'TIMEOUT'],
    [await closed, 'SENDER_CLOSED'],
  ] as const) {
    assert.equal('error' in delivery && delivery.error, error);
    assert.ok(delivery.durationMs < queryMs);
  }
});

test('the proxies of the environment are not used', async () => {
  const receiver = await startReceiver((_request, response) => response.end(), { certificate });
  const proxy = `http://127.0.0.1:${sensors.port}`;
  const restore = setGlobalProxyFromEnv({ http_proxy: proxy, https_proxy: proxy, HTTP_PROXY: proxy });
  try {
    const before = sensors.connections();
    await new Promise((resolve) => get(`http://127.0.0.1:${receiver.port}/`, resolve).on('error', resolve));
    assert.equal(sensors.connections(), before + 1, 'Node itself uses the proxy');
    const url = `https://receiver.test:${receiver.port}/`;
    assert.equal((await send(url, opening('127.0.0.1/32'), () => ['127.0.0.1'])).outcome, 'DELIVERED');
    assert.equal(sensors.connections(), before + 1);
  } finally {
    restore();
  }
});

test('of several open addresses, one that does not answer does not keep the event from the next', async () => {
  const receiver = await startReceiver((_request, response) => response.end(), {
    address: '127.0.0.3',
    certificate,
  });
  const rule = opening('127.0.0.0/8', '::1/128');
  const all = ['127.0.0.2', '127.0.0.3', '::1'];
  const delivery = await send(`https://receiver.test:${receiver.port}/`, rule, () => all);
  assert.equal(delivery.outcome, 'DELIVERED');
});
