import type { KeptStatement, ShownEntry } from '@fairway/store';
import { defined } from '@fairway/values';
import { ENTRY_STATUSES, LIMITS, MAP_NAME_PATTERN } from '@fairway/wire';
import {
  actingOf,
  addError,
  type Answer,
  type Call,
  cursorField,
  type FieldReader,
  type Fields,
  integerField,
  type ListPartAsk,
  optional,
  type Outcome,
  pageAnswer,
  type Door,
  type Registrar,
  sealOf,
  textField,
  wordField,
} from '@fairway/api';
import {
  decide,
  type Difference,
  findEntry,
  findStatement,
  listDifferences,
  listEntries,
  listStatements,
  type PlacedEntry,
  placeOfDifference,
  readAllocations,
  readReason,
} from './entries.ts';
import { importFile, suggestForFile } from './importFile.ts';
import { currencyField, findMap, keepMap, listMaps, readMap } from './maps.ts';
import type { StatementParts } from './statementParts.ts';
import { sampleFault, statementFault } from './uploadedFile.ts';
import { differenceBody, mapBody, shownEntryBody, statementBody, suggestionBody } from './statementBody.ts';

/** Registers the operations on statements. */
export function registerReconciliation({ registrar }: Door, parts: StatementParts): void {
  registerMaps(registrar, parts);
  registerFiles(registrar, parts);
  registerLists(registrar, parts);
  registerEntries(registrar, parts);
}

function registerMaps(registrar: Registrar, parts: StatementParts): void {
  registrar.submit('keepStatementMap', {
    input: readMap,
    async answer(map, call) {
      const kept = await keepMap(parts, actingOf(call), param(call, 'name'), map);
      return kept.ok ? { ok: true, body: mapBody(kept.value) } : kept;
    },
  });
  registrar.find('listStatementMaps', {
    async answer(_, call) {
      const listed = await listMaps(parts, actingOf(call).scope);
      return listed.ok ? { ok: true, body: { data: listed.value.map(mapBody) } } : listed;
    },
  });
  registrar.find('getStatementMap', {
    async answer(_, call) {
      const found = await findMap(parts, actingOf(call).scope, param(call, 'name'));
      return found.ok ? { ok: true, body: mapBody(found.value) } : found;
    },
  });
}

const accountField = textField(64);

const MAP_NAME = new RegExp(MAP_NAME_PATTERN);
const mapField: FieldReader<string> = {
  must: 'the name of a column map',
  read: (given) =>
    typeof given === 'string' && MAP_NAME.test(given) ? { ok: true, value: given } : { ok: false },
};

function registerFiles(registrar: Registrar, parts: StatementParts): void {
  registrar.upload('suggestStatementMap', {
    fault: sampleFault,
    input: (fields) => ({
      account: optional(fields, 'account', accountField),
      currency: optional(fields, 'currency', currencyField),
    }),
    async answer(known, _, upload) {
      const suggested = await suggestForFile(upload, defined(known));
      return suggested.ok ? { ok: true, body: suggestionBody(suggested.value) } : suggested;
    },
  });
  registrar.upload('importStatement', {
    fault: statementFault,
    input: (fields) => ({ map: optional(fields, 'map', mapField) }),
    async answer({ map }, call, upload) {
      const imported = await importFile(parts, actingOf(call), upload, map);
      if (!imported.ok) return imported;
      const { statement, isReplayed } = imported.value;
      const headers = {
        location: `/v1/reconciliation/statements/${statement.statementId}`,
        ...(isReplayed ? { 'idempotent-replayed': 'true' } : {}),
      };
      return { ok: true, body: statementBody(statement), headers };
    },
  });
  registrar.find('getStatement', {
    async answer(_, call) {
      const found = await findStatement(parts, actingOf(call).scope, param(call, 'statementId'));
      return found.ok ? { ok: true, body: statementBody(found.value) } : found;
    },
  });
}

function registerLists(registrar: Registrar, parts: StatementParts): void {
  registrar.page('listStatements', {
    input: (fields) => readPage(fields, sealOf('statements', {})),
    answer: ({ page, seal }, call) =>
      pageAnswer<KeptStatement>(page, {
        seal,
        read: (ask) => listStatements(parts, actingOf(call).scope, ask),
        bodyOf: statementBody,
        placeOf: ({ statementId }) => statementId,
      }),
  });
  registrar.page('listStatementEntries', {
    input(fields, call) {
      const status = optional(fields, 'status', wordField(ENTRY_STATUSES));
      const seal = sealOf('entries', { statementId: param(call, 'statementId'), status });
      return { status, ...readPage(fields, seal, /^\d{1,9}$/) };
    },
    answer({ status, page, seal }, call) {
      const of = { statementId: param(call, 'statementId'), status };
      return pageAnswer<PlacedEntry>(page, {
        seal,
        read: (ask) => listEntries(parts, actingOf(call).scope, of, ask),
        bodyOf: (entry) => shownEntryBody(entry, parts.chains),
        placeOf: ({ position }) => String(position),
      });
    },
  });
  registrar.page('listStatementDifferences', {
    input: (fields, call) =>
      readPage(
        fields,
        sealOf('differences', { statementId: param(call, 'statementId') }),
        /^(e\d{1,9}|mov_[0-9a-f]{40})$/,
      ),
    answer: ({ page, seal }, call) =>
      pageAnswer<Difference>(page, {
        seal,
        read: (ask) => listDifferences(parts, actingOf(call).scope, param(call, 'statementId'), ask),
        bodyOf: (difference) => differenceBody(difference, parts.chains),
        placeOf: placeOfDifference,
      }),
  });
}

function registerEntries(registrar: Registrar, parts: StatementParts): void {
  registrar.find('getEntry', {
    answer: async (_, call) =>
      answerOf(parts, await findEntry(parts, actingOf(call).scope, param(call, 'entryId'))),
  });
  registrar.submit('matchEntry', {
    input: readAllocations,
    async answer(allocations, call) {
      const decision = { type: 'MATCH', allocations } as const;
      return answerOf(parts, await decide(parts, actingOf(call), param(call, 'entryId'), decision));
    },
  });
  registrar.submit('unmatchEntry', {
    answer: async (_, call) =>
      answerOf(parts, await decide(parts, actingOf(call), param(call, 'entryId'), { type: 'UNMATCH' })),
  });
  registrar.submit('ignoreEntry', {
    input: readReason,
    answer: async (reason, call) =>
      answerOf(
        parts,
        await decide(parts, actingOf(call), param(call, 'entryId'), { type: 'IGNORE', reason }),
      ),
  });
}

function answerOf({ chains }: StatementParts, shown: Outcome<ShownEntry>): Answer<unknown> {
  return shown.ok ? { ok: true, body: shownEntryBody(shown.value, chains) } : shown;
}

function param({ params }: Call, name: string): string {
  return params[name] ?? '';
}

function readPage(
  fields: Fields,
  seal: string,
  place = /^stm_[0-9a-f]{32}$/,
): { readonly page: ListPartAsk; readonly seal: string } {
  const limit = optional(fields, 'limit', integerField(LIMITS.pageSize)) ?? LIMITS.pageSize.default;
  const after = optional(fields, 'cursor', cursorField(seal));
  if (after !== undefined && !place.test(after))
    addError(fields, 'cursor', 'cursor must be the nextCursor of the page before.');
  return { page: { limit, after }, seal };
}
