import assert from 'node:assert/strict';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createChainRpc } from './chainRpc.ts';
import { RpcAnswerError, RpcUnreachableError } from './errors.ts';

/** A node that gives every request the same answer, and counts them. */
async function startNode(answer: object) {
  const node = { url: '', requests: 0 };
  const server = createServer((request, response) => {
    node.requests++;
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { node, stop: () => stopped(server) };
}

/** Ends a server, and also connections that it takes in only after it was told to end: nothing else would end those. */
async function stopped(server: Server): Promise<void> {
  const ending = setInterval(() => server.closeAllConnections(), 20);
  await new Promise((resolve) => server.close(resolve).closeAllConnections());
  clearInterval(ending);
}

const NOWHERE = 'http://127.0.0.1:1/secret-key';

test('a node that does not answer is skipped, and the next one is asked first from then on', async () => {
  const { node, stop } = await startNode({ result: '0x1' });
  const rpc = createChainRpc([NOWHERE, node.url], 1000);
  assert.equal(await rpc.request({ method: 'eth_chainId' }), '0x1');
  assert.equal(await rpc.request({ method: 'eth_chainId' }), '0x1');
  assert.equal(node.requests, 2);
  await stop();
});

test('an error that a node answers is final: no other node is asked', async () => {
  const first = await startNode({ error: { code: 3, message: 'execution reverted', data: '0xab' } });
  const second = await startNode({ result: '0x1' });
  const rpc = createChainRpc([first.node.url, second.node.url], 1000);
  await assert.rejects(rpc.request({ method: 'eth_call' }), (error) => {
    assert.ok(error instanceof RpcAnswerError);
    assert.equal(error.code, 3);
    assert.equal(error.data, '0xab');
    return true;
  });
  assert.equal(second.node.requests, 0);
  await Promise.all([first.stop(), second.stop()]);
});

test('a redirect of a node is not followed', async () => {
  const inner = await startNode({ result: '0x1' });
  const server = createServer((_request, response) =>
    response.writeHead(307, { location: inner.node.url }).end(),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const rpc = createChainRpc([`http://127.0.0.1:${(server.address() as AddressInfo).port}`], 1000);
  await assert.rejects(rpc.request({ method: 'eth_chainId' }), RpcUnreachableError);
  assert.equal(inner.node.requests, 0);
  await Promise.all([inner.stop(), stopped(server)]);
});

test('the error of nodes that do not answer names neither URL nor request', async () => {
  const rpc = createChainRpc([NOWHERE, '/nowhere/node.ipc', 'ws://127.0.0.1:1/secret-key'], 1000);
  await assert.rejects(rpc.request({ method: 'eth_call', params: ['0xsecret'] }), (error) => {
    assert.ok(error instanceof RpcUnreachableError);
    assert.doesNotMatch(error.message, /secret|127\.0\.0\.1|nowhere/);
    return true;
  });
  rpc.close();
});

test('a node whose answer begins and never ends is given up', async () => {
  const open: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.write('{"jsonrpc":"2.0","id":1,"result":"0x');
    open.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const rpc = createChainRpc([`http://127.0.0.1:${(server.address() as AddressInfo).port}`], 200);
  // Without a limit this request would wait until the runner ends the test.
  await assert.rejects(rpc.request({ method: 'eth_chainId' }), RpcUnreachableError);
  for (const response of open) response.destroy();
  await stopped(server);
});
