import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FaultError } from './statement.ts';

const [NOT_UTF8, UNKNOWN_ENCODING, HAS_NUL] = [
  'The file is not valid UTF-8. Declare its encoding, or convert it to UTF-8, and send it again.',
  'The file declares an encoding that is not known. Convert it to UTF-8, and send it again.',
  'The file has a NUL character (U+0000), which no text has. Remove it, and send the file again.',
];

/** How much text is read in one turn of the thread, so that other requests are answered meanwhile. */
const TURN_BYTES = 65_536;
/** How far an XML declaration is looked for. */
const DECLARATION_BYTES = 256;

/** A file as it was sent. `charset`: the encoding that the sender names. */
export type SentFile = { readonly bytes: Buffer; readonly charset?: string };

/**
 * Whether text can be decoded from an encoding of this name.
 *
 * @example
 * ```ts
 * import { isEncoding } from '@fairway/statements';
 *
 * isEncoding('windows-1252'); // true
 * ```
 */
export function isEncoding(name: string): boolean {
  try {
    new TextDecoder(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * The encoding of a file. UTF-16 shows itself. Otherwise it is the one that the request or an XML declaration names,
 * and without a name it is UTF-8. A CSV file that is no UTF-8 is Windows-1252, which has the letters of Latin-1, too.
 */
function encodingOf(bytes: Buffer, charset: string | undefined): string {
  const begin = bytes.subarray(0, DECLARATION_BYTES).toString('latin1');
  const utf16 = utf16Of(bytes);
  if (utf16 !== undefined) return utf16;
  const declared = /^(?:\xEF\xBB\xBF)?\s*<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["']/.exec(begin)?.[1];
  if (begin.startsWith('\xEF\xBB\xBF')) return 'utf-8';
  const named = charset ?? declared;
  if (named !== undefined) {
    if (!isEncoding(named)) throw new FaultError(UNKNOWN_ENCODING);
    return named;
  }
  return /^\s*</.test(begin) || isUtf8(bytes) ? 'utf-8' : 'windows-1252';
}

/** UTF-16 has a byte order mark. Without one, every other byte at the beginning is zero. */
function utf16Of(bytes: Buffer): string | undefined {
  const isZero = (first: number) => [0, 2].every((index) => bytes[first + index] === 0);
  const mark = bytes.subarray(0, 2).toString('hex');
  if (mark === 'fffe' || isZero(1)) return 'utf-16le';
  return mark === 'feff' || isZero(0) ? 'utf-16be' : undefined;
}

/**
 * The text of a file in parts. Other requests have their turn between two parts.
 * Throws a FaultError.
 */
export async function* textOf({ bytes, charset }: SentFile): AsyncGenerator<string> {
  const encoding = encodingOf(bytes, charset);
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (part: Buffer | undefined): string => {
    let text: string;
    try {
      text = decoder.decode(part, { stream: part !== undefined });
    } catch {
      throw new FaultError(NOT_UTF8.replace('UTF-8', encoding.toUpperCase()));
    }
    if (text.includes('\0')) throw new FaultError(HAS_NUL);
    return text;
  };
  for (let index = 0; index < bytes.length; index += TURN_BYTES) {
    yield decode(bytes.subarray(index, index + TURN_BYTES));
    await nextTurn();
  }
  yield decode(undefined);
}

/** The first characters of a file, in whatever encoding. */
export async function beginOf(file: SentFile): Promise<string> {
  for await (const part of textOf(file)) return part.slice(0, DECLARATION_BYTES);
  return '';
}
