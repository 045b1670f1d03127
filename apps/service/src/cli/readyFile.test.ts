import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ConfigError } from '../platform/config/error.ts';
import { prepareReadyFile } from './readyFile.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-ready-'));
after(() => rmSync(folder, { recursive: true }));
const service = { url: 'http://127.0.0.1:1', close: async () => {} };

test('the file of an earlier start is removed at once, the file of this start at its end', () => {
  const path = join(folder, 'ready.json');
  writeFileSync(path, 'from a start that was killed');
  const file = prepareReadyFile(path);
  assert.equal(existsSync(path), false);
  file.write(service);
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), { url: service.url });
  file.remove();
  assert.deepEqual(readdirSync(folder), []);
});

test("another service's file is left alone", () => {
  const path = join(folder, 'shared.json');
  const file = prepareReadyFile(path);
  file.write(service);
  writeFileSync(path, 'of another');
  file.remove();
  assert.equal(readFileSync(path, 'utf8'), 'of another');
});

test('a path that cannot be written is refused with the reason', () => {
  mkdirSync(join(folder, 'folder'));
  writeFileSync(join(folder, 'file'), '');
  for (const [path, says] of [
    [join(folder, 'missing', 'ready.json'), /there is no folder .*missing/],
    [join(folder, 'file', 'ready.json'), /this is no folder: .*file/],
    [join(folder, 'folder'), /cannot be written/],
  ] as const) {
    assert.throws(
      () => prepareReadyFile(path),
      (error) => error instanceof ConfigError && says.test(error.message),
      path,
    );
  }
});
