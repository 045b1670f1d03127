/** A door of its own beside the index, which loads the chain and the database. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** A certificate and its private key, both in PEM form. */
export type TestCertificate = { readonly cert: string; readonly key: string; readonly privateKey: KeyObject };

/**
 * What a certificate is for: IPv4 addresses and names, 127.0.0.1 unless given. It ends in a year unless another time
 * is given. Its keys are of P-256 unless given. The certificate always says that it is signed by ECDSA.
 */
export type CertificateOrder = {
  readonly hosts?: readonly string[];
  readonly endMs?: number;
  readonly keys?: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
};

const YEAR_MS = 365 * 86_400_000;

/** Makes a certificate that signs itself. */
export function makeCertificate({
  hosts = ['127.0.0.1'],
  endMs = Date.now() + YEAR_MS,
  keys = generateKeyPairSync('ec', { namedCurve: 'P-256' }),
}: CertificateOrder = {}): TestCertificate {
  const { publicKey, privateKey } = keys;
  const ecdsaWithSha256 = sequence(oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));
  const name = sequence(der(0x31, sequence(oid([0x55, 0x04, 0x03]), der(0x0c, Buffer.from('Fairway test')))));
  const alternativeNames = sequence(
    oid([0x55, 0x1d, 0x11]),
    der(0x04, sequence(...hosts.map(alternativeName))),
  );
  const tbs = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(time(Date.UTC(2020, 0, 1)), time(endMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeNames)),
  );
  const signature = der(
    0x03,
    Buffer.concat([Buffer.from([0]), sign(digestFor(privateKey), tbs, privateKey)]),
  );
  return {
    cert: pem('CERTIFICATE', sequence(tbs, ecdsaWithSha256, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    privateKey,
  };
}

/** Keys on Edwards curves hash by themselves. */
function digestFor({ asymmetricKeyType }: KeyObject): string | null {
  return asymmetricKeyType?.startsWith('ed') === true ? null : 'sha256';
}

function alternativeName(host: string): Buffer {
  return isIPv4(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** A value in ASN.1 DER: tag, length, content. */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function oid(bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/\.\d+|\D/g, '');
  return der(0x18, Buffer.from(`${digits}Z`));
}
