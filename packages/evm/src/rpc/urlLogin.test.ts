// Every password of a URL reaches a node in UTF-8.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { createChainRpc } from './chainRpc.ts';
import { parseUrlLogin } from './urlLogin.ts';

const PASSWORDS = ['secret', 'a:b', '100%', 'pä%ß', '密码😀', 'a/b?c#d@e', '%41', ' ', '+', ''];

/** The logins that a server is asked with over a URL that names `login`; nothing is answered. */
async function heardWith(scheme: 'http' | 'ws', login: string): Promise<string | undefined> {
  let heard: string | undefined;
  const server = createServer((request, response) => {
    heard = request.headers.authorization;
    response.writeHead(401).end();
  });
  server.on('upgrade', (request, socket) => {
    heard = request.headers.authorization;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const rpc = createChainRpc([`${scheme}://${login}127.0.0.1:${port}/`], 5000);
  await assert.rejects(rpc.request({ method: 'eth_chainId' }));
  rpc.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return heard;
}

for (const scheme of ['http', 'ws'] as const)
  test(`a node over ${scheme} gets the login of its URL in UTF-8`, async () => {
    for (const password of PASSWORDS) {
      const heard = await heardWith(scheme, `${encodeURIComponent('jörg')}:${encodeURIComponent(password)}@`);
      const [kind, credential = ''] = (heard ?? '').split(' ');
      assert.equal(kind, 'Basic');
      assert.equal(Buffer.from(credential, 'base64').toString('utf8'), `jörg:${password}`);
    }
    assert.equal(await heardWith(scheme, ''), undefined);
  });

test(`every login comes back from a URL, and none stays in it (FC_SEED=${seed})`, () => {
  const name = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed().replaceAll(':', ''));
  const word = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed());
  fc.assert(
    fc.property(
      name,
      word,
      fc.constantFrom('https', 'wss', 'smtp', 'postgres'),
      (username, password, scheme) => {
        fc.pre(username + password !== '');
        const login = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
        const parsed = parseUrlLogin(`${scheme}://${login}@node.example/v1?a=b`);
        assert.deepEqual(parsed, { url: `${scheme}://node.example/v1?a=b`, login: { username, password } });
      },
    ),
    { seed, numRuns: 500 },
  );
});

test('a login that is not percent-encoded in UTF-8 is none', () => {
  for (const login of ['me:100%', 'me:%zz', 'me:%ff', 'me:%C3', '%3A:a', 'm%3Ae:a'])
    assert.equal(parseUrlLogin(`https://${login}@node.example`), undefined, login);
  assert.equal(parseUrlLogin('https://me:a#b@node.example'), undefined);
  assert.equal(parseUrlLogin('nothing'), undefined);
});
