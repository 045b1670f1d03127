import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

/** Above a chain of certificates, and above any private key. */
const LONGEST_PEM = 20_000;
/**
 * The size of RSA keys, in bits. Each connection signs on the thread that serves everybody: 17 s with a key of 16,384
 * bits.
 */
const RSA_BITS = { least: 2048, most: 4096 } as const;
const CURVES = ['prime256v1', 'secp384r1'];

/** A certificate, followed by those between it and its root if there are any, and its private key; both in PEM form. */
export type ClientCertificate = { readonly cert: string; readonly key: string };

/** Whether a client certificate can be shown to receivers, or why not. */
export type ClientCertificateOutcome =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly reason:
        | 'TOO_LONG'
        | 'CERT_NOT_USABLE'
        | 'KEY_NOT_USABLE'
        | 'KEY_KIND_REFUSED'
        | 'KEY_OF_ANOTHER_CERT';
      readonly detail: string;
    };

const DETAILS = {
  TOO_LONG: `The certificate or its key is longer than ${LONGEST_PEM} characters: give the certificate and its chain alone.`,
  CERT_NOT_USABLE: 'cert is not a usable certificate: give it in PEM form (-----BEGIN CERTIFICATE-----).',
  KEY_NOT_USABLE: 'key is not a usable private key: give it in PEM form, without a passphrase.',
  KEY_KIND_REFUSED: `The key must be RSA of ${RSA_BITS.least} to ${RSA_BITS.most} bits, ECDSA on P-256 or P-384, or Ed25519.`,
  KEY_OF_ANOTHER_CERT:
    'key is not the private key of cert: the first certificate in cert must be the one of key.',
} as const;

/**
 * Judges a certificate with which the sender proves itself to receivers (mutual TLS). A refusal repeats nothing of it.
 *
 * @example
 * ```ts
 * import { judgeClientCertificate } from '@fairway/webhooks';
 *
 * const judged = judgeClientCertificate({ cert: 'none', key: 'none' });
 * const reason = judged.ok ? undefined : judged.reason; // 'CERT_NOT_USABLE'
 * ```
 */
export function judgeClientCertificate({ cert, key }: ClientCertificate): ClientCertificateOutcome {
  if (cert.length > LONGEST_PEM || key.length > LONGEST_PEM) return refused('TOO_LONG');
  const certificate = orUndefined(() => new X509Certificate(cert));
  if (certificate === undefined) return refused('CERT_NOT_USABLE');
  const privateKey = orUndefined(() => createPrivateKey(key));
  if (privateKey === undefined) return refused('KEY_NOT_USABLE');
  if (!isQuickToSign(certificate.publicKey) || !isQuickToSign(privateKey)) return refused('KEY_KIND_REFUSED');
  const isOwn = orUndefined(() => certificate.checkPrivateKey(privateKey));
  if (isOwn !== true) return refused('KEY_OF_ANOTHER_CERT');
  // TLS refuses more than what can be read, such as short keys, and a chain whose later part is damaged.
  return orUndefined(() => createSecureContext({ cert, key })) === undefined
    ? refused('CERT_NOT_USABLE')
    : { ok: true };
}

function isQuickToSign({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails ?? {};
  switch (asymmetricKeyType) {
    case 'rsa':
      return modulusLength >= RSA_BITS.least && modulusLength <= RSA_BITS.most;
    case 'ec':
      return CURVES.includes(namedCurve);
    default:
      return asymmetricKeyType === 'ed25519';
  }
}

/** The result of a function; undefined where it throws. Its message can repeat what it was given. */
function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function refused(reason: keyof typeof DETAILS): ClientCertificateOutcome {
  return { ok: false, reason, detail: DETAILS[reason] };
}
