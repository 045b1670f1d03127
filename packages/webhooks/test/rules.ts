import { readCidr, type WebhookRule } from '../src/index.ts';

/** The rule of a service in production. */
export const PRODUCTION: WebhookRule = { httpToLoopback: false, allowPrivate: [] };
/** The rule of the sandbox. */
export const SANDBOX: WebhookRule = { httpToLoopback: true, allowPrivate: [] };

/** The rule of a service in production whose operator opens networks. */
export function opening(...texts: readonly string[]): WebhookRule {
  const allowPrivate = texts.map((text) => {
    const read = readCidr(text);
    if (!read.ok) throw new Error(read.detail);
    return read.cidr;
  });
  return { httpToLoopback: false, allowPrivate };
}
