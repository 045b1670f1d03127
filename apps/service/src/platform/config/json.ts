import type { ValidateFunction } from 'ajv';
import { ConfigError } from './error.ts';
import { READ_FAULTS } from './readFaults.ts';
import { isListed, schemaProblem } from './schemaProblem.ts';

/**
 * Reads a JSON file of the configuration.
 * @throws ConfigError where it cannot be read, or naming each key that is not as `validate` wants it.
 */
export function readConfigJson<T>(
  path: string,
  readText: (path: string) => string,
  validate: ValidateFunction<T>,
): T {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readText(path));
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new ConfigError([`${path}: ${READ_FAULTS[code] ?? message}`]);
  }
  if (validate(parsed)) return parsed;
  const errors = (validate.errors ?? []).filter(isListed);
  throw new ConfigError(errors.map((error) => `${path}: ${schemaProblem(error)}`));
}
