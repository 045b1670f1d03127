// A receiver of webhooks that keeps the newest state. It checks each signature, and drops events older than the last
// one of the same subject. A receiver that acts on each type of event drops a repeated webhook-id instead, and
// nothing else. Run: WEBHOOK_SECRET=whsec_... npm run example:webhooks, and make an endpoint with the URL that it
// prints.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyWebhook, WebhookError } from '@fairway/sdk/webhooks';

const secret = process.env['WEBHOOK_SECRET'] ?? '';
if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) {
  console.error('WEBHOOK_SECRET must be the secret of the endpoint, which its first answer has: whsec_…');
  process.exit(1);
}
/** The highest sequence of each subject. Keep it in your database, in the transaction that does what an event asks for. */
const seen = new Map<string, number>();

async function receive(request: IncomingMessage, response: ServerResponse) {
  const body = await text(request);
  const { type, subject, sequence } = await verifyWebhook({ body, headers: request.headers, secret });
  const isNew = sequence > (seen.get(subject.id) ?? 0);
  // Your work is here. Only an event that was handled is remembered. When handling fails, the answer is 500, and the
  // event is sent again.
  console.log(isNew ? `${type} ${subject.id} ${sequence}` : `dropped ${subject.id} ${sequence}`);
  if (isNew) seen.set(subject.id, sequence);
  response.writeHead(204).end();
}

const server = createServer((request, response) => {
  receive(request, response).catch((error: unknown) => {
    const isRefused = error instanceof WebhookError;
    console.error(isRefused ? `refused: ${error.message}` : error);
    response.writeHead(isRefused ? 400 : 500).end();
  });
});
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as { port: number }).port}/`);
});
