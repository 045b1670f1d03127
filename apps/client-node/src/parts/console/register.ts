import { type Door, invalidFields, pageHeaders, policyOf, type ReadQuery, timestampOf } from '@fairway/api';
import type { NodeOperationId } from '@fairway/wire';
import { readGasRules } from '../../platform/database/gasRules.ts';
import { listSignatures } from '../../platform/database/signatures.ts';
import { type KeptTransaction, listTransactions } from '../../platform/database/transactions.ts';
import { rulesOf } from '../../platform/relaying/gas.ts';
import { readReceipt, type Relayers } from '../executions/index.ts';
import { policyInWords, type PolicyParts } from '../policies/index.ts';
import { type RelayerParts, relayerViews } from '../relayers/index.ts';
import { consolePage, type Shown, type ShownGas, type ShownTransaction } from './page.ts';
import { CONSOLE_STYLE } from './style.ts';

/** How many instructions a list of the page has. */
const ROWS = 25;

/** The page is for those who may read relayers and transactions. */
const READERS = { config: { access: { kind: 'PERMISSION', permission: 'relay:read' } } } as const;

const HEADERS = { ...pageHeaders(policyOf(CONSOLE_STYLE)), 'cache-control': 'no-store' };

const WRONG_PLACE = invalidFields([
  {
    pointer: '/query/before',
    detail: 'before must be a place of the history, as links of this page have it.',
  },
]);

/** What the page is made of. */
export type ConsoleParts = RelayerParts & {
  readonly policy: Pick<PolicyParts, 'document' | 'hash'>;
  /** How the native currency of a chain is called; undefined while nobody has said it. */
  nativeSymbols(chainId: number): Promise<string | undefined>;
  readonly environment: string;
};

/** Registers the page of the operator. It only reads. */
export function registerConsole(
  { server, gate, sendProblem }: Pick<Door<NodeOperationId>, 'server' | 'gate' | 'sendProblem'>,
  parts: ConsoleParts,
): void {
  server.get('/relay/console', READERS, async (request, reply) => {
    const { values, repeated } = request.query as ReadQuery;
    const given = values.get('before');
    if (repeated.length > 0 || (given !== undefined && !/^\d{1,18}$/.test(given)))
      return sendProblem(request, reply, WRONG_PLACE);
    const organisationId = request.caller?.organisationId ?? '';
    const refused = await gate.run({ organisationId, operation: 'console' }, 'CHAIN', async () => {
      reply.headers(HEADERS).send(consolePage(await readShown(parts, given)));
      return undefined;
    });
    return refused === undefined ? reply : sendProblem(request, reply, refused);
  });
}

async function readShown(parts: ConsoleParts, given: string | undefined): Promise<Shown> {
  const { database, relayers, policy, environment } = parts;
  const before = given === undefined ? undefined : BigInt(given);
  const chainIds = [...new Set([...relayers.values()].map(({ chainId }) => chainId))];
  const [shown, open, ended, signatures, inWords, symbols, gas] = await Promise.all([
    relayerViews(database, relayers),
    listTransactions(database, { status: 'OPEN' }, { limit: ROWS + 1, before: undefined }),
    listTransactions(database, { status: 'ENDED' }, { limit: ROWS + 1, before }),
    listSignatures(database, undefined, { limit: ROWS + 1, before: undefined }),
    policyInWords(policy.document, relayers),
    Promise.all(chainIds.map(async (chainId) => [chainId, await parts.nativeSymbols(chainId)] as const)),
    Promise.all(chainIds.map((chainId) => gasOf(parts, chainId))),
  ]);
  const history = ended.slice(0, ROWS);
  return {
    ...{ at: timestampOf(Date.now()), environment, relayers: shown, gas },
    symbols: new Map(symbols.flatMap(([id, symbol]) => (symbol === undefined ? [] : [[id, symbol]]))),
    pending: await Promise.all(open.slice(0, ROWS).map((each) => shownTransaction(relayers, each))),
    hasMorePending: open.length > ROWS,
    history: await Promise.all(history.map((each) => shownTransaction(relayers, each))),
    olderThan: given,
    next: ended.length > ROWS ? String(history.at(-1)?.created) : undefined,
    signatures: signatures.slice(0, ROWS),
    hasMoreSignatures: signatures.length > ROWS,
    policy: { hash: policy.hash, inWords },
  };
}

async function gasOf({ database, relayers }: ConsoleParts, chainId: number): Promise<ShownGas> {
  const relayer = [...relayers.values()].find((each) => each.chainId === chainId);
  const set = await readGasRules(database, chainId);
  return { chainId, ...rulesOf(relayer?.maxFeePerGasWei ?? 0n, set), changedBy: set?.changedBy };
}

async function shownTransaction(relayers: Relayers, kept: KeptTransaction): Promise<ShownTransaction> {
  const { relayerId, attempts } = kept;
  const offeredWei = attempts.at(-1)?.maxFeePerGasWei;
  return {
    ...{ ...(await readReceipt(relayers, kept)), relayerId, attempts: attempts.length },
    offeredWei: offeredWei === undefined ? undefined : BigInt(offeredWei),
  };
}
