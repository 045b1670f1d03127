import type { Address } from '@fairway/engine';
import { decodeAbiParameters, hexToString, trim } from 'viem';
import { type BatchRead, inParts, type ReadAnswer, WHY_READS_FAIL } from '../rpc/multicall.ts';
import { cutText } from '@fairway/values';
import type { LeftOut, TokenInfo } from '../types.ts';

const SELECTORS = { decimals: '0x313ce567', symbol: '0x95d89b41', name: '0x06fdde03' } as const;

/** Names and symbols are shown to this length; longer ones come from contracts that want to be noticed. */
const MAX_TEXT_LENGTH = 64;

/** Tokens that are read in one request and described in one turn of the event loop. */
const TOKENS_AT_ONCE = 100;

/** The listed tokens as their contracts describe them, and those that cannot be traded. */
export type ReadTokens = { readonly tokens: readonly TokenInfo[]; readonly leftOut: readonly LeftOut[] };

/**
 * Reads tokens as their contracts describe them. A contract without usable decimals is left out, because amounts of
 * it could not be shown. A contract that cannot say its name is left out, too: a fault when it is read can come when
 * it is traded.
 */
export async function readTokens(read: BatchRead, addresses: readonly Address[]): Promise<ReadTokens> {
  const tokens: TokenInfo[] = [];
  const leftOut: LeftOut[] = [];
  for (const part of inParts(addresses, TOKENS_AT_ONCE)) {
    const answers = await read(
      part.flatMap((target) => [
        { target, callData: SELECTORS.decimals },
        { target, callData: SELECTORS.symbol },
        { target, callData: SELECTORS.name },
      ]),
    );
    for (const [index, address] of part.entries()) {
      const [decimals, symbol, name] = answers.slice(3 * index, 3 * index + 3);
      const described = describeToken(address, { decimals, symbol, name });
      if (typeof described === 'string') leftOut.push({ address, reason: described });
      else tokens.push(described);
    }
  }
  return { tokens, leftOut };
}

type Described = { readonly [Part in 'decimals' | 'symbol' | 'name']: ReadAnswer };

/** A token, or why it is left out. */
function describeToken(address: Address, answers: Described): TokenInfo | string {
  for (const [part, answer] of Object.entries(answers))
    if (answer === undefined) return `${part}() fails: ${WHY_READS_FAIL}`;
  const decimals = decodeDecimals(answers.decimals);
  if (answers.decimals === '0x') return 'decimals() answers nothing: there is no token at this address';
  if (decimals === undefined) return 'decimals() answers no number from 0 to 255';
  const symbol = decodeText(answers.symbol) ?? address.slice(0, 8);
  return { address, decimals, symbol, name: decodeText(answers.name) ?? symbol };
}

function decodeDecimals(answer: ReadAnswer): number | undefined {
  if (answer?.length !== 66) return undefined;
  const decimals = BigInt(answer);
  return decimals <= 255n ? Number(decimals) : undefined;
}

/** Undefined where a contract has no text to say. Early tokens (MKR, SAI) return bytes32 where the standard says string. */
function decodeText(answer: ReadAnswer): string | undefined {
  if (answer === undefined) return undefined;
  try {
    const text =
      answer.length === 66
        ? hexToString(trim(answer, { dir: 'right' }))
        : decodeAbiParameters([{ type: 'string' }], answer)[0];
    // Names are shown to people and in logs: no control or direction characters from a contract.
    const shown = cutText(text.replace(/[\p{Cc}\p{Cf}]/gu, ''), MAX_TEXT_LENGTH);
    return shown === '' ? undefined : shown;
  } catch {
    return undefined;
  }
}
