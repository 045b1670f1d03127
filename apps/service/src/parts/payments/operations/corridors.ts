import type { RecipientType } from '@fairway/plan';
import { done, optional, refuse, type Registrar, wordField } from '@fairway/api';
import { type Corridors, requirements } from '../corridors/corridors.ts';
import { createCorridorList } from '../bodies/corridorBody.ts';

/** Registers the list of corridors, and the JSON Schema for the recipients of a corridor. */
export function registerCorridors(registrar: Registrar, corridors: Corridors, publicUrl: () => string): void {
  const list = createCorridorList(corridors, publicUrl);
  registrar.list('listCorridors', {
    input: (fields) => ({ status: optional(fields, 'status', wordField(['all'])) }),
    answer: ({ status }) => done(list(status === 'all' ? 'ALL' : 'ACTIVE')),
  });
  registrar.find('getRequirements', {
    input(fields, { params }) {
      const corridor = corridors.find(params['corridorId'] ?? '');
      const types: readonly RecipientType[] = corridor?.recipientTypes ?? RECIPIENT_TYPES;
      const type = optional(fields, 'recipientType', wordField(types)) ?? types[0];
      return { corridor, type };
    },
    async answer({ corridor, type }) {
      if (corridor !== undefined && type !== undefined)
        return { ok: true, body: requirements(corridor, type) };
      const detail = 'There is no such corridor; GET /v1/markets/corridors?status=all lists them.';
      return refuse({ code: 'not-found', detail });
    },
  });
}

const RECIPIENT_TYPES: readonly RecipientType[] = ['bank', 'wallet', 'emoney', 'email'];
