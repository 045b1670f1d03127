// A signing server on loopback that speaks the protocol of web3signer in the mode eth1.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hex } from '@fairway/relay';
import {
  numberToHex,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializableEIP1559,
  type TypedDataDefinition,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

/** SERVES, or what is wrong with its answers. */
export type ServerMood =
  | 'SERVES'
  | 'HIGH_S'
  | 'WRONG_PARITY'
  | 'OTHER_KEY'
  | 'OTHER_RECIPIENT'
  | 'OTHER_NONCE'
  | 'GARBAGE'
  | 'KNOWS_TRANSACTIONS_ALONE'
  | 'FAILS'
  | 'RAMBLES'
  | 'HANGS';

export type SigningServer = {
  readonly url: string;
  readonly address: Hex;
  readonly privateKey: Hex;
  /** The requests that it was sent. */
  readonly asked: { readonly method: string; readonly params: readonly unknown[] }[];
  readonly authorizations: (string | undefined)[];
  setMood(mood: ServerMood): void;
  /** The chain that it signs for, whatever it is asked for. */
  setChainId(chainId: number): void;
  close(): Promise<void>;
  reopen(): Promise<void>;
};

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The parameters as the server documents them. It passes over others, such as a chain id. */
type Parameters = Readonly<
  Record<
    'from' | 'to' | 'data' | 'nonce' | 'gas' | 'value' | 'maxFeePerGas' | 'maxPriorityFeePerGas',
    Hex | undefined
  >
>;

export async function startSigningServer(chainId: number): Promise<SigningServer> {
  const privateKey = generatePrivateKey();
  const address = privateKeyToAccount(privateKey).address.toLowerCase() as Hex;
  const state = { mood: 'SERVES' as ServerMood, chainId };
  const asked: SigningServer['asked'] = [];
  const authorizations: SigningServer['authorizations'] = [];

  async function answerTo(body: string): Promise<object> {
    const { method, params } = JSON.parse(body) as SigningServer['asked'][number];
    asked.push({ method, params });
    if (method === 'eth_accounts') return { result: [address] };
    const isReadable = method === 'eth_sign' || method === 'eth_signTypedData';
    if (isReadable && state.mood !== 'KNOWS_TRANSACTIONS_ALONE') return readableAnswer(method, params);
    if (method !== 'eth_signTransaction') return failure(-32_601, 'Method not found');
    const [given] = params as [Parameters];
    if (params.length !== 1 || given.nonce === undefined) return failure(-32_602, 'Invalid params');
    if (given.from?.toLowerCase() !== address)
      return failure(-32_000, `No unlocked account matches the Sender (canary ${given.from})`);
    return { result: await signed(given, state, privateKey) };
  }

  /** Both take the address and a text: the bytes of the message in hex, or typed data as JSON. */
  async function readableAnswer(method: string, [from, text]: readonly unknown[]): Promise<object> {
    if (from !== address) return failure(-32_000, 'No unlocked account matches (canary)');
    if (state.mood === 'GARBAGE') return { result: '0x02c0' };
    const account = privateKeyToAccount(state.mood === 'OTHER_KEY' ? generatePrivateKey() : privateKey);
    if (method === 'eth_sign')
      return { result: await account.signMessage({ message: { raw: text as Hex } }) };
    const typedData = JSON.parse(String(text)) as TypedDataDefinition;
    return { result: await account.signTypedData(typedData) };
  }

  const open = (port: number) => {
    const server = createServer((request, response) => {
      void (async () => {
        const body = await textOf(request);
        authorizations.push(request.headers.authorization);
        if (state.mood === 'HANGS') return;
        if (state.mood === 'FAILS') response.writeHead(503).end('canary: no upstream');
        else if (state.mood === 'RAMBLES') response.end('<html>canary</html>');
        else response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...(await answerTo(body)) }));
      })();
    });
    return new Promise<typeof server>((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
  };
  let server = await open(0);
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}`, address, privateKey, asked, authorizations },
    setMood: (mood) => (state.mood = mood),
    setChainId: (other) => (state.chainId = other),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    async reopen() {
      server = await open(port);
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await request.toArray()).toString();
}

function failure(code: number, message: string): object {
  return { error: { code, message } };
}

async function signed(
  given: Parameters,
  { mood, chainId }: { readonly mood: ServerMood; readonly chainId: number },
  privateKey: Hex,
): Promise<Hex> {
  if (mood === 'GARBAGE') return '0x02c0';
  const thief = privateKeyToAccount(generatePrivateKey()).address;
  const transaction: TransactionSerializableEIP1559 = {
    ...{ type: 'eip1559', chainId, nonce: Number(given.nonce) + (mood === 'OTHER_NONCE' ? 1 : 0) },
    ...{ gas: BigInt(given.gas ?? 90_000), value: BigInt(given.value ?? 0), data: given.data ?? '0x' },
    to: mood === 'OTHER_RECIPIENT' ? thief : (given.to ?? null),
    maxFeePerGas: BigInt(given.maxFeePerGas ?? 0),
    maxPriorityFeePerGas: BigInt(given.maxPriorityFeePerGas ?? 0),
  };
  const key = mood === 'OTHER_KEY' ? generatePrivateKey() : privateKey;
  const raw = await privateKeyToAccount(key).signTransaction(transaction);
  const { r, s, yParity } = parseTransaction(raw) as { r: Hex; s: Hex; yParity: number };
  const turned = mood === 'WRONG_PARITY' ? 1 - yParity : yParity;
  const other = numberToHex(ORDER - BigInt(s), { size: 32 });
  return serializeTransaction(transaction, { r, s: mood === 'HIGH_S' ? other : s, yParity: turned });
}
