import type { RecipientType } from '@fairway/plan';
import type { Corridor } from '@fairway/wire';
import { type Corridors, requirements } from '../payments/corridors.ts';
import { type Fields, optional, wordField } from '../fields/fields.ts';
import type { Call } from './operations.ts';
import { type Answer, invalidFields, refuse } from './problem.ts';

/** GET /v1/markets/corridors: those that take plans; with status=all the suspended ones, too. */
export function listCorridors(fields: Fields, corridors: Corridors): Answer<readonly Corridor[]> {
  const status = optional(fields, 'status', wordField(['all']));
  if (fields.errors.length > 0) return refuse(invalidFields(fields.errors));
  return { ok: true, body: corridors.list(status === 'all' ? 'ALL' : 'ACTIVE') };
}

/** GET /v1/markets/corridors/{corridorId}/requirements: the JSON Schema that recipients are checked against. */
export async function getRequirements(
  fields: Fields,
  corridors: Corridors,
  { params }: Call,
): Promise<Answer<object>> {
  const corridor = corridors.find(params['corridorId'] ?? '');
  const types: readonly RecipientType[] = corridor?.recipientTypes ?? ['bank', 'wallet', 'emoney', 'email'];
  const type = optional(fields, 'recipientType', wordField(types)) ?? types[0];
  if (fields.errors.length > 0) return refuse(invalidFields(fields.errors));
  if (corridor === undefined || type === undefined) {
    const detail = 'There is no such corridor; GET /v1/markets/corridors?status=all lists them.';
    return refuse({ code: 'not-found', detail });
  }
  return { ok: true, body: requirements(corridor, type) };
}
