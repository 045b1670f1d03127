// Notices by e-mail, on a service as an operator runs it: one organisation has turned them on, another has not.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestChain, startTestDatabase, type TestChain } from '@fairway/testing';
import type { PaymentPlan } from '@fairway/wire';
import pino from 'pino';
import { readConfig } from '../../src/platform/config/config.ts';
import { type RunningService, run } from '../../src/run.ts';
import { codeIn, DESTINATIONS, freshEmail, postForm, tokenIn } from '../collectCalls.ts';
import { writeConfig } from '../configHarness.ts';
import { basic } from '../harness.ts';
import { keyWallet } from '../keyWallet.ts';
import { type PaymentsClient, paymentsClient, stepOf } from '../paymentsHarness.ts';
import { endEverything, freshFolder, untilReady } from '../processHarness.ts';
import { readMail, startSmtpServer } from '../smtpHarness.ts';
import { runFairway } from '../commandHarness.ts';

const AMOUNT_IN = 20_000_000n;
const CREATE = ['credentials', 'create'];

let chain: TestChain;
let database: Awaited<ReturnType<typeof startTestDatabase>>;
let server: Awaited<ReturnType<typeof startSmtpServer>>;
let service: RunningService;
let acme: PaymentsClient;
let globex: PaymentsClient;

before(async () => {
  [chain, database, server] = await Promise.all([startTestChain(), startTestDatabase(), startSmtpServer()]);
  const { host, user, database: name } = database.connection;
  const env = {
    DATABASE_URL: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}`,
    FAIRWAY_SEALING_KEYS: `first:${'07'.repeat(32)}`,
  };
  const parsed = readConfig(['--port', '0', '--log-level', 'silent', '--config', configFile()], env);
  service = await run(parsed, pino({ level: 'silent' }), new AbortController().signal);
  await untilReady(service.url);
  [acme, globex] = (await Promise.all(
    ['Acme', 'Globex'].map(async (organisation) => {
      const { printed } = await runFairway(
        [...CREATE, '--environment', 'production', '--json', '--organisation', organisation],
        env,
      );
      const { username, password } = JSON.parse(printed) as { username: string; password: string };
      return paymentsClient(service.url, basic(username, password));
    }),
  )) as [PaymentsClient, PaymentsClient];
});
after(async () => {
  await service?.close();
  await endEverything();
  await server?.close();
  await chain?.close();
  await database?.close();
});

const tokenOf = (symbol: string) => chain.tokens.find((token) => token.symbol === symbol)?.address ?? '';

function configFile(): string {
  const corridor = {
    id: 'usdc-aud-collect',
    source: { chainId: chain.chainId, token: tokenOf('USDC') },
    target: {
      type: 'EMAIL',
      currency: 'AUD',
      conversion: 'PEGGED',
      token: tokenOf('tAUD'),
      custodian: 'Custodian',
      settlementAddress: `0x${'5e'.repeat(20)}`,
    },
    destinations: { wallet: true, bankCountries: ['DE'] },
    modes: ['DIGITAL_COLLECT'],
    minConfirmations: 1,
    settlementTime: { min: 'PT1M', max: 'P1D' },
  };
  const notices = { reminderHours: 1, confirmation: true, delivery: true };
  const members = {
    publicUrl: 'https://pay.example.com',
    trustedProxies: ['127.0.0.1'],
    mail: { smtpUrl: server.url, from: 'Fairway <collect@pay.example.com>' },
    payments: {
      corridors: [corridor],
      organisations: [{ organisation: 'Acme', shownName: 'Acme Research', notices }],
    },
  };
  return writeConfig(chain, freshFolder(), { staleAfterSeconds: 60 }, members);
}

/** A plan whose link was mailed; the link lives for `expiresIn`. */
async function linkMailed(client: PaymentsClient, email: string, expiresIn: string): Promise<PaymentPlan> {
  const wallet = keyWallet(chain.rpcUrl, chain.rpc);
  await chain.rpc('anvil_setBalance', [wallet.address, '0x8ac7230489e80000']);
  const [to, token] = [wallet.address as `0x${string}`, tokenOf('USDC') as `0x${string}`];
  assert.ok((await chain.faucet({ address: to, token, amount: AMOUNT_IN })).ok);
  const plan = await client.plan({
    corridorId: 'usdc-aud-collect',
    amountIn: String(AMOUNT_IN),
    recipient: { type: 'email', email, name: 'Jo Citizen' },
    options: { mode: 'DIGITAL_COLLECT', collect: { locale: 'en', expiresIn } },
  });
  const { body: due } = await client.report(plan, 'AWAIT_DEPOSIT', { outcome: 'DONE' });
  const call = stepOf(due, 'EXECUTE_SWAP').instructions?.at(-1);
  assert.ok(call);
  await wallet.approve(token, call.to, AMOUNT_IN);
  const { hash: txHash } = await wallet.execute([call]);
  const { status, text } = await client.report(due, 'EXECUTE_SWAP', { outcome: 'DONE', txHash });
  assert.equal(status, 200, text);
  return plan;
}

/** Waits until there are this many mails to an address; oldest first. */
async function mailsTo(email: string, atLeast: number): Promise<{ subject: string; text: string }[]> {
  for (let tries = 0; tries < 1_200; tries++) {
    const all = await Promise.all(server.mails.map(readMail));
    const mails = all.filter(({ to }) => to !== undefined && !Array.isArray(to) && to.text === email);
    if (mails.length >= atLeast)
      return mails.map(({ subject = '', text = '' }) => ({ subject, text: text.replace(/\s+/g, ' ') }));
    await sleep(25);
  }
  return assert.fail(`There are not ${atLeast} mails to ${email}`);
}

/** Plays recipient and custodian to the end; waits for `told` e-mails before the payment. */
async function collected(
  client: PaymentsClient,
  plan: PaymentPlan,
  email: string,
  told: number,
): Promise<void> {
  const [mail] = await mailsTo(email, 1);
  assert.ok(mail);
  const form = { token: tokenIn(mail), ...DESTINATIONS.iban };
  assert.equal((await postForm(service.url, 'submit', form)).status, 200);
  const code = (await mailsTo(email, 2)).at(-1);
  assert.ok(code);
  assert.equal((await postForm(service.url, 'confirm', { ...form, code: codeIn(code) })).status, 200);
  await mailsTo(email, told);
  const paid = { outcome: 'DONE', providerReference: `R ${email}`, amount: '1234567500' };
  const { status, text } = await client.report(plan, 'SEND_DIGITAL_COLLECT', paid);
  assert.equal(status, 200, text);
}

/** The output of a plan's swap as an e-mail writes it: in whole cents, rounded down. */
async function swappedAud({ planId }: PaymentPlan): Promise<string> {
  const plan = (await acme.ask(`/v1/payments/${planId}`)).json as PaymentPlan;
  const cents = BigInt(stepOf(plan, 'SEND_DIGITAL_COLLECT').custodianAction?.amount ?? 0) / 10n ** 4n;
  return `${cents / 100n}\\.${String(cents % 100n).padStart(2, '0')}`;
}

test('an organisation with notices reminds recipients and confirms choice and payment', async () => {
  const [email, slow, other, idle] = [freshEmail(), freshEmail(), freshEmail(), freshEmail()];
  // The reminder comes an hour before the link ends: twenty seconds after the link was mailed.
  await linkMailed(globex, idle, 'PT1H20S');
  await linkMailed(acme, slow, 'PT1H20S');
  const mine = await linkMailed(acme, email, 'P14D');
  const theirs = await linkMailed(globex, other, 'P14D');
  await collected(acme, mine, email, 3);
  await collected(globex, theirs, other, 2);

  const [, , confirmation, delivery] = await mailsTo(email, 4);
  assert.equal(confirmation?.subject, 'We have your details for the payment from Acme Research');
  assert.match(
    confirmation?.text ?? '',
    new RegExp(
      `^Hello Jo Citizen, You chose where the ${await swappedAud(mine)} AUD from Acme Research should go: bank account ending in 3000\\.`,
    ),
  );
  assert.equal(delivery?.subject, 'Your payment from Acme Research has been made');
  assert.match(
    delivery?.text ?? '',
    /1,234\.56 AUD .*has been paid to the destination you chose: bank account ending in 3000\./,
  );

  const [first, reminder] = await mailsTo(slow, 2);
  assert.ok(first && tokenIn(first));
  assert.equal(reminder?.subject, 'Reminder: your payment from Acme Research is waiting for you');
  assert.ok(!/collect#/.test(reminder?.text ?? ''), 'a reminder has no link');
  // By then the time for a reminder has passed in the other organisation, too.
  assert.equal((await mailsTo(idle, 1)).length, 1);

  const subjects = (await mailsTo(other, 2)).map(({ subject }) => subject);
  assert.deepEqual(subjects, ['Globex is sending you a payment', 'Your code for the payment from Globex']);
  assert.equal((await mailsTo(email, 4)).length, 4);
});
