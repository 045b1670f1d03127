import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSigningKey, type SigningKey, type SigningMood } from './signingKey.ts';

/** How the service behaves: SERVES, or one of its failures. */
export type KeyServiceMood = 'SERVES' | 'FAILS' | 'THROTTLES' | 'DENIES' | 'HANGS' | 'RAMBLES';

/** A key management service on loopback that speaks the protocol of AWS KMS. */
export type KeyService = {
  readonly endpoint: string;
  readonly region: string;
  /** The name of its key; `alias` is another name of it. */
  readonly keyName: string;
  readonly alias: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken: string;
  };
  /** The name of another key, which signs, and what it is known by. */
  readonly signingKeyName: string;
  readonly signingKey: SigningKey;
  setSigning(mood: SigningMood): void;
  /** The actions that were asked for, also those that were refused. */
  readonly asked: string[];
  setMood(mood: KeyServiceMood): void;
  /** Makes a second key the one that the names mean. */
  replaceKey(): void;
  /** Ends the service. `reopen` starts it again on the same port, with the same keys. */
  close(): Promise<void>;
  reopen(): Promise<void>;
};

const REGION = 'eu-test-1';

/**
 * Starts a service that checks signatures (Signature Version 4) and really encrypts, with AES-256-GCM and the
 * encryption context as associated data.
 *
 * @example
 * ```ts
 * import { startKeyService } from '@fairway/testing';
 *
 * const service = await startKeyService();
 * const { endpoint } = service; // 'http://127.0.0.1:…'
 * await service.close();
 * ```
 */
export async function startKeyService(): Promise<KeyService> {
  const credentials = {
    accessKeyId: `AKIA${randomBytes(8).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64'),
    sessionToken: randomBytes(60).toString('base64'),
  };
  const account = `arn:aws:kms:${REGION}:000000000000`;
  const state = {
    mood: 'SERVES' as KeyServiceMood,
    keyName: `${account}:key/${randomBytes(4).toString('hex')}`,
    master: randomBytes(32),
    signing: 'LOW_S' as SigningMood,
  };
  const signingKeyName = `${account}:key/${randomBytes(4).toString('hex')}`;
  const signingKey = createSigningKey();
  const alias = 'alias/fairway';
  const asked: string[] = [];
  const answerTo = async (request: IncomingMessage, body: string): Promise<Answer> => {
    const action = String(request.headers['x-amz-target']).replace('TrentService.', '');
    asked.push(action);
    if (state.mood === 'FAILS') return problem(500, 'KMSInternalException');
    if (state.mood === 'THROTTLES') return problem(400, 'ThrottlingException');
    if (state.mood === 'RAMBLES') return { status: 200, body: 'no object' };
    if (!isSigned(request, body, credentials)) return problem(400, 'InvalidSignatureException');
    if (state.mood === 'DENIES') return problem(400, 'AccessDeniedException');
    const ask = JSON.parse(body) as Ask;
    if (ask.KeyId === signingKeyName) return performSigning(action, ask, { signingKey, mood: state.signing });
    if (ask.KeyId !== state.keyName && ask.KeyId !== alias) return problem(400, 'NotFoundException');
    if (action === 'GetPublicKey' || action === 'Sign') return problem(400, 'InvalidKeyUsageException');
    return perform(action, ask, state);
  };
  const open = (port: number) =>
    listen(port, (request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        void answerTo(request, Buffer.concat(pieces).toString('utf8')).then(({ status, body }) => {
          if (state.mood !== 'HANGS') response.writeHead(status).end(JSON.stringify(body));
        });
      });
    });
  let server = await open(0);
  const { port } = server.address() as AddressInfo;
  return {
    ...{ endpoint: `http://127.0.0.1:${port}`, region: REGION, alias, credentials, asked },
    keyName: state.keyName,
    ...{ signingKeyName, signingKey },
    setSigning: (mood) => (state.signing = mood),
    setMood: (mood) => (state.mood = mood),
    replaceKey: () => (state.master = randomBytes(32)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    reopen: async () => {
      server = await open(port);
    },
  };
}

type Answer = { readonly status: number; readonly body: unknown };

type Ask = {
  readonly Message?: string;
  readonly MessageType?: string;
  readonly SigningAlgorithm?: string;
  readonly KeyId?: string;
  readonly NumberOfBytes?: number;
  readonly CiphertextBlob?: string;
  readonly EncryptionContext?: Readonly<Record<string, string>>;
};

function problem(status: number, name: string) {
  // Like AWS: the type has a prefix, and the text says more than a log should.
  return { status, body: { __type: `com.amazonaws.kms#${name}`, message: 'canary: a text of the service' } };
}

async function performSigning(
  action: string,
  { KeyId, Message = '', MessageType, SigningAlgorithm }: Ask,
  { signingKey, mood }: { readonly signingKey: SigningKey; readonly mood: SigningMood },
): Promise<Answer> {
  const known = { KeyId, KeySpec: 'ECC_SECG_P256K1', KeyUsage: 'SIGN_VERIFY' };
  if (action === 'GetPublicKey') {
    const publicKey = signingKey.publicKey.toString('base64');
    return { status: 200, body: { ...known, PublicKey: publicKey, SigningAlgorithms: ['ECDSA_SHA_256'] } };
  }
  if (action !== 'Sign') return problem(400, 'InvalidKeyUsageException');
  const digest = Buffer.from(Message, 'base64');
  if (MessageType !== 'DIGEST' || SigningAlgorithm !== 'ECDSA_SHA_256' || digest.length !== 32)
    return problem(400, 'ValidationException');
  const signature = (await signingKey.sign(digest, mood)).toString('base64');
  return { status: 200, body: { KeyId, Signature: signature, SigningAlgorithm } };
}

function perform(
  action: string,
  { NumberOfBytes = 0, CiphertextBlob = '', EncryptionContext }: Ask,
  { master, keyName }: { readonly master: Buffer; readonly keyName: string },
): Answer {
  const context = Buffer.from(JSON.stringify(EncryptionContext ?? {}));
  if (action === 'GenerateDataKeyWithoutPlaintext') {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', master, nonce).setAAD(context);
    const sealed = Buffer.concat([nonce, cipher.update(randomBytes(NumberOfBytes)), cipher.final()]);
    const blob = Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64');
    return { status: 200, body: { CiphertextBlob: blob, KeyId: keyName } };
  }
  if (action !== 'Decrypt') return problem(400, 'UnknownOperationException');
  const blob = Buffer.from(CiphertextBlob, 'base64');
  if (blob.length < 28) return problem(400, 'InvalidCiphertextException');
  const decipher = createDecipheriv('aes-256-gcm', master, blob.subarray(0, 12), { authTagLength: 16 });
  decipher.setAAD(context).setAuthTag(blob.subarray(-16));
  const opened = decipher.update(blob.subarray(12, -16));
  try {
    const key = Buffer.concat([opened, decipher.final()]);
    return { status: 200, body: { Plaintext: key.toString('base64'), KeyId: keyName } };
  } catch {
    return problem(400, 'InvalidCiphertextException');
  }
}

/** Checks the signature by the algorithm of the AWS manual ("Signature Version 4"), without the client's library. */
function isSigned(request: IncomingMessage, body: string, credentials: KeyService['credentials']): boolean {
  const { headers } = request;
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/kms\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    );
  if (given === null) return false;
  const [, accessKeyId, day = '', region = '', names = '', signature] = given;
  const time = String(headers['x-amz-date']);
  if (accessKeyId !== credentials.accessKeyId || region !== REGION || !time.startsWith(day)) return false;
  if (headers['x-amz-security-token'] !== credentials.sessionToken) return false;
  const signed = names.split(';');
  if (!['host', 'x-amz-date', 'x-amz-target', 'x-amz-security-token'].every((name) => signed.includes(name)))
    return false;
  const canonical = [
    ...[request.method, request.url, ''],
    ...signed.map((name) => `${name}:${String(headers[name]).trim()}`),
    ...['', names, createHash('sha256').update(body).digest('hex')],
  ].join('\n');
  const scope = `${day}/${region}/kms/aws4_request`;
  const digest = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', time, scope, digest].join('\n');
  let key: Buffer = Buffer.from(`AWS4${credentials.secretAccessKey}`);
  for (const part of [day, region, 'kms', 'aws4_request', text])
    key = createHmac('sha256', key).update(part).digest();
  return key.toString('hex') === signature;
}

async function listen(
  port: number,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}
