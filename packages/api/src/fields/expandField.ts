import { type Expansion, EXPANSIONS } from '@fairway/wire';
import { wordField } from './fields.ts';
import { separatedField } from './listFields.ts';

/** What an answer shows beside plans, as a query tells it. */
export const expandField = separatedField<Expansion>(wordField(EXPANSIONS), {
  what: 'parts of plans',
  maximum: EXPANSIONS.length,
  uniqueBy: (name) => name,
});
