import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { InputError } from './inputError.ts';

/** An object of a JSON file whose fields are not checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A token's id in the files: any string or whole number, compared by value and type. */
export type TokenId = string | number;

/** Reads a file that holds JSON. @throws InputError */
export function readJsonFile(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new InputError(`${resolve(path)} cannot be read: ${messageOf(error)}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`${path} is not JSON: ${messageOf(error)}`);
  }
}

/** The message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether a value is a JSON object, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value can be a token's id. A number above 2^53 has lost its last digits when the file is parsed. */
export function isTokenId(value: unknown): value is TokenId {
  return (typeof value === 'string' && value !== '') || Number.isSafeInteger(value);
}

const SHOWN_CHARACTERS = 60;

/** A value as in its file, shortened for messages. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
