import { pbkdf2, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Hex } from '@fairway/relay';
import * as Keystore from 'ox/Keystore';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';

/** A private key, or what is wrong with its file. The words never repeat anything of the file. */
export type UnlockedKey =
  | { readonly ok: true; readonly privateKey: Hex; readonly address: Hex }
  | { readonly ok: false; readonly detail: string };

/** The text of a file that holds an encrypted key, and the key's address. */
export type NewKeystore = { readonly fileText: string; readonly address: Hex };

const LEAST_SCRYPT_COST = 2 ** 20;
const LEAST_PBKDF2_ROUNDS = 600_000;
/** What a file may make this process use: 1 GiB. A scrypt needs 128 bytes for each unit of its cost. */
const MOST_SCRYPT_COST = 2 ** 23;
const MOST_PBKDF2_ROUNDS = 10_000_000;
const BYTES_PER_COST = 128;

const KEY_BYTES = 32;
const NEW_KEY = { n: 131_072, r: 8, p: 1, dklen: KEY_BYTES } as const;

type ScryptOptions = { readonly N: number; readonly r: number; readonly p: number; readonly maxmem: number };
type Scrypt = (password: string, salt: Buffer, length: number, options: ScryptOptions) => Promise<Buffer>;
const deriveByScrypt: Scrypt = promisify(scrypt);
const deriveByPbkdf2 = promisify(pbkdf2);

/** Encrypts a new key with a password, or a given one (Web3 Secret Storage, version 3). */
export async function makeKeystore(
  password: string,
  privateKey: Hex = generatePrivateKey(),
): Promise<NewKeystore> {
  const [salt, iv] = [randomBytes(32), randomBytes(16)];
  const derived = await scryptOf(password, salt, NEW_KEY);
  const kdfparams = { ...NEW_KEY, salt: salt.toString('hex') };
  const keystore = Keystore.encrypt(privateKey, `0x${derived.toString('hex')}`, {
    ...{ kdf: 'scrypt', kdfparams, iv: new Uint8Array(iv) },
  });
  derived.fill(0);
  const address = privateKeyToAddress(privateKey).toLowerCase() as Hex;
  return { fileText: `${JSON.stringify({ address: address.slice(2), ...keystore }, null, 2)}\n`, address };
}

/** Decrypts the key of a keystore file. A file whose password could be guessed is refused. */
export async function unlockKeystore(fileText: string, password: string): Promise<UnlockedKey> {
  const keystore = readKeystore(fileText);
  if (keystore === undefined)
    return refused('the file is no keystore of version 3 with aes-128-ctr. Make one with "keys import".');
  const { address, crypto } = keystore;
  const derived = await derive(crypto.kdf, crypto.kdfparams, password);
  if (typeof derived === 'string') return refused(derived);
  try {
    const privateKey = Keystore.decrypt(keystore as Keystore.Keystore, `0x${derived.toString('hex')}`);
    const own = privateKeyToAddress(privateKey).toLowerCase() as Hex;
    if (address !== undefined && `0x${address.toLowerCase().replace(/^0x/, '')}` !== own)
      return refused('the file names another address than its key has.');
    return { ok: true, privateKey, address: own };
  } catch {
    return refused('the password is wrong, or the file was altered.');
  } finally {
    derived.fill(0);
  }
}

function refused(detail: string): UnlockedKey {
  return { ok: false, detail: `The key cannot be unlocked: ${detail}` };
}

type Parameters = Readonly<Record<string, unknown>>;
type KeystoreFile = {
  readonly version: 3;
  readonly address?: string;
  readonly crypto: { readonly kdf: string; readonly kdfparams: Parameters };
};

const HEX = /^(?:[0-9a-fA-F]{2})+$/;

function readKeystore(text: string): KeystoreFile | undefined {
  try {
    const file = JSON.parse(text) as Partial<KeystoreFile> & { readonly Crypto?: KeystoreFile['crypto'] };
    // Some programs write the key with a capital.
    const { version, address, Crypto, crypto = Crypto } = file;
    // What the file has in these places is checked below.
    const { cipher, ciphertext, mac, cipherparams, kdfparams } = crypto as unknown as Parameters;
    const { iv } = cipherparams as Parameters;
    const { salt } = kdfparams as Parameters;
    const isHex = [ciphertext, mac, iv, salt].every((each) => HEX.test(String(each)));
    if (crypto === undefined || version !== 3 || cipher !== 'aes-128-ctr' || !isHex) return undefined;
    return { version, crypto, ...(address !== undefined && { address }) };
  } catch {
    return undefined;
  }
}

/** The key that the password makes, or why it is not made. */
async function derive(kdf: string, parameters: Parameters, password: string): Promise<Buffer | string> {
  const salt = Buffer.from(String(parameters['salt']), 'hex');
  const [n, r, p, c, dklen] = ['n', 'r', 'p', 'c', 'dklen'].map((name) => Number(parameters[name]));
  if (dklen !== KEY_BYTES) return `its key must have a dklen of ${KEY_BYTES}.`;
  if (kdf === 'pbkdf2' && parameters['prf'] === 'hmac-sha256') {
    if (!isBetween(c, LEAST_PBKDF2_ROUNDS, MOST_PBKDF2_ROUNDS))
      return `its pbkdf2 must have from ${LEAST_PBKDF2_ROUNDS} to ${MOST_PBKDF2_ROUNDS} rounds. Encrypt the key anew.`;
    return deriveByPbkdf2(password, salt, c, KEY_BYTES, 'sha256');
  }
  if (kdf !== 'scrypt') return 'its key derivation must be scrypt, or pbkdf2 with hmac-sha256.';
  if (!isPowerOfTwo(n) || !isBetween(r, 1, 64) || !isBetween(p, 1, 16))
    return 'its scrypt has no such n, r and p.';
  if (!isBetween(n * r, LEAST_SCRYPT_COST, MOST_SCRYPT_COST))
    return `its scrypt must have n times r from ${LEAST_SCRYPT_COST} to ${MOST_SCRYPT_COST}. Encrypt the key anew.`;
  return scryptOf(password, salt, { n, r, p });
}

function isBetween(value: number | undefined, least: number, most: number): value is number {
  return value !== undefined && Number.isInteger(value) && value >= least && value <= most;
}

function isPowerOfTwo(value: number | undefined): value is number {
  return value !== undefined && Number.isInteger(Math.log2(value));
}

function scryptOf(
  password: string,
  salt: Buffer,
  { n, r, p }: { readonly n: number; readonly r: number; readonly p: number },
): Promise<Buffer> {
  const maxmem = BYTES_PER_COST * (n * r + r * p) + 2 ** 20;
  return deriveByScrypt(password, salt, KEY_BYTES, { N: n, r, p, maxmem: maxmem * 2 });
}
