import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { ConfigError } from './error.ts';
import { READ_FAULTS } from './readFaults.ts';

/**
 * The certificate that the service shows to its callers, with the chain behind it, and its private key; both in PEM.
 */
export type TlsConfig = { readonly cert: string; readonly key: string };

/**
 * Reads the files of --tls-cert and --tls-key; undefined when neither is given.
 * @throws ConfigError that names the file, without its content.
 */
export function readTls(certFile: string | undefined, keyFile: string | undefined): TlsConfig | undefined {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    const [given, missing] = certFile === undefined ? ['key', 'cert'] : ['cert', 'key'];
    throw new ConfigError([
      `--tls-${missing}: is missing; --tls-${given} needs it. Give both files or none.`,
    ]);
  }
  const cert = readPem('--tls-cert', certFile);
  const key = readPem('--tls-key', keyFile);
  const certificate = read(() => new X509Certificate(cert));
  if (certificate === undefined)
    throw new ConfigError([`--tls-cert ${certFile}: holds no certificate in PEM form (BEGIN CERTIFICATE).`]);
  const privateKey = readKey(key, keyFile);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new ConfigError([
      `--tls-key ${keyFile}: is not the key of the first certificate in ${certFile}. ` +
        'The certificate of this server comes first, the certificates of its issuers follow.',
    ]);
  }
  // Finds what is wrong with the certificates behind the first one, and keys that are too weak to be used.
  if (read(() => createSecureContext({ cert, key })) === undefined)
    throw new ConfigError([
      `--tls-cert ${certFile}: cannot be used: a certificate in it is damaged or too weak.`,
    ]);
  return { cert, key };
}

/** When a certificate ends, in milliseconds since 1970. */
export function certificateEndMs({ cert }: TlsConfig): number {
  return new X509Certificate(cert).validToDate.getTime();
}

function readPem(option: string, file: string): string {
  try {
    return readFileSync(resolve(file), 'utf8');
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new ConfigError([`${option} ${file}: ${READ_FAULTS[code] ?? message}`]);
  }
}

function readKey(key: string, file: string): KeyObject {
  if (/ENCRYPTED/.test(key))
    throw new ConfigError([`--tls-key ${file}: is encrypted; give the key without a passphrase.`]);
  const privateKey = read(() => createPrivateKey(key));
  if (privateKey !== undefined) return privateKey;
  throw new ConfigError([`--tls-key ${file}: holds no private key in PEM form (BEGIN PRIVATE KEY).`]);
}

/** The value, or undefined when it cannot be made. The error is not shown, because it can quote the file. */
function read<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
