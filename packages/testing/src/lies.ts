import {
  changedReceipts,
  changedTransactions,
  failedReceipts,
  inventedTransactions,
  lostTransactions,
} from './evidenceLies.ts';
import {
  frozenHead,
  futureHead,
  futureHeadThenSilence,
  hugeHeader,
  sealedBlock,
  staleHead,
  unreadMembers,
  wrongBaseFee,
  wrongTimestamp,
} from './headLies.ts';
import { type Lie, together, when } from './lie.ts';
import {
  changedLogs,
  doubledLogs,
  inventedLogs,
  noLogs,
  noLogsAnywhere,
  oneLogMissing,
  removedLogs,
  renumberedLogs,
  reorderedLogs,
  strangeLogs,
} from './logLies.ts';
import {
  emptyAccessLists,
  everythingFails,
  everythingPasses,
  halvedDeltas,
  simulationRefused,
  unreadableGas,
} from './simulationLies.ts';
import {
  everyCallReverts,
  halvedLiquidity,
  halvedReserves,
  missingTick,
  noState,
  wrongAccounts,
} from './stateLies.ts';
import {
  brokenServer,
  cut,
  endless,
  errors,
  huge,
  noJson,
  nonsense,
  nulls,
  otherChainId,
  otherFork,
  silence,
  slow,
  slowly,
} from './wireLies.ts';

/** A pair and its reserves, for logs that never were. */
export type LiedPair = { readonly address: string; readonly reserves: readonly bigint[] };

/** Requests that a lie that begins late answers truly. */
const HONEST_REQUESTS = 40;

/** Every kind of lie by its name. Another kind is one more line here. */
export function liesAbout(pair: LiedPair): Readonly<Record<string, Lie>> {
  const halved = together(changedLogs, halvedReserves, halvedLiquidity, halvedDeltas);
  const invented = together(inventedLogs(pair), inventedTransactions);
  return {
    'stale head': staleHead,
    'frozen head': frozenHead,
    'future head': futureHead,
    'future head, then silence': futureHeadThenSilence,
    'sealed block': sealedBlock,
    'sealed block with lies': together(sealedBlock, inventedLogs(pair), halvedReserves, halvedDeltas),
    'other chain id': otherChainId,
    'other fork': otherFork,
    'wrong base fee': wrongBaseFee,
    'wrong timestamp': wrongTimestamp,
    'unread members of headers': unreadMembers,
    'huge header': hugeHeader,
    'no logs': noLogs,
    'no logs and no receipts': noLogsAnywhere,
    'one log missing': oneLogMissing,
    'reordered logs': reorderedLogs,
    'doubled logs': doubledLogs,
    'doubled logs with places': renumberedLogs,
    'logs of another block': strangeLogs,
    'removed logs': removedLogs,
    'changed logs': changedLogs,
    'invented logs': inventedLogs(pair),
    'wrong reserves': halvedReserves,
    'wrong liquidity': halvedLiquidity,
    'missing tick': missingTick,
    'wrong accounts': wrongAccounts,
    'no state': noState,
    'every call reverts': everyCallReverts,
    'invented transactions': inventedTransactions,
    'invented transactions and logs': invented,
    'changed receipts': changedReceipts,
    'failed receipts': failedReceipts,
    'lost transactions': lostTransactions,
    'changed transactions': changedTransactions,
    'halved simulations': halvedDeltas,
    'failing simulations': everythingFails,
    'passing simulations': everythingPasses,
    'gas that cannot be read': unreadableGas,
    'simulations refused': simulationRefused,
    'empty access lists': emptyAccessLists,
    'all halved': halved,
    'all halved, late': when((_, { count }) => count > HONEST_REQUESTS, halved),
    'all halved, each second time': when((_, { count }) => count % 2 === 0, halved),
    'all halved, slowly': slowly(halved),
    slow,
    silence,
    endless,
    cut,
    'no JSON': noJson,
    nonsense,
    huge,
    errors,
    nulls,
    'broken server': brokenServer,
  };
}

/** The names of all kinds of lies. */
export const LIE_NAMES: readonly string[] = Object.keys(liesAbout({ address: '', reserves: [] }));
