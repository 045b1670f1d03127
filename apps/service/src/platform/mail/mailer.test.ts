import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pino from 'pino';
import {
  commandsOf,
  headersOf,
  readMail,
  startMute,
  startSmtpServer,
  startWire,
} from '../../../test/smtpHarness.ts';
import { createMailer, type MailOutcome, type MailTimeouts, type OutgoingMail } from './mailer.ts';

const FROM = { name: 'Fairway Payments', address: 'payments@example.com' };
const MAIL: OutgoingMail = {
  organisationId: 'org_1',
  to: 'jane.doe@example.org',
  from: FROM,
  subject: 'A payment',
  text: 'Hello',
  html: '<p>Hello</p>',
  messageId: 'plan-1.v1',
};
const IMPATIENT: MailTimeouts = { connectMs: 2000, greetingMs: 100, silenceMs: 400, wholeMs: 2000 };

type Closable = { readonly close: () => Promise<void> };

async function running<T extends Closable>(t: TestContext, starting: Promise<T>): Promise<T> {
  const server = await starting;
  t.after(() => server.close());
  return server;
}

function mailerOf({ url }: { readonly url: string }, timeouts?: MailTimeouts) {
  return createMailer({ smtpUrl: url, from: FROM }, log, timeouts);
}

const lines: string[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });

function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

function assertDiscreet(outcome: MailOutcome): void {
  assert.ok(!JSON.stringify(outcome).includes('jane'), JSON.stringify(outcome));
}

test('a mail has one recipient and its own Message-ID, and is marked as automatic', async (t) => {
  const server = await running(t, startSmtpServer());
  const wire = await running(t, startWire(server.port));
  assert.equal(await mailerOf(wire).send(MAIL), 'ACCEPTED');
  assert.deepEqual(
    commandsOf(wire.conversations[0] ?? '').filter((line) => /^(MAIL|RCPT|DATA)/.test(line)),
    ['MAIL FROM:<payments@example.com>', 'RCPT TO:<jane.doe@example.org>', 'DATA'],
  );
  const headers = headersOf(server.mails[0] ?? Buffer.alloc(0)).filter(
    (line) => !/^(Date|Content-Type):/.test(line),
  );
  assert.deepEqual(headers, [
    'Auto-Submitted: auto-generated',
    'X-Auto-Response-Suppress: All',
    'From: Fairway Payments <payments@example.com>',
    'To: jane.doe@example.org',
    'Subject: A payment',
    'Message-ID: <plan-1.v1@example.com>',
    'MIME-Version: 1.0',
  ]);
  const read = await readMail(server.mails[0] ?? Buffer.alloc(0));
  assert.deepEqual([read.text?.trim(), read.html], ['Hello', '<p>Hello</p>']);
});

test('a permanent refusal of a recipient or of a message names no address', async (t) => {
  const unknown = await running(
    t,
    startSmtpServer({
      onRcptTo: ({ address }, _session, done) => done(refusal(550, `5.1.1 <${address}>: unknown`)),
    }),
  );
  const outcome = await mailerOf(unknown).send(MAIL);
  assert.deepEqual(outcome, { rejected: 'PERMANENT', detail: 'RCPT TO was answered 550 5.1.1' });
  const unwanted = await running(
    t,
    startSmtpServer({
      onData: (stream, _session, done) => {
        stream.resume().on('end', () => done(refusal(554, '5.6.0 jane.doe@example.org wants no such mail')));
      },
    }),
  );
  const other = await mailerOf(unwanted).send(MAIL);
  assert.deepEqual(other, { rejected: 'PERMANENT', detail: 'DATA was answered 554 5.6.0' });
});

test('greylisting is a temporary failure: the same mail is accepted later', async (t) => {
  let attempts = 0;
  const server = await running(
    t,
    startSmtpServer({
      onRcptTo: (_address, _session, done) => {
        attempts += 1;
        done(attempts === 1 ? refusal(451, 'come back, jane.doe@example.org') : undefined);
      },
    }),
  );
  const mailer = mailerOf(server);
  const outcome = await mailer.send(MAIL);
  assert.ok(outcome !== 'ACCEPTED' && outcome.rejected === 'TEMPORARY');
  assert.match(outcome.detail, /^RCPT TO was answered 451/);
  assertDiscreet(outcome);
  assert.equal(await mailer.send(MAIL), 'ACCEPTED');
});

const ours: [name: string, onWhat: Parameters<typeof startSmtpServer>[0], detail: RegExp][] = [
  [
    'a server that closes its doors (421)',
    { onConnect: (_session, done) => done(refusal(421, 'shutting down')) },
    /^CONN was answered 421/,
  ],
  [
    'a refused sender',
    { onMailFrom: (_address, _session, done) => done(refusal(550, 'payments@example.com may not')) },
    /^MAIL FROM was answered 550/,
  ],
  [
    'a wrong password',
    { authOptional: false, onAuth: (_auth, _session, done) => done(refusal(535, 'no')) },
    /^AUTH PLAIN was answered 535/,
  ],
];
for (const [name, options, detail] of ours) {
  test(`${name} is a temporary failure, as it says nothing about the recipient`, async (t) => {
    const server = await running(t, startSmtpServer({ allowInsecureAuth: true, ...options }));
    const outcome = await mailerOf({ url: server.url.replace('//', '//user:pass%21@') }).send(MAIL);
    assert.ok(outcome !== 'ACCEPTED' && outcome.rejected === 'TEMPORARY', JSON.stringify(outcome));
    assert.match(outcome.detail, detail);
    assert.ok(!outcome.detail.includes('@'));
  });
}

const cuts: [name: string, isCut: (said: string) => boolean, arrived: number][] = [
  ['before DATA', (said) => /^RCPT TO/m.test(said), 0],
  ['after DATA', (said) => said.includes('\r\n.\r\n'), 1],
];
for (const [name, isCut, arrived] of cuts) {
  test(`after a connection that breaks ${name}, a mail is sent with the same Message-ID`, async (t) => {
    const server = await running(t, startSmtpServer({ hidePIPELINING: true }));
    const wire = await running(t, startWire(server.port, isCut));
    const outcome = await mailerOf(wire).send(MAIL);
    assert.deepEqual(outcome, { rejected: 'TEMPORARY', detail: 'ECONNECTION at CONN' });
    assert.equal(await mailerOf(server).send(MAIL), 'ACCEPTED');
    const ids = await Promise.all(server.mails.map(async (each) => (await readMail(each)).messageId));
    assert.deepEqual(
      ids,
      Array.from({ length: arrived + 1 }, () => `<${MAIL.messageId}@example.com>`),
    );
  });
}

const SILENCES: [name: string, words: string, detail: string][] = [
  ['does not greet', '', 'GREETING_TIMEOUT at CONN'],
  ['says nothing after its greeting', '220 here\r\n', 'SOCKET_TIMEOUT at CONN'],
];
for (const [name, words, detail] of SILENCES) {
  test(`sending to a server that ${name} stops and is a temporary failure`, async (t) => {
    const mute = await running(t, startMute(words));
    const outcome = await mailerOf(mute, IMPATIENT).send(MAIL);
    assert.deepEqual(outcome, { rejected: 'TEMPORARY', detail });
  });
}

test('sending stops when a mail takes too long as a whole', async (t) => {
  const mute = await running(t, startMute('220 here\r\n'));
  const outcome = await mailerOf(mute, { ...IMPATIENT, silenceMs: 60_000, wholeMs: 100 }).send(MAIL);
  assert.deepEqual(outcome, { rejected: 'TEMPORARY', detail: 'EABORT at CONN' });
});

test('a server that is not there is a temporary failure', async () => {
  const gone = await startMute();
  await gone.close();
  const outcome = await mailerOf(gone).send(MAIL);
  assert.deepEqual(outcome, { rejected: 'TEMPORARY', detail: 'ESOCKET at CONN' });
});

test('a password is not sent in clear to another machine', async (t) => {
  // An address of this machine that the mailer takes for another machine.
  const server = await running(t, startSmtpServer({ allowInsecureAuth: true }));
  const wire = await running(t, startWire(server.port));
  const elsewhere = wire.url.replace('smtp://127.0.0.1', 'smtp://user:secret@[::ffff:127.0.0.1]');
  const outcome = await mailerOf({ url: elsewhere }).send(MAIL);
  assert.ok(outcome !== 'ACCEPTED' && outcome.rejected === 'TEMPORARY');
  assert.ok(!(wire.conversations[0] ?? '').includes('AUTH'));
});

const SEVERAL = [
  'jane@example.org, evil@example.net',
  'jane@example.org\r\nBcc: evil@example.net',
  'a@x\r\nBcc: evil@x',
  'jane@example.org\r\nRCPT TO:<evil@example.net>',
  'Jane <jane@example.org>',
  'group: jane@example.org;',
  '"evil@example.net "@example.org',
  'jane@example.org\u2028evil@example.net',
  'jane@example.org\0',
  '',
];
for (const to of SEVERAL) {
  test(`nothing is sent to ${JSON.stringify(to)}, which is not one address`, async (t) => {
    const server = await running(t, startSmtpServer());
    const wire = await running(t, startWire(server.port));
    const outcome = await mailerOf(wire).send({ ...MAIL, to });
    assert.deepEqual(outcome, {
      rejected: 'PERMANENT',
      detail: 'the recipient is not one plain e-mail address',
    });
    assert.deepEqual(wire.conversations, []);
  });
}

test('a text that is no Message-ID is a bug of the caller', async () => {
  const mailer = createMailer({ smtpUrl: 'smtp://127.0.0.1:9', from: FROM }, log);
  await assert.rejects(mailer.send({ ...MAIL, messageId: 'a\r\nBcc: evil@example.net' }), /Message-ID/);
});

const LOGGED = [
  [
    'the recipient',
    {
      onRcptTo: (_a, _s, done) =>
        done(refusal(550, '5.7.1 <jane.doe@example.org>: Relay access denied for Jane')),
    },
    { code: '550 5.7.1', answer: '550 5.7.1 … Relay access denied for …' },
  ],
  [
    'the sender',
    { onMailFrom: (_a, _s, done) => done(refusal(553, 'payments@example.com is not one of your domains')) },
    { code: '553', answer: '553 … is not one of your domains' },
  ],
] as const satisfies readonly (readonly [string, Parameters<typeof startSmtpServer>[0], object])[];
for (const [name, options, told] of LOGGED) {
  test(`why a server refuses ${name} is logged once a minute, with its host and without addresses`, async (t) => {
    const server = await running(t, startSmtpServer(options));
    lines.splice(0);
    const mailer = mailerOf(server);
    await mailer.send(MAIL);
    await mailer.send(MAIL);
    const [first, ...others] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(others, []);
    const { host, port, code, answer, msg } = first ?? {};
    assert.deepEqual(
      { host, port, code, answer, msg },
      { host: '127.0.0.1', port: server.port, ...told, msg: 'The mail server did not take an e-mail' },
    );
    assert.doesNotMatch(lines.join(), /jane|example\.org/i);
  });
}

test('the log names a server that is not there, and says so when it takes e-mails again', async (t) => {
  const gone = await startMute();
  const { port } = new URL(gone.url);
  await gone.close();
  lines.splice(0);
  const mailer = mailerOf(gone);
  await mailer.greet();
  assert.match(
    lines.join(),
    new RegExp(`"code":"ESOCKET","answer":"connect ECONNREFUSED 127\\.0\\.0\\.1:${port}"`),
  );
  const server = await running(t, startSmtpServer());
  const wire = await running(
    t,
    startWire(server.port, () => isAway),
  );
  let isAway = true;
  const other = mailerOf(wire);
  assert.notEqual(await other.send(MAIL), 'ACCEPTED');
  isAway = false;
  lines.splice(0);
  assert.equal(await other.send(MAIL), 'ACCEPTED');
  assert.match(lines.join(), /The mail server takes e-mails again/);
});

test('greeting a server signs in and sends nothing', async (t) => {
  const server = await running(
    t,
    startSmtpServer({
      ...{ allowInsecureAuth: true, authOptional: false },
      onAuth: (_auth, _session, done) => done(refusal(535, '5.7.8 bad credentials')),
    }),
  );
  lines.splice(0);
  await mailerOf({ url: server.url.replace('//', '//user:pass%21@') }).greet();
  assert.match(lines.join(), /"code":"535 5\.7\.8","answer":"535 5\.7\.8 bad credentials"/);
  assert.equal(server.mails.length, 0);
});
