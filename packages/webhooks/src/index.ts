export { type Cidr, type CidrOutcome, readCidr } from './cidr.ts';
export {
  type ClientCertificate,
  type ClientCertificateOutcome,
  judgeClientCertificate,
} from './clientCertificate.ts';
export { type HeadersOutcome, type HeadersRefusal, judgeWebhookHeaders } from './headers.ts';
export type { WebhookRule } from './rule.ts';
export { createWebhookSecret, readWebhookSecret, type SecretOutcome, type WebhookKey } from './secret.ts';
export {
  createWebhookSender,
  type Delivery,
  type DeliveryError,
  type DeliveryOrder,
  type SenderOptions,
  type SendLimits,
  type WebhookSender,
} from './sender.ts';
export { type SignedContent, signatureOf } from './signature.ts';
export { judgeWebhookUrl, type UrlOutcome, type UrlRefusal, type WebhookUrl } from './url.ts';
