// A process that publishes events and sends them, for tests that kill it. Its argument says with what.
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseConnection } from '@fairway/postgres';
import { type KeptEvent, startPublishing, startSending } from '@fairway/outbox';
import { openStore } from '@fairway/store';
import { createWebhookSender } from '@fairway/webhooks';
import pino from 'pino';
import { publishedEventsOfEndpoint } from '@fairway/notifications';
import { eventOf } from '@fairway/notifications';

/** How a process works. Its clock runs `speed` times as fast as the machine's since `startMs`, so that waits of hours end. */
export type SenderSetting = {
  readonly connection: DatabaseConnection;
  readonly key: string;
  readonly startMs: number;
  readonly speed: number;
  readonly attemptMs: number;
  readonly holdMs: number;
};

const [, , argument = '{}'] = process.argv;
const { connection, key, startMs, speed, attemptMs, holdMs } = JSON.parse(argument) as SenderSetting;
const nowMs = () => Math.round(startMs + (Date.now() - startMs) * speed);
const options = {
  connection,
  sealingKeys: [{ id: 'test', key: Buffer.from(key, 'hex') }],
  now: () => new Date(nowMs()),
  publishedEventsOfEndpoint,
};
let opened = await openStore(options);
// The database may be starting again.
for (let tries = 0; !opened.ok && tries < 100; tries += 1) {
  await sleep(100);
  opened = await openStore(options);
}
if (!opened.ok) throw new Error(opened.detail);
const { events, webhooks } = opened.store;
const log = pino({ level: 'error' }, pino.destination(2));
const ENVIRONMENT = 'sandbox';
const KEPT_MS = 10 * 365 * 86_400_000;
const RULE = { httpToLoopback: true, allowPrivate: [] };
startPublishing({ environment: ENVIRONMENT, events, keptMs: KEPT_MS, nowMs }, log);
const sender = createWebhookSender(RULE, { version: 'test', limits: { attemptMs } });
const bodyOf = (event: KeptEvent) => JSON.stringify(eventOf(event, ENVIRONMENT));
startSending({ environment: ENVIRONMENT, webhooks, sender, bodyOf, onAttempt: () => {}, nowMs, holdMs }, log);
setInterval(() => {
  globalThis.gc?.();
  writeSync(1, `${process.memoryUsage().heapUsed} ${process.memoryUsage().rss}\n`);
}, 500);
