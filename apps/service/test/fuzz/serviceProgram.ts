/**
 * A service in a process of its own, for the fuzzing tests. It is the sandbox with the changes of the configuration
 * that the first argument holds as JSON. Its parent asks over the channel of `fork` how large the heap is; users have
 * no such channel. Everything is logged to standard output.
 */
import { once } from 'node:events';
import pino from 'pino';
import { type Config, readConfig } from '../../src/platform/config/config.ts';
import { run } from '../../src/run.ts';

const changes = JSON.parse(process.argv[2] ?? '{}') as Partial<Config>;
const config = { ...readConfig(['--port', '0', '--log-level', 'trace'], process.env), ...changes };
const log = pino({ level: 'trace' }, pino.destination(1));
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'disconnect']) process.on(signal, () => stop.abort());

const running = await run(config, log, stop.signal);
process.on('message', () => {
  // Twice, because the first collection only queues what finalizers hold.
  for (let round = 0; round < 2; round++) globalThis.gc?.();
  process.send?.({ heapBytes: process.memoryUsage().heapUsed });
});
process.send?.({ url: running.url, demo: running.demo });
if (!stop.signal.aborted) await once(stop.signal, 'abort');
await running.close();
process.exit(0);
