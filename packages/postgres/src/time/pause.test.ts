import { test } from 'node:test';
import { pause } from './pause.ts';

test('a pause ends at once when its signal is aborted, be it before or during the pause', async () => {
  const controller = new AbortController();
  const paused = pause(60_000, controller.signal);
  controller.abort();
  await paused;
  await pause(60_000, controller.signal);
});
