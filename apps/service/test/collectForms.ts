import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Mailbox } from '@fairway/wire';

/** The sandbox that serves the page, and its mailbox as a credential sees it. */
type Sandbox = { readonly url: string; ask(path: '/v1/sandbox/mailbox'): Promise<Mailbox> };

async function mailsTo(sandbox: Sandbox, to: string): Promise<readonly string[]> {
  const { data } = await sandbox.ask('/v1/sandbox/mailbox');
  return data.filter((mail) => mail.to === to).map(({ text }) => text);
}

/** The pattern's group in the newest e-mail that fits; waits until there are more such e-mails than `known`. */
async function mailed(sandbox: Sandbox, to: string, pattern: RegExp, known = 0): Promise<string> {
  for (let tries = 0; tries < 2_000; tries++) {
    const mails = await mailsTo(sandbox, to);
    const fitting = mails.slice(0, mails.length - known).find((text) => pattern.test(text));
    if (fitting !== undefined) return pattern.exec(fitting)?.[1] ?? '';
    await sleep(25);
  }
  return assert.fail(`No e-mail to ${to} fits ${pattern}`);
}

/** Plays a recipient who was e-mailed a link: chooses a wallet and enters the code. */
export async function collectToWallet(sandbox: Sandbox, email: string, address: string): Promise<void> {
  const token = await mailed(sandbox, email, /\/collect#([\w-]{43})(?![\w-])/);
  const post = async (step: string, more: Record<string, string>) => {
    const body = new URLSearchParams({ token, type: 'wallet', address, ...more });
    const { status, ok } = await fetch(`${sandbox.url}/collect/${step}`, { method: 'POST', body });
    assert.ok(ok, `${step}: ${status}`);
  };
  const known = (await mailsTo(sandbox, email)).length;
  await post('submit', { confirmed: 'yes' });
  await post('confirm', { code: await mailed(sandbox, email, /^\s*(\d{6})\s*$/m, known) });
}
