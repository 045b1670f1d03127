import { BaseError, decodeErrorResult } from 'viem';
import { cutText } from '@fairway/values';

/** Reasons are cut to this length: longer ones come from hostile contracts. */
const MAX_REASON_LENGTH = 200;
/** As hexadecimal digits. Longer data is not decoded: a contract can return megabytes, which would hold the thread. */
const MOST_DATA_LENGTH = 2 + 2 * 4096;

/**
 * The reason in a revert's return data: the text of `Error(string)`, the code of `Panic(uint256)`, or the
 * selector of a custom error. Contracts choose the text, so it is stripped of control characters and cut short.
 */
export function revertReason(data: unknown): string {
  if (typeof data === 'string' && data.length > MOST_DATA_LENGTH)
    return 'the call reverted with a reason too long to be read';
  if (typeof data !== 'string' || !/^0x(?:[0-9a-fA-F]{2})+$/.test(data))
    return 'the call reverted without a reason';
  try {
    const error = decodeErrorResult({ data: data as `0x${string}` });
    const [detail] = error.args;
    if (error.errorName === 'Panic') return `panic 0x${BigInt(String(detail)).toString(16).padStart(2, '0')}`;
    const text = cutText(printable(String(detail)), MAX_REASON_LENGTH);
    return text === '' ? 'the call reverted without a reason' : text;
  } catch (error) {
    if (!(error instanceof BaseError)) throw error;
    return `custom error ${data.slice(0, 10).toLowerCase()}`;
  }
}

function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '');
}
