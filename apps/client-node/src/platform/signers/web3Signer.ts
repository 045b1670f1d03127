import type { Hex } from '@fairway/relay';
import { isHex, numberToHex, stringToHex } from 'viem';
import { type Signer, SignerAwayError, type Unsigned } from './signer.ts';

/** A signing server: web3signer in the mode eth1, which holds the key of an address. */
export type Web3SignerPlace = {
  readonly url: string;
  readonly address: Hex;
  /** How long it may take to answer; 5 s unless given. */
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 5_000;

/** What an operator has to do about an error of the server, by its code. */
const REMEDIES: Readonly<Record<string, string>> = {
  '-32000': 'it has no key of this address: load the key, and restart or reload the server',
  '-32601': 'it does not know this method: start it in the mode eth1, and use a version that has it',
  '-32602': 'it does not take these parameters: use a version that signs them',
};

/**
 * Signs with a signing server by `eth_signTransaction`. So the server sees what it signs, and gives the whole transaction.
 * Its other way, `/api/v1/eth1/sign`, would have it sign any bytes. So messages go to `eth_sign`, which puts the prefix of
 * EIP-191 before them by itself, and typed data to `eth_signTypedData`. The server signs for the chain that it was started
 * for, whatever it is asked for, so a server serves one chain.
 */
export function web3Signer(place: Web3SignerPlace): Signer {
  const { address } = place;
  return {
    address,
    sign: (unsigned) => askServer(place, 'eth_signTransaction', [parametersOf(address, unsigned)]),
    signReadable: (readable) =>
      readable.kind === 'MESSAGE'
        ? askServer(place, 'eth_sign', [address, stringToHex(readable.text)])
        : askServer(place, 'eth_signTypedData', [address, JSON.stringify(readable.typedData)]),
  };
}

async function askServer(
  { url, timeoutMs = TIMEOUT_MS }: Web3SignerPlace,
  method: string,
  params: readonly unknown[],
): Promise<Hex> {
  // A URL can hold a password.
  const { origin } = new URL(url);
  const away = (detail: string) => new SignerAwayError(`${origin} ${detail}.`, false);
  const signal = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(withoutLogin(url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...loginOf(url) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      redirect: 'error',
      signal,
    });
    text = await response.text();
  } catch {
    throw away(signal.aborted ? `does not answer within ${timeoutMs / 1000} s` : 'cannot be reached');
  }
  if (response.status === 401 || response.status === 403)
    throw new SignerAwayError(`${origin} answers ${response.status}: correct the user and password.`, true);
  const { result, error } = answerOf(text);
  if (isHex(result)) return result;
  // Its own text can repeat the request.
  if (typeof error?.code === 'number') {
    const remedy = REMEDIES[error.code];
    throw new SignerAwayError(
      `${origin} answers error ${error.code} to ${method}${remedy === undefined ? '' : `: ${remedy}`}.`,
      remedy !== undefined,
    );
  }
  throw away(response.ok ? 'does not answer as web3signer does' : `answers ${response.status}`);
}

type Answer = { readonly result?: unknown; readonly error?: { readonly code?: unknown } };

function answerOf(text: string): Answer {
  try {
    return (JSON.parse(text) as Answer | null) ?? {};
  } catch {
    return {};
  }
}

function parametersOf(from: Hex, unsigned: Unsigned): object {
  const {
    to,
    data,
    nonce = 0,
    gas = 0n,
    value = 0n,
    maxFeePerGas = 0n,
    maxPriorityFeePerGas = 0n,
  } = unsigned;
  return {
    ...{ from, to, data, nonce: numberToHex(nonce), gas: numberToHex(gas), value: numberToHex(value) },
    maxFeePerGas: numberToHex(maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas),
  };
}

function withoutLogin(text: string): URL {
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return url;
}

/** The header that a proxy before the server asks for, where the URL holds a user and a password. */
function loginOf(text: string): Readonly<Record<string, string>> {
  const { username, password } = new URL(text);
  if (username === '') return {};
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return { authorization: `Basic ${login.toString('base64')}` };
}
