// E-mail over a server that fails in every way: no e-mail is lost. One is sent twice only when the connection broke
// after the server had it, and then with the same Message-ID.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentPlan } from '@fairway/wire';
import type { SMTPServerOptions } from 'smtp-server';
import { type CollectTest, collectOf, freshEmail, startCollectTest, tokenIn } from '../collectCalls.ts';
import { assertProblem, requestOf } from '../paymentsHarness.ts';
import { commandsOf, headersOf, readMail, startSmtpServer, startWire } from '../smtpHarness.ts';

/** How the server answers commands; each test changes it. */
type Manners = Pick<SMTPServerOptions, 'onRcptTo' | 'onMailFrom'>;

let manners: Manners = {};
/** Conversations of the tests before. */
let earlier = 0;
let cut: (said: string) => boolean = () => false;
let server: Awaited<ReturnType<typeof startSmtpServer>>;
let wire: Awaited<ReturnType<typeof startWire>>;
let collect: CollectTest;

before(async () => {
  server = await startSmtpServer({
    onMailFrom: (address, session, done) =>
      manners.onMailFrom === undefined ? done() : manners.onMailFrom(address, session, done),
    onRcptTo: (address, session, done) =>
      manners.onRcptTo === undefined ? done() : manners.onRcptTo(address, session, done),
  });
  wire = await startWire(server.port, (said) => cut(said));
  collect = await startCollectTest(wire.url);
  while (wire.conversations.length === 0) await sleep(10);
  // The service greets the server at its start.
  earlier = wire.conversations.length;
});
afterEach(() => {
  manners = {};
  cut = () => false;
  server.mails.length = 0;
  earlier = wire.conversations.length;
});
after(async () => {
  await collect?.close();
  await wire?.close();
  await server?.close();
});

/** The number of connections to the server in this test. */
const tries = () => wire.conversations.length - earlier;

const answer = (responseCode: number, words: string) => Object.assign(new Error(words), { responseCode });
const linkOf = async ({ planId }: { planId: string }) => collectOf(await collect.client.get(planId)).link;

/** Waits until the e-mail of the plan's newest link is accepted or bounced. */
const settled = (plan: PaymentPlan, mail: 'ACCEPTED' | 'BOUNCED') =>
  collect.client.until(plan, `the e-mail is ${mail}`, (now) => collectOf(now).link?.mail === mail);

/** Moves the clock on in steps, so that waiting jobs run, until a condition holds. */
async function hastened(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (let waits = 0; waits < 100 && !(await holds()); waits++) {
    await collect.advance('PT1S');
    await sleep(50);
  }
  assert.ok(await holds(), `Waited in vain until ${what}`);
}

const tried = (often: number) => hastened(() => tries() >= often, `it was tried ${often} times`);
const accepted = (plan: PaymentPlan) =>
  hastened(async () => (await linkOf(plan))?.mail === 'ACCEPTED', 'the e-mail is ACCEPTED');

test('a server that answers 421 or 451 is tried again and gets the e-mail once', async () => {
  let refusals = 0;
  manners = {
    onMailFrom: (_address, _session, done) =>
      refusals++ < 2 ? done(answer(refusals === 1 ? 421 : 451, 'later')) : done(),
  };
  const plan = await collect.swapped();
  await accepted(plan);
  assert.equal((await linkOf(plan))?.state, 'SENT');
  assert.equal(tries(), 3);
  assert.equal(server.mails.length, 1);
});

test('an e-mail that is cut off before its data is sent again and arrives once', async () => {
  let cuts = 0;
  // RCPT TO and DATA come in one piece.
  cut = (said) => said.endsWith('DATA\r\n') && cuts++ < 2;
  const plan = await collect.swapped();
  await accepted(plan);
  assert.ok(cuts >= 2);
  assert.equal(server.mails.length, 1);
});

test('an e-mail that is cut off after DATA arrives twice, with one Message-ID and one link', async () => {
  let cuts = 0;
  cut = (said) => said.includes('\r\n.\r\n') && cuts++ < 1;
  const plan = await collect.swapped();
  await accepted(plan);
  const mails = await Promise.all(server.mails.map(readMail));
  assert.equal(mails.length, 2);
  assert.equal(new Set(mails.map(({ messageId }) => messageId)).size, 1);
  const tokens = new Set(mails.map(({ text = '' }) => tokenIn({ text })));
  assert.equal(tokens.size, 1);
  const [token = ''] = tokens;
  assert.equal((await collect.post('open', { token })).status, 200);
});

test('a server that does not answer for an hour gets the e-mail afterwards', async () => {
  let isAway = true;
  cut = () => isAway;
  const plan = await collect.swapped();
  await tried(1);
  await collect.advance('PT1H');
  await tried(4);
  assert.deepEqual([(await linkOf(plan))?.state, (await linkOf(plan))?.mail], ['WAITING', 'QUEUED']);
  assert.equal(server.mails.length, 0);
  const waiting = await collect.client.get(plan.planId);
  assert.deepEqual(
    [waiting.status, waiting.next?.do, waiting.next?.by, waiting.next?.why],
    ['IN_PROGRESS', 'WAIT', 'SERVICE', 'SEND_LINK'],
  );
  assert.match(collect.logged(), /"host":"127\.0\.0\.1"[^\n]*The mail server did not take an e-mail/);
  isAway = false;
  await accepted(plan);
  const sent = await collect.client.get(plan.planId);
  assert.deepEqual([sent.next?.do, sent.next?.why], ['ASK', 'RECIPIENT_CHOOSES']);
  assert.equal(server.mails.length, 1);
  const [from, id] = ['From', 'Message-ID'].map((name) =>
    headersOf(server.mails[0] ?? Buffer.alloc(0)).find((line) => line.startsWith(`${name}:`)),
  );
  assert.equal(from, 'From: Sandbox demo via Fairway <collect@fairway.example>');
  assert.match(id ?? '', /^Message-ID: <[\w-]{36}@fairway\.example>$/);
});

test('the plan shows that an address does not exist, and a readdressed link arrives', async () => {
  const [wrong, right] = [freshEmail(), freshEmail()];
  manners = {
    onRcptTo: ({ address }, _session, done) =>
      address === wrong ? done(answer(550, `5.1.1 <${wrong}> unknown`)) : done(),
  };
  const plan = await collect.swapped(collect.requestFields({ email: wrong }));
  const bounced = await settled(plan, 'BOUNCED');
  assert.deepEqual([collectOf(bounced).link?.state, server.mails.length], ['WAITING', 0]);
  assert.ok(!collect.logged().includes(wrong), 'the log names no address');
  const soon = await collect.linkAgain(plan, { email: right });
  assertProblem(soon, 429, 'rate-limited');
  await collect.advance('PT61S');
  assert.equal(tries(), 1, 'a bounce is final');
  const readdressed = await collect.linkAgain(plan, { email: right });
  assert.equal(readdressed.status, 200, readdressed.text);
  await settled(plan, 'ACCEPTED');
  assert.equal(server.mails.length, 1);
  assert.deepEqual(
    commandsOf(wire.conversations.at(-1) ?? '').filter((line) => line.startsWith('RCPT')),
    [`RCPT TO:<${right}>`],
  );
});

const HOSTILE = {
  'line breaks': 'a\r\nBcc: eve@evil.example',
  'a bare line feed': 'a\nBcc: eve@evil.example',
  'a line separator': 'a\u2028Bcc: eve@evil.example\u2029b\u0085c',
  'text that is turned round': '\u202eelpmaxe\u2066',
  nothing: 'a\0b',
  html: '<img src=x onerror=alert(1)><a href="https://evil.example">Click</a>',
  'an end of DATA': 'a\r\n.\r\nMAIL FROM:<eve@evil.example>',
  'an encoded word': '=?utf-8?q?Bcc=3A_eve=40evil.example?=',
  templates: '{linkUrl} {{name}} ${token} %s {organisation}',
  'half a character': 'a\ud800b',
  length: 'x'.repeat(10_000),
} as const;

for (const [what, text] of Object.entries(HOSTILE))
  test(`${what} in a name or a message is refused, or arrives as harmless text`, async () => {
    for (const field of ['name', 'message'] as const) {
      const email = freshEmail();
      const fields = collect.requestFields(
        { email, ...(field === 'name' ? { name: text } : {}) },
        field === 'message' ? { message: text } : {},
      );
      const answered = await collect.client.ask('/v1/payments', requestOf(fields));
      if (answered.status !== 200) {
        assert.equal(answered.status, 400, `${field}: ${answered.text.slice(0, 300)}`);
        continue;
      }
      await arrivesHarmless(answered.body.planId, email);
    }
  });

/** Checks the commands for one mail, and the mail as its reader sees it. */
async function arrivesHarmless(planId: string, email: string): Promise<void> {
  const from = wire.conversations.length;
  const plan = await collect.swapDone(await collect.client.get(planId));
  await settled(plan, 'ACCEPTED');
  const [conversation = '', ...others] = wire.conversations.slice(from);
  assert.deepEqual(others, []);
  const commands = commandsOf(conversation).map((line) => line.split(' ')[0]);
  assert.deepEqual(commands, ['EHLO', 'MAIL', 'RCPT', 'DATA', ...(commands.length > 4 ? ['QUIT'] : [])]);
  assert.ok(conversation.includes(`RCPT TO:<${email}>`));
  const mail = server.mails.at(-1) ?? Buffer.alloc(0);
  const names = headersOf(mail).map((line) => line.split(':')[0]?.toLowerCase());
  assert.ok(!names.includes('bcc') && !names.includes('cc'));
  assert.equal(new Set(names).size, names.length, 'no header twice');
  const read = await readMail(mail);
  const html = String(read.html);
  assert.doesNotMatch(html, /<img|<script|href="(?!http:\/\/127\.0\.0\.1)/i);
  for (const shown of [read.text ?? '', html, read.subject ?? ''])
    assert.doesNotMatch(shown, /[\0\u202e\u2066\u2028\u2029\u0085]/);
  assert.equal(new Set((read.text ?? '').match(/\/collect#[\w-]+/g) ?? []).size, 1);
  const page = await collect.post('open', { token: tokenIn({ text: read.text ?? '' }) });
  assert.equal(page.status, 200);
  assert.doesNotMatch(
    page.html.replace(/<script src="\/collect\/collect.js" defer><\/script>/, ''),
    /<img|<script|evil.example"/i,
  );
  assert.ok(!/[\0\u202e\u2066]/.test(page.html), 'no character reverses the text');
}

test('an e-mail field that is more than one plain address is refused', async () => {
  for (const email of [
    'jo@example.com\r\nBcc: eve@evil.example',
    'jo@example.com,eve@evil.example',
    'jo@example.com eve@evil.example',
    '<jo@example.com>',
    'Jo <jo@example.com>',
    'jo@example.com\0',
    'jo@exam\u2028ple.com',
    'jo@example.com\u202e',
    '"jo\\" <eve@evil.example>"@example.com',
    'a: jo@example.com;',
    'jo@@example.com',
    `${'x'.repeat(10_000)}@example.com`,
    '',
  ]) {
    const fields = collect.requestFields({ email });
    const refused = await collect.client.ask('/v1/payments', requestOf(fields));
    assert.deepEqual(
      [refused.status, refused.problem.code],
      [400, 'recipient-invalid'],
      `${email.slice(0, 60)}: ${refused.text.slice(0, 300)}`,
    );
  }
  const plan = await collect.swapped();
  await settled(plan, 'ACCEPTED');
  await collect.advance('PT61S');
  for (const email of [
    'jo@example.com,eve@evil.example',
    'jo@example.com\r\nBcc: eve@evil.example',
    'x',
    '',
    7,
  ])
    assert.equal((await collect.linkAgain(plan, { email })).status, 400, String(email));
});

// This test comes last, because the e-mails that it leaves waiting would disturb later tests.
test('a silent mail server delays only e-mails: the jobs of plans run in the meantime', async () => {
  manners = { onMailFrom: () => {} };
  const plan = await collect.client.plan();
  await Promise.all(Array.from({ length: 6 }, () => collect.swapped()));
  await tried(4);
  await collect.advance('P7D');
  // A list shows plans as they are and does not carry them on.
  const statusOf = async () => {
    const { json } = await collect.client.ask(`/v1/payments?clientReference=${plan.clientReference}`);
    return (json as { data: PaymentPlan[] }).data[0]?.status;
  };
  for (let waits = 0; waits < 200 && (await statusOf()) !== 'ENDED'; waits++) await sleep(50);
  assert.equal(await statusOf(), 'ENDED');
});
