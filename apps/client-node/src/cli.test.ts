import assert from 'node:assert/strict';
import { test } from 'node:test';
import { welcome } from './cli.ts';

const NODE = {
  url: 'http://127.0.0.1:8090',
  login: { username: 'cred_1', password: 'secret' },
  credentialFile: '/data/credential.json',
  relayers: [],
};

test('a start prints the password in the sandbox alone, and in production where it is', () => {
  assert.match(welcome(NODE, 'sandbox'), /cred_1[^]*secret/);
  const said = welcome(NODE, 'production');
  assert.doesNotMatch(said, /secret/);
  assert.match(said, /\/data\/credential\.json/);
});
