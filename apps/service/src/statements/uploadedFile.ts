import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { cutText } from '@fairway/evm';
import type { FieldError } from '@fairway/wire';
import { pointerPart } from '../fields/body.ts';
import { formParts } from './formParts.ts';
import { done, invalidFields, type Outcome, type ProblemFacts, refuse } from '../problems/problem.ts';

/** A body as it arrived. */
export type Upload = { readonly bytes: Buffer; readonly contentType: string };

/** The file of a body, and the name of the column map that a form gives beside it. */
export type UploadedFile = { readonly bytes: Buffer; readonly map?: string };

const MEDIA_TYPES: readonly string[] = [
  'application/xml',
  'text/xml',
  'text/csv',
  'application/octet-stream',
  'multipart/form-data',
];

/** How long a Content-Type may be. */
const MOST_CONTENT_TYPE = 256;

/** What is wrong with the headers of a body that must be a file; undefined when nothing is. */
export function uploadFault(
  contentType: string | undefined,
  encoding: string | undefined,
): string | undefined {
  const types = 'application/xml, text/csv or multipart/form-data';
  if (contentType === undefined) return `Content-Type is missing; send ${types}.`;
  const shown = JSON.stringify(cutText(contentType, 64));
  if (contentType.length > MOST_CONTENT_TYPE)
    return `Content-Type must be ${types}, at most ${MOST_CONTENT_TYPE} characters; given ${shown}.`;
  const [type = '', ...parameters] = contentType.split(';');
  if (!MEDIA_TYPES.includes(type.trim().toLowerCase()))
    return `Content-Type must be ${types}; given ${shown}.`;
  const charset = parameters
    .map((each) => /^\s*charset\s*=\s*"?([^"]*?)"?\s*$/i.exec(each)?.[1])
    .find(Boolean);
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    return `The charset must be utf-8; given ${shown}.`;
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    return 'Compressed bodies are not accepted; send the file without Content-Encoding.';
  return undefined;
}

/** Takes the file out of a body. */
export async function uploadedFile({ bytes, contentType }: Upload): Promise<Outcome<UploadedFile>> {
  const file = /^\s*multipart\//i.test(contentType) ? await formFile(bytes, contentType) : done({ bytes });
  if (!file.ok) return file;
  const packed = packedAs(file.value.bytes);
  if (packed !== undefined)
    return refuse(invalid(`The file is packed (${packed}). Unpack it, and send what is in it.`));
  if (file.value.bytes.length === 0) return refuse(invalid('The file is empty.'));
  return file;
}

/** The problem of a file that cannot be taken. */
export function invalid(detail: string): ProblemFacts {
  return { code: 'statement-invalid', detail };
}

/** A form may have two parts. One more is read, so that the error can name it. */
const MOST_PARTS = 3;

async function formFile(bytes: Buffer, contentType: string): Promise<Outcome<UploadedFile>> {
  const form = await formParts(bytes, contentType, MOST_PARTS);
  if (!form.ok) return refuse({ code: 'malformed-request', detail: form.detail });
  const fault = fieldFault(form.parts.map(({ name }) => name));
  if (fault !== undefined) return refuse(invalidFields([fault]));
  const partOf = (name: string) => form.parts.find((part) => part.name === name);
  const [file, map] = [partOf('file'), partOf('map')];
  const wrongField = (pointer: string, detail: string) => refuse(invalidFields([{ pointer, detail }]));
  if (file === undefined || !file.isFile)
    return wrongField(
      '/file',
      'The form has no file in the field file; send the statement there, as a file.',
    );
  if (map?.isFile === true)
    return wrongField('/map', 'The field map of the form must be the name of a column map, and no file.');
  return done({ bytes: file.bytes, ...(map === undefined ? {} : { map: map.bytes.toString('utf8') }) });
}

/** The first field of a form that is unknown or repeated. Undefined when there is none. */
function fieldFault(names: readonly string[]): FieldError | undefined {
  const what =
    'The form may have the fields file (the statement) and map (the name of a column map), each once';
  const name = names.find((each, at) => !['file', 'map'].includes(each) || names.indexOf(each) !== at);
  if (name === undefined) return undefined;
  const shown = JSON.stringify(cutText(name, 64));
  const fault = ['file', 'map'].includes(name) ? `${shown} is there twice` : `${shown} is none of them`;
  const remedy = names.includes('file') ? '' : ' Send the statement in the field file.';
  return { pointer: `/${pointerPart(name)}`, detail: `${what}; ${fault}.${remedy}` };
}

function packedAs(bytes: Buffer): string | undefined {
  const begin = bytes.subarray(0, 4).toString('latin1');
  if (begin.startsWith('PK\x03\x04')) return 'ZIP';
  if (begin.startsWith('\x1f\x8b')) return 'gzip';
  if (begin.startsWith('BZh') || begin === '\xfd7zX' || begin === '7z\xbc\xaf') return 'an archive';
  return undefined;
}

const NOT_UTF8 = 'The file is not valid UTF-8. Convert it to UTF-8, and send it again.';
const HAS_NUL =
  'The file has a NUL character (U+0000), which no text has. Remove it, and send the file again.';

/**
 * Whether every other byte at the beginning is zero. UTF-16 text that has only ASCII characters is also valid UTF-8,
 * with such zeros.
 */
function isUtf16(bytes: Buffer): boolean {
  return [0, 1].some((first) => [0, 2].every((index) => bytes[first + index] === 0));
}

/** How much text is read in one turn of the thread, so that other requests are answered meanwhile. */
const TURN_BYTES = 65_536;

/** Is thrown by `textOf`. The message says what is wrong with the text, and what to do. */
export class NotTextError extends Error {}

/** The SHA-256 of a file. Other requests have their turn meanwhile. */
export async function digestOf(bytes: Buffer): Promise<Buffer> {
  const hash = createHash('sha256');
  for (let index = 0; index < bytes.length; index += TURN_BYTES) {
    hash.update(bytes.subarray(index, index + TURN_BYTES));
    await nextTurn();
  }
  return hash.digest();
}

/** The text of a file in parts. Other requests have their turn between two parts. Throws a NotTextError. */
export async function* textOf(bytes: Buffer): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (part: Buffer | undefined): string => {
    let text: string;
    try {
      text = decoder.decode(part, { stream: part !== undefined });
    } catch {
      throw new NotTextError(NOT_UTF8);
    }
    if (text.includes('\0')) throw new NotTextError(isUtf16(bytes) ? NOT_UTF8 : HAS_NUL);
    return text;
  };
  for (let index = 0; index < bytes.length; index += TURN_BYTES) {
    yield decode(bytes.subarray(index, index + TURN_BYTES));
    await nextTurn();
  }
  yield decode(undefined);
}
