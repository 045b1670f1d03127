import assert from 'node:assert/strict';
import { basic } from './harness.ts';
import type { Login } from './paymentCalls.ts';

/** The text of a stream of events from the oldest event on, until it contains a given text. */
export async function streamUntil(
  url: string,
  { username, password }: Login,
  wanted: string,
): Promise<string> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/v1/events/stream`, {
    headers: { authorization: basic(username, password) },
    signal: leaving.signal,
  });
  assert.equal(response.status, 200);
  let text = '';
  for await (const bytes of response.body ?? []) {
    text += Buffer.from(bytes as Uint8Array).toString();
    if (text.includes(wanted)) break;
  }
  leaving.abort();
  return text;
}
