// What one URL of a node does not answer is asked of the next; what every node would say is final.
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { createAgreedRpc } from '../agreement/agreedRpc.ts';
import { createChainRpc } from './chainRpc.ts';
import { RpcAnswerError, RpcBusyError } from './errors.ts';

type RpcError = { readonly code: number; readonly message: string; readonly data?: unknown };
type Reply = { readonly status?: number; readonly headers?: IncomingHttpHeaders } & (
  | { readonly result: unknown }
  | { readonly error: RpcError }
  | { readonly body: string }
);
type Asked = { readonly method: string; readonly params: readonly unknown[] };

const ends: (() => Promise<unknown>)[] = [];
after(() => Promise.all(ends.map((end) => end())));

/** A node that answers as told, and keeps what it was asked. */
async function startNode(reply: (asked: Asked, count: number) => Reply) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = JSON.parse(Buffer.concat(chunks).toString()) as Asked & { id: unknown };
      asked.push(call);
      const { status = 200, headers = {}, ...content } = reply(call, asked.length);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(
        'body' in content ? content.body : JSON.stringify({ jsonrpc: '2.0', id: call.id, ...content }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function connect(urls: readonly string[], timeoutMs = 2000) {
  const rpc = createChainRpc(urls, timeoutMs);
  ends.push(async () => rpc.close());
  return rpc;
}

const works = () => startNode(() => ({ result: '0x7' }));
const CALL = { method: 'eth_call', params: [{ to: '0xab', data: '0x' }, { blockHash: '0xcd' }] };

const PASSED_ON: Readonly<Record<string, Reply>> = {
  'HTTP 429 with a JSON-RPC body': { status: 429, error: { code: 429, message: 'Too Many Requests' } },
  'HTTP 429 with a page': { status: 429, body: '<p>Too Many Requests</p>' },
  'HTTP 503 with a page': { status: 503, body: '<p>Unavailable</p>' },
  'code 429': { error: { code: 429, message: 'compute units per second capacity exceeded' } },
  'code -32001': { error: { code: -32_001, message: 'resource not found' } },
  'code -32005': { error: { code: -32_005, message: 'daily request count exceeded, request rate limited' } },
  'code -32007': { error: { code: -32_007, message: '50/second request limit reached' } },
  'code -32016': { error: { code: -32_016, message: 'over rate limit' } },
  'header not found': { error: { code: -32_000, message: 'header not found' } },
  'missing trie node': { error: { code: -32_000, message: 'missing trie node 1a2b (path )' } },
  'too many arguments': { error: { code: -32_602, message: 'too many arguments, want at most 2' } },
  'words in place of revert data': {
    error: { code: -32_602, message: 'Invalid params', data: 'Incorrect count' },
  },
  'an internal error': { error: { code: -32_603, message: 'Internal error' } },
  'words that nobody knows': { error: { code: -32_000, message: 'gremlins' } },
};
for (const [what, reply] of Object.entries(PASSED_ON))
  test(`${what} at one URL: the next one is asked at once`, async () => {
    const [first, second] = [await startNode(() => reply), await works()];
    assert.equal(await connect([first.url, second.url]).request(CALL), '0x7');
    assert.deepEqual([first.asked.length, second.asked.length], [1, 1]);
  });

const FINAL: Readonly<Record<string, RpcError>> = {
  'a revert': { code: 3, message: 'execution reverted', data: '0xab' },
  'a revert in words': { code: -32_000, message: 'execution reverted' },
  'a nonce that is too low': { code: -32_000, message: 'nonce too low' },
};
for (const [what, error] of Object.entries(FINAL))
  test(`${what} is final: no other URL is asked`, async () => {
    const [first, second] = [await startNode(() => ({ error })), await works()];
    await assert.rejects(connect([first.url, second.url]).request(CALL), { ...error });
    assert.equal(second.asked.length, 0);
  });

for (const answer of [
  { status: 429, headers: { 'retry-after': '0' }, body: '' },
  { error: { code: -32_005, message: 'rate limited' } },
])
  test(`the only URL, busy twice (${'status' in answer ? 429 : 'code'}), is asked again`, async () => {
    const node = await startNode((_, count) => (count <= 2 ? answer : { result: '0x7' }));
    assert.equal(await connect([node.url], 20_000).request(CALL), '0x7');
    assert.equal(node.asked.length, 3);
  });

test('a URL is not asked in the pause that it wants, and the error says why', async () => {
  const node = await startNode(() => ({ status: 429, headers: { 'retry-after': '60' }, body: '' }));
  const rpc = connect([node.url]);
  for (let time = 0; time < 3; time++)
    await assert.rejects(rpc.request(CALL), (error) => {
      assert.ok(error instanceof RpcBusyError);
      assert.match(error.message, /^The node limits how often it is asked/);
      assert.doesNotMatch(error.message, /configured|Check that it runs|127\.0\.0\.1/);
      return true;
    });
  assert.equal(node.asked.length, 1);
});

test('a form that a URL does not know is not asked of it again, other forms are', async () => {
  const first = await startNode(({ params }) =>
    params.length > 2
      ? { error: { code: -32_602, message: 'too many arguments, want at most 2' } }
      : { result: '0x1' },
  );
  const second = await works();
  const rpc = connect([first.url, second.url]);
  const overriding = (address: string) => ({
    ...CALL,
    params: [...CALL.params, { [address]: { code: '0x' } }],
  });
  for (const address of ['0x01', '0x02', '0x03']) assert.equal(await rpc.request(overriding(address)), '0x7');
  assert.equal(await rpc.request(CALL), '0x1');
  assert.deepEqual([first.asked.length, second.asked.length], [2, 3]);
  const alone = connect([first.url]);
  for (let time = 0; time < 3; time++)
    await assert.rejects(alone.request(overriding('0x04')), /too many arguments/);
  assert.equal(first.asked.length, 3);
});

test('a form that a URL has answered before is asked of it again after a refusal', async () => {
  const node = await startNode((_, count) =>
    count === 2 ? { error: { code: -32_602, message: 'Invalid params' } } : { result: '0x1' },
  );
  const rpc = connect([node.url]);
  assert.equal(await rpc.request(CALL), '0x1');
  await assert.rejects(rpc.request(CALL), /Invalid params/);
  assert.equal(await rpc.request(CALL), '0x1');
});

test('a question that is too large for every URL comes back as such, to be halved', async () => {
  const tooLarge = { code: -32_005, message: 'query returned more than 10000 results' };
  const nodes = [await startNode(() => ({ error: tooLarge })), await startNode(() => ({ error: tooLarge }))];
  const range = { method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock: '0x9' }] };
  await assert.rejects(connect(nodes.map(({ url }) => url)).request(range), (error) => {
    assert.ok(error instanceof RpcAnswerError);
    assert.equal(error.message, tooLarge.message);
    return true;
  });
  assert.deepEqual(
    nodes.map(({ asked }) => asked.length),
    [1, 1],
  );
});

test('a busy node has no vote: with too few others nothing is believed', async () => {
  const busy = await startNode(() => ({ status: 429, headers: { 'retry-after': '60' }, body: '' }));
  const [one, other] = [await works(), await works()];
  const node = (name: string, { url }: { url: string }) => ({ name, rpc: connect([url], 300) });
  const agreed = (...nodes: ReturnType<typeof node>[]) =>
    createAgreedRpc({ nodes, agreement: 2, onEvent: () => undefined });
  assert.equal(await agreed(node('busy', busy), node('one', one), node('other', other)).request(CALL), '0x7');
  await assert.rejects(agreed(node('busy', busy), node('one', one)).request(CALL), {
    name: 'TooFewNodesError',
    message:
      'Fewer than 2 nodes answer, and 2 must say the same. These limit how often they are asked: busy.',
  });
});
