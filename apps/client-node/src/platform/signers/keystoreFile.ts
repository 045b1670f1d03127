import { readFile, writeFile } from 'node:fs/promises';
import type { Hex } from '@fairway/relay';
import { keySigner } from './keySigner.ts';
import { makeKeystore, unlockKeystore } from './keystore.ts';
import type { Signer } from './signer.ts';

/** The keystore cannot be used. The message says why, and never shows the key or the password. */
export class KeystoreError extends Error {
  override readonly name = 'KeystoreError';
}

/** Opens the encrypted key of a file (Web3 Secret Storage, version 3). @throws KeystoreError */
export async function openKeystore(path: string, password: string): Promise<Signer> {
  const fileText = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new KeystoreError(`${path}: cannot be read: ${reasonOf(error)}`);
  });
  const unlocked = await unlockKeystore(fileText, password);
  if (!unlocked.ok) throw new KeystoreError(`${path}: ${unlocked.detail}`);
  return keySigner(unlocked.privateKey);
}

/** Makes a key and writes it encrypted to a new file. Answers with its address. @throws KeystoreError */
export async function writeNewKeystore(path: string, password: string): Promise<Hex> {
  const { fileText, address } = await makeKeystore(password);
  await writeFile(path, fileText, { mode: 0o600, flag: 'wx', flush: true }).catch((error: unknown) => {
    throw new KeystoreError(`${path}: no key was made: ${reasonOf(error)}`);
  });
  return address;
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'the file is there already, and no key is ever overwritten. Name another file.',
  ENOENT: 'there is no such file or folder.',
  EACCES: 'this user may not do so.',
};

function reasonOf(error: unknown): string {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? code;
}
