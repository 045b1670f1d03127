import type { Cidr } from './cidr.ts';

/**
 * Where webhooks may be sent. Public addresses over https always are.
 * `httpToLoopback`: addresses of this machine are open too, and plain http to them alone. It is for the sandbox.
 * `allowPrivate`: networks that are not public and that the operator opens; exactly these.
 */
export type WebhookRule = {
  readonly httpToLoopback: boolean;
  readonly allowPrivate: readonly Cidr[];
};
