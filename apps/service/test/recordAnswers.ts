/**
 * Writes packages/wire/src/recordedAnswers.json: what a sandbox answers, as the examples of the OpenAPI document. Run it
 * after a change of answers, then "npm run openapi": node apps/service/test/recordAnswers.ts
 */
import { writeFileSync } from 'node:fs';
import { answerExampleName, OPERATION_IDS, type OperationId, operation } from '@fairway/wire';
import { type ContractRequests, contractRequests } from './contractRequests.ts';
import { postOf, startTestService, type TestService } from './harness.ts';

type Body = { [name: string]: unknown };
type EventBody = { subject: { type: string }; data: { object: Body; previous?: Body } };

const FILE = new URL('../../../packages/wire/src/recordedAnswers.json', import.meta.url);

const service = await startTestService();
try {
  const made = await contractRequests(service);
  const answers: Record<string, unknown> = {};
  for (const id of OPERATION_IDS) {
    const name = answerExampleName(id);
    if (name === undefined || name in answers) continue;
    answers[name] = shortened(await answerOf(id, made));
  }
  answers['Report'] = await completeReport(made);
  const text = JSON.stringify({ answers, events: await eventsBySubject(service) }, null, 2);
  writeFileSync(FILE, `${withoutSecrets(text)}\n`);
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
  const { status, body } = await service.request(ask[0], ask[1]);
  if (status >= 300) throw new Error(`${id} was answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

async function completeReport(made: ContractRequests): Promise<unknown> {
  const path = `/v1/reports/${await made.ofReport()}`;
  for (;;) {
    const report = await service.ask<Body>(path);
    if (report['status'] === 'COMPLETE') return report;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The last event about each kind of subject; a plan has its head alone. */
async function eventsBySubject({ ask }: TestService): Promise<Record<string, EventBody>> {
  const events: Record<string, EventBody> = {};
  for (let after = ''; ; ) {
    const { data, nextCursor } = await ask<{ data: EventBody[]; nextCursor: string }>(
      `/v1/events?limit=100${after}`,
    );
    for (const event of data) events[event.subject.type] = withHeadAlone(event);
    if (data.length === 0) break;
    after = `&after=${nextCursor}`;
  }
  const { credential } = events;
  if (credential === undefined) throw new Error('No event of a credential was told.');
  const restore = { since: '2026-01-01T00:00:00.000Z', markedAt: '2026-01-01T01:00:00.000Z' };
  return {
    ...events,
    service: {
      ...credential,
      subject: { type: 'service', id: 'service' },
      data: { object: restore },
    } as EventBody,
  };
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

/** The text without what is secret in another sandbox, and without its address. */
function withoutSecrets(text: string): string {
  return text
    .replaceAll(service.url, 'https://fairway.example')
    .replaceAll('http://127.0.0.1:9999/hooks', 'https://hooks.example.com/fairway')
    .replaceAll(/"rpcUrl": "[^"]+"/g, '"rpcUrl": "http://127.0.0.1:8545"')
    .replaceAll(/"privateKey": "0x[0-9a-f]{64}"/g, `"privateKey": "0x${'0'.repeat(63)}1"`)
    .replaceAll(/whsec_[A-Za-z0-9+/=]+/g, `whsec_${'A'.repeat(43)}=`)
    .replaceAll(/(collect\W)[\w-]{43,}/g, `$1${'A'.repeat(43)}`);
}
