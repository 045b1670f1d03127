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
    throw new KeystoreError(`${path}: cannot be read: ${codeOf(error)}`);
  });
  const unlocked = await unlockKeystore(fileText, password);
  if (!unlocked.ok) throw new KeystoreError(`${path}: ${unlocked.detail}`);
  return keySigner(unlocked.privateKey);
}

/** Makes a key and writes it encrypted to a new file. Answers with its address. @throws KeystoreError */
export async function writeNewKeystore(path: string, password: string): Promise<Hex> {
  const { fileText, address } = await makeKeystore(password);
  await writeFile(path, fileText, { mode: 0o600, flag: 'wx', flush: true }).catch((error: unknown) => {
    throw new KeystoreError(`${path}: cannot be written: ${codeOf(error)}`);
  });
  return address;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}
