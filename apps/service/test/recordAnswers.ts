/**
 * Writes packages/wire/src/openApi/recordedAnswers.json: what a sandbox answers, as the examples of the OpenAPI document. Run it
 * after a change of answers, then "npm run openapi": node apps/service/test/recordAnswers.ts
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { answerExampleName, OPERATION_IDS, type OperationId, operation } from '@fairway/wire';
import { type ContractRequests, contractRequests } from './contractRequests.ts';
import { postOf, startTestService, type TestService } from './harness.ts';

type Body = { [name: string]: unknown };
type EventBody = { subject: { type: string; id: string }; data: { object: Body; previous?: Body } };

const FILE = new URL('../../../packages/wire/src/openApi/recordedAnswers.json', import.meta.url);

/** When the examples were made, as they say it. Days are counted from it, and other times are as long after it as is usual. */
const MADE_AT_MS = Date.parse('2026-11-24T09:00:00.000Z');
const [SECOND_MS, DAY_MS] = [1_000, 86_400_000];
const USUAL_MS: Readonly<Record<string, number>> = {
  updatedAt: SECOND_MS,
  expiresAt: 24 * SECOND_MS,
  nextAttemptAt: 60 * SECOND_MS,
  notAfter: 1_200 * SECOND_MS,
};

const STARTED_AT_MS = Date.now();
const service = await startTestService();
try {
  const made = await contractRequests(service);
  const answers: Record<string, unknown> = {};
  for (const id of OPERATION_IDS) {
    const name = answerExampleName(id);
    if (name === undefined || name in answers) continue;
    answers[name] = shortened(await answerOf(id, made));
  }
  const report = await completeReport(made);
  answers['Report'] = report;
  const events = await eventsBySubject(service, String(report['reportId']));
  const text = JSON.stringify({ answers, events }, null, 2);
  writeFileSync(FILE, `${withoutChance(withoutSecrets(text))}\n`);
  execFileSync('npx', ['biome', 'format', '--write', fileURLToPath(FILE)], { stdio: 'ignore' });
} finally {
  await service.close();
}

/** The answer to the request of the contract; a new plan pays a bank account, because most do. */
async function answerOf(id: OperationId, made: ContractRequests): Promise<unknown> {
  const { method, path } = operation(id);
  const toBank = { corridorId: 'usdc-aud-bank', amountIn: '100000000', recipient: made.bank() };
  const ask: readonly [string, RequestInit?] | undefined =
    id === 'createPayment'
      ? [path, postOf(made.payment(toBank))]
      : await made.requests[`${method.toLowerCase()} ${path}`]?.();
  if (ask === undefined) throw new Error(`No request of ${id} is known.`);
  const [target, init] = ask;
  // As a caller sends it: tests ask for everything that plans can show beside.
  const headers = { ...(init?.headers as Record<string, string>), authorization: service.authorization };
  const response = await fetch(`${service.url}${target}`, { ...init, headers });
  const { status } = response;
  const body: unknown = JSON.parse((await response.text()) || 'null');
  if (status >= 300) throw new Error(`${id} was answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

async function completeReport(made: ContractRequests): Promise<Body> {
  const path = `/v1/reports/${await made.ofReport()}`;
  for (;;) {
    const report = await service.ask<Body>(path);
    if (report['status'] === 'COMPLETE') return report;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The last event about each kind of subject, of reports about one; a plan has its head alone. */
async function eventsBySubject({ ask }: TestService, reportId: string): Promise<Record<string, EventBody>> {
  const events: Record<string, EventBody> = {};
  for (let after = ''; ; ) {
    const { data, nextCursor } = await ask<{ data: EventBody[]; nextCursor: string }>(
      `/v1/events?limit=100${after}`,
    );
    // Reports are made at the same time, so that it is chance which one is complete first.
    for (const event of data)
      if (event.subject.type !== 'report' || event.subject.id === reportId)
        events[event.subject.type] = withHeadAlone(event);
    // The report is complete, and soon an event tells of it.
    if (data.length === 0 && (events['report'] as { type?: string } | undefined)?.type === 'report.completed')
      break;
    after = `&after=${nextCursor}`;
  }
  const { credential } = events;
  if (credential === undefined) throw new Error('No event of a credential was told.');
  const restore = { since: '2026-01-01T00:00:00.000Z', markedAt: '2026-01-01T01:00:00.000Z' };
  const service = {
    ...credential,
    subject: { type: 'service', id: 'service' },
    data: { object: restore },
  } as EventBody;
  // The order in which they were published is chance, too.
  return Object.fromEntries(Object.entries({ ...events, service }).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function withHeadAlone(event: EventBody): EventBody {
  if (event.subject.type !== 'payment_plan') return event;
  const { planId, clientReference, status } = event.data.object;
  return { ...event, data: { object: { planId, clientReference, status } } };
}

/** A list with its first item, because one shows the form. */
function shortened(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.slice(0, 1);
  const body = { ...(answer as Body) };
  for (const [name, value] of Object.entries(body)) {
    if (['data', 'accounts', 'tokens'].includes(name) && Array.isArray(value)) body[name] = value.slice(0, 1);
  }
  const [event] = (body['data'] ?? []) as (EventBody & { html?: string })[];
  if (event?.subject?.type === 'payment_plan') body['data'] = [withHeadAlone(event)];
  if (event?.html !== undefined) body['data'] = [{ ...event, html: '<!doctype html>…' }];
  return body;
}

/** The text without values that are secret in another sandbox, and without its address. */
function withoutSecrets(text: string): string {
  return text
    .replaceAll(service.url, 'https://fairway.example')
    .replaceAll('http://127.0.0.1:9999/hooks', 'https://hooks.example.com/fairway')
    .replaceAll(/"rpcUrl": "[^"]+"/g, '"rpcUrl": "http://127.0.0.1:8545"')
    .replaceAll(/"privateKey": "0x[0-9a-f]{64}"/g, `"privateKey": "0x${'0'.repeat(63)}1"`)
    .replaceAll(/whsec_[A-Za-z0-9+/=]+/g, `whsec_${'A'.repeat(43)}=`)
    .replaceAll(/(collect\W)[\w-]{43,}/g, `$1${'A'.repeat(43)}`);
}

/**
 * The text without values that differ in every sandbox. It is the same each time, so that a difference shows a real
 * change.
 */
function withoutChance(text: string): string {
  const inOrder = (label: string, made: (digest: Buffer, count: number) => string) => {
    const known = new Map<string, string>();
    return (found: string) => {
      const count = known.size + 1;
      const fixed =
        known.get(found) ?? made(createHash('sha256').update(`${label} ${count}`).digest(), count);
      known.set(found, fixed);
      return fixed;
    };
  };
  const ids = inOrder('id', (_, count) => `01a2169d9dde7000800${String(count).padStart(13, '0')}`);
  const hashes = inOrder('hash', (digest) => digest.toString('hex'));
  const fingerprints = inOrder('fingerprint', (digest) => `A${digest.toString('base64url')}`);
  const deadline = Math.floor(MADE_AT_MS / SECOND_MS) + 1_200;
  return (
    text
      .replaceAll(/(?<="data": "0x5ae401dc)[0-9a-f]{64}/g, deadline.toString(16).padStart(64, '0'))
      .replaceAll(/(?<="data": "0x5ae401dc[0-9a-f]+)[0-9a-f]{32}(?=")/g, ids)
      .replaceAll(/(?<=_)[0-9a-f]{32}(?=[0-9]{4}\b|[0-9]{8}\b|\b)|(?<=FW)[0-9A-F]{32}\b/g, ids)
      .replaceAll(/(?<="FW)[0-9a-f]{32}/g, (id) => id.toUpperCase())
      .replaceAll(/(?<="(?:txHash|blockHash|hash|sha256)": "(?:0x)?)[0-9a-f]{64}(?=")/g, hashes)
      .replaceAll(/(?<="fingerprint": ")A[\w-]{43}(?=")/g, fingerprints)
      .replaceAll(/(?<=SIM-)[0-9a-f]{16}/g, '0f4842cbb6cdba5f')
      .replaceAll(/(?<=smtp:\/\/127\.0\.0\.1:)\d+/g, '2525')
      .replaceAll(/127\.0\.0\.1:\d+(?=, on the page|\. Replies)/g, 'fairway.example')
      .replaceAll(/\d+ \w+ 20\d\d at \d\d:\d\d(?= UTC)/g, '24 November 2026 at 09:15')
      // These values depend on how far the processes were by chance.
      .replaceAll(/"status": "WAITING"(,\s+"[^{}]*?"mail": )"QUEUED"/g, '"status": "SENT"$1"ACCEPTED"')
      .replace(/("listWebhookDeliveries": \{[^}]*\}\s+\]),\s+"nextCursor": "[^"]+"/, '$1')
      .replaceAll(/(?<="nextCursor": ")[^"]+/g, 'Skk3b0dYV0EuNTQ')
      .replaceAll(/(?<="revision": )[67]\b/g, '6')
      .replaceAll(/(?<="recovered": )\d+/g, '0')
      .replaceAll(/(?<="readBlock": )\d+/g, '20')
      .replaceAll(/(?<="lagBlocks": )\d+/g, '4')
      .replaceAll(/(?<=on the page:\\n\\n {4})\d{6}/g, '401047')
      .replaceAll(/"(\w+)": "(20\d\d-\d\d-\d\dT[\d:.]+Z)"/g, (whole, name: string, at: string) => {
        const dayCount = Math.round((Date.parse(at) - STARTED_AT_MS) / DAY_MS);
        // No time of a sandbox is so old: this is a time that a request gives, which is the same each day.
        if (dayCount < -7) return whole;
        const afterMs = dayCount === 0 ? (USUAL_MS[name] ?? 0) : dayCount * DAY_MS;
        return `"${name}": "${new Date(MADE_AT_MS + afterMs).toISOString()}"`;
      })
  );
}
