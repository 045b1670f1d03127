import assert from 'node:assert/strict';
import { basic } from './harness.ts';
import type { Login } from './paymentCalls.ts';

/** What a stream of events tells from the oldest event on, until it has told a text. */
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
