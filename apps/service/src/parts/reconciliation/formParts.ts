import { setImmediate as nextTurn } from 'node:timers/promises';

/** A part of a form. `isFile`: it has the name of a file. `bytes`: a view of the body. */
export type FormPart = { readonly name: string; readonly isFile: boolean; readonly bytes: Buffer };

/** The parts of a form, or what is wrong with it. */
type ReadForm =
  | { readonly ok: true; readonly parts: readonly FormPart[] }
  | { readonly ok: false; readonly detail: string };

/** How long a boundary (RFC 2046) and the headers of a part may be, and how much is searched in one turn of the thread. */
const [BOUNDARY_LENGTH, HEADER_BYTES, TURN_BYTES] = [70, 4_096, 1_048_576];

const MALFORMED = 'The body is not multipart/form-data with the boundary that Content-Type names.';

/**
 * Reads a form (RFC 7578) that has arrived, at most this many parts of it. Nothing is copied: `Response.formData()`
 * keeps three more copies of the body, and goes through any number of parts and headers at once.
 */
export async function formParts(bytes: Buffer, contentType: string, most: number): Promise<ReadForm> {
  const boundary = parameterIn(contentType, 'boundary');
  if (boundary === undefined || boundary === '' || boundary.length > BOUNDARY_LENGTH)
    return { ok: false, detail: MALFORMED };
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const parts: FormPart[] = [];
  // The first boundary has no line before it.
  let at = bytes.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2))
    ? delimiter.length - 2
    : undefined;
  while (at !== undefined && !startsWith(bytes, at, '--')) {
    const headers = headersAt(bytes, at);
    if (headers === undefined) break;
    if ('detail' in headers) return { ok: false, detail: headers.detail };
    const end = await delimiterAfter(bytes, delimiter, headers.end - 2);
    if (end === undefined) break;
    parts.push({ ...headers.of, bytes: bytes.subarray(headers.end, Math.max(headers.end, end)) });
    if (parts.length === most) return { ok: true, parts };
    at = end + delimiter.length;
  }
  const isEnded = at !== undefined && startsWith(bytes, at, '--');
  return isEnded ? { ok: true, parts } : { ok: false, detail: MALFORMED };
}

function startsWith(bytes: Buffer, at: number, text: string): boolean {
  return bytes.toString('latin1', at, at + text.length) === text;
}

type Headers = { readonly end: number; readonly of: Pick<FormPart, 'name' | 'isFile'> };

/** What the headers say that follow a boundary, and where they end. */
function headersAt(bytes: Buffer, at: number): Headers | { readonly detail: string } | undefined {
  if (!startsWith(bytes, at, '\r\n')) return undefined;
  const length = bytes.subarray(at, at + HEADER_BYTES).indexOf('\r\n\r\n');
  if (length < 0)
    return bytes.length - at > HEADER_BYTES
      ? { detail: `The headers of a part of the form are longer than ${HEADER_BYTES} bytes.` }
      : undefined;
  const disposition = bytes
    .toString('utf8', at, at + length)
    .split('\r\n')
    .find((line) => /^content-disposition:/i.test(line));
  const name = disposition === undefined ? undefined : parameterIn(disposition, 'name');
  if (disposition === undefined || name === undefined) return undefined;
  return { end: at + length + 4, of: { name, isFile: parameterIn(disposition, 'filename') !== undefined } };
}

/** A parameter of a header, such as boundary. Forms write a quotation mark and the ends of lines in names as RFC 3986 does. */
function parameterIn(header: string, wanted: string): string | undefined {
  for (const [, name = '', quoted, bare = ''] of header.matchAll(
    /;\s*([\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g,
  ))
    if (name.toLowerCase() === wanted)
      return quoted === undefined
        ? bare
        : quoted.replaceAll(/%(?:22|0D|0A)/gi, (code) => decodeURIComponent(code));
  return undefined;
}

/** Where the next line begins that is a boundary. */
async function delimiterAfter(bytes: Buffer, delimiter: Buffer, from: number): Promise<number | undefined> {
  for (let begin = from; begin < bytes.length; begin += TURN_BYTES) {
    const window = bytes.subarray(begin, begin + TURN_BYTES + delimiter.length - 1);
    for (let index = window.indexOf(delimiter); index >= 0; index = window.indexOf(delimiter, index + 1)) {
      const end = begin + index + delimiter.length;
      if (startsWith(bytes, end, '\r\n') || startsWith(bytes, end, '--')) return begin + index;
    }
    await nextTurn();
  }
  return undefined;
}
