import {
  done,
  invalidFields,
  type Outcome,
  pointerPart,
  type ProblemFacts,
  refuse,
  type Upload,
} from '@fairway/api';
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isEncoding } from '@fairway/statements';
import { cutText, defined } from '@fairway/values';
import type { FieldError } from '@fairway/wire';
import { formParts } from './formParts.ts';

/**
 * The file of a body, and the name of the column map that a form gives beside it. `charset`: the encoding that the
 * request names.
 */
export type UploadedFile = { readonly bytes: Buffer; readonly map?: string; readonly charset?: string };

/** What a file can be sent as. `named`: those that a refusal names. */
type MediaTypes = { readonly taken: readonly string[]; readonly named: string };

const STATEMENT_TYPES: MediaTypes = {
  taken: [
    'application/xml',
    'text/xml',
    'text/csv',
    'text/plain',
    'application/octet-stream',
    'multipart/form-data',
  ],
  named: 'application/xml, text/csv, text/plain or multipart/form-data',
};

const SAMPLE_TYPES: MediaTypes = { taken: ['text/csv'], named: 'text/csv' };

/** How long a Content-Type may be. */
const MOST_CONTENT_TYPE = 256;

/** What is wrong with the headers of a body that must be a statement; undefined when nothing is. */
export function statementFault(
  contentType: string | undefined,
  encoding: string | undefined,
): string | undefined {
  return uploadFault(STATEMENT_TYPES, contentType, encoding);
}

/** The same of a body that must be the sample of a CSV file. */
export function sampleFault(
  contentType: string | undefined,
  encoding: string | undefined,
): string | undefined {
  return uploadFault(SAMPLE_TYPES, contentType, encoding);
}

function uploadFault(
  { taken, named: types }: MediaTypes,
  contentType: string | undefined,
  encoding: string | undefined,
): string | undefined {
  if (contentType === undefined) return `Content-Type is missing; send ${types}.`;
  const shown = JSON.stringify(cutText(contentType, 64));
  if (contentType.length > MOST_CONTENT_TYPE)
    return `Content-Type must be ${types}, at most ${MOST_CONTENT_TYPE} characters; given ${shown}.`;
  const [type = ''] = contentType.split(';');
  if (!taken.includes(type.trim().toLowerCase())) return `Content-Type must be ${types}; given ${shown}.`;
  const charset = charsetOf(contentType);
  if (charset !== undefined && !isEncoding(charset))
    return `The charset must be one that is known, such as utf-8 or windows-1252; given ${shown}.`;
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    return 'Compressed bodies are not accepted; send the file without Content-Encoding.';
  return undefined;
}

/** The encoding that a Content-Type names. */
function charsetOf(contentType: string): string | undefined {
  const [, ...parameters] = contentType.split(';');
  return parameters
    .map((each) => /^\s*charset\s*=\s*"?([^"]*?)"?\s*$/i.exec(each)?.[1])
    .find((each) => each !== undefined && each !== '');
}

/** Takes the file out of a body. */
export async function uploadedFile({ bytes, contentType }: Upload): Promise<Outcome<UploadedFile>> {
  const file = /^\s*multipart\//i.test(contentType)
    ? await formFile(bytes, contentType)
    : done({ bytes, ...defined({ charset: charsetOf(contentType) }) });
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

/** How much is hashed in one turn of the thread, so that other requests are answered meanwhile. */
const TURN_BYTES = 65_536;

/** The SHA-256 of a file. Other requests have their turn meanwhile. */
export async function digestOf(bytes: Buffer): Promise<Buffer> {
  const hash = createHash('sha256');
  for (let index = 0; index < bytes.length; index += TURN_BYTES) {
    hash.update(bytes.subarray(index, index + TURN_BYTES));
    await nextTurn();
  }
  return hash.digest();
}
