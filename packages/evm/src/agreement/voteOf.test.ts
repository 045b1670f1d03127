// Two nodes say the same when every member that is read from their answers is the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { voteOf } from './voteOf.ts';

type Changes = Readonly<Record<string, unknown>>;

/** An answer to a method, by path: what makes it another vote, and what does not. */
type Row = {
  readonly method: string;
  readonly answer: unknown;
  readonly params?: readonly unknown[];
  readonly compared: Changes;
  readonly ignored: Changes;
};

const word = (digit: string) => `0x${digit.repeat(64)}`;
const account = (digit: string) => `0x${digit.repeat(40)}`;

const HEADER = {
  hash: word('1'),
  parentHash: word('2'),
  number: '0xa',
  timestamp: '0x64',
  baseFeePerGas: '0x7',
  logsBloom: '0x00',
  receiptsRoot: word('3'),
};
const HEADER_ROW = {
  answer: HEADER,
  compared: {
    hash: word('f'),
    parentHash: word('f'),
    number: '0xb',
    timestamp: '0x65',
    baseFeePerGas: '0x8',
    logsBloom: '0x01',
    receiptsRoot: word('f'),
  },
  ignored: { number: '0x0a', stateRoot: word('f'), size: '0x1', transactions: [] },
};

const LOG = {
  address: account('a'),
  topics: [word('4'), word('5')],
  data: '0x12',
  blockNumber: '0xa',
  blockHash: word('1'),
  transactionHash: word('6'),
  logIndex: '0x0',
  removed: false,
};
const LOG_COMPARED = {
  address: account('f'),
  topics: [word('4')],
  'topics.1': word('f'),
  data: '0x13',
  blockNumber: '0xb',
  blockHash: word('f'),
  transactionHash: word('f'),
  logIndex: '0x1',
  removed: true,
};
const LOG_IGNORED = { logIndex: '0x00', removed: undefined, transactionIndex: '0x1', blockTimestamp: '0x64' };

const RECEIPT = {
  transactionHash: word('6'),
  status: '0x1',
  blockHash: word('1'),
  blockNumber: '0xa',
  type: '0x2',
  cumulativeGasUsed: '0x5208',
  logsBloom: '0x00',
  logs: [LOG],
};
const RECEIPT_COMPARED = {
  transactionHash: word('f'),
  status: '0x0',
  blockHash: word('f'),
  blockNumber: '0xb',
  logs: [],
  ...under('logs.0', LOG_COMPARED),
};
const RECEIPT_IGNORED = {
  gasUsed: '0x1',
  effectiveGasPrice: '0x1',
  from: account('f'),
  ...under('logs.0', LOG_IGNORED),
};
const COMMITTED = { type: '0x1', cumulativeGasUsed: '0x5209', logsBloom: '0x01' };

const TRANSACTION = {
  hash: word('6'),
  from: account('b'),
  to: account('c'),
  input: '0x1234',
  blockHash: word('1'),
  nonce: '0x5',
  value: '0x0',
};

const CALL = {
  type: 'CALL',
  to: account('c'),
  input: '0x12',
  logs: [{ address: account('a'), position: '0x0' }],
  calls: [{ type: 'CALL', to: account('d'), input: '0x', logs: [] }],
};

const ROWS: readonly Row[] = [
  { method: 'eth_getBlockByHash', ...HEADER_ROW },
  { method: 'eth_getBlockByNumber', ...HEADER_ROW },
  {
    method: 'eth_getBlockByHash',
    params: [HEADER.hash, true],
    answer: { ...HEADER, transactions: [TRANSACTION, TRANSACTION] },
    compared: {
      ...HEADER_ROW.compared,
      transactions: [TRANSACTION],
      ...under('transactions.1', { hash: word('f'), to: account('f'), input: '0x1235', nonce: '0x6' }),
    },
    ignored: { size: '0x1', ...under('transactions.0', { gasPrice: '0x1', v: '0x1', nonce: '0x05' }) },
  },
  {
    method: 'eth_getLogs',
    answer: [LOG, { ...LOG, logIndex: '0x1' }],
    compared: { '': [LOG], ...under('1', LOG_COMPARED), '1.logIndex': '0x2' },
    ignored: { ...under('0', LOG_IGNORED) },
  },
  {
    method: 'eth_getTransactionReceipt',
    answer: RECEIPT,
    compared: RECEIPT_COMPARED,
    ignored: { ...RECEIPT_IGNORED, ...COMMITTED },
  },
  {
    method: 'eth_getBlockReceipts',
    answer: [RECEIPT],
    compared: { '': [], ...under('0', { ...RECEIPT_COMPARED, ...COMMITTED }) },
    ignored: under('0', RECEIPT_IGNORED),
  },
  {
    method: 'eth_getTransactionByHash',
    params: [TRANSACTION.hash],
    answer: TRANSACTION,
    compared: {
      hash: word('f'),
      from: account('f'),
      to: account('f'),
      input: '0x1235',
      blockHash: word('f'),
      nonce: '0x6',
      value: '0x1',
    },
    ignored: { nonce: '0x05', gasPrice: '0x1', v: '0x1', transactionIndex: '0x1' },
  },
  {
    method: 'debug_traceTransaction',
    answer: CALL,
    compared: {
      type: 'DELEGATECALL',
      to: account('f'),
      input: '0x13',
      error: 'execution reverted',
      logs: [],
      'logs.0.address': account('f'),
      'logs.0.position': '0x1',
      calls: [],
      'calls.0.to': account('f'),
      'calls.0.error': 'out of gas',
    },
    ignored: { gas: '0x1', gasUsed: '0x1', from: account('f'), output: '0x01', value: '0x1' },
  },
  {
    method: 'debug_traceBlockByHash',
    answer: [{ result: CALL }, { error: 'too deep' }, { result: CALL }],
    compared: {
      ...under('2.result', { to: account('f'), input: '0x13', logs: [] }),
      '0': { error: 'too deep' },
      '1': { result: CALL },
    },
    ignored: { '0.txHash': word('6'), '1.error': 'out of time', '2.result.gas': '0x1' },
  },
  {
    method: 'eth_simulateV1',
    answer: [
      {
        calls: [
          { status: '0x1', returnData: '0x02', gasUsed: '0x5' },
          { status: '0x0', gasUsed: '0x5' },
        ],
      },
    ],
    compared: {
      '': [],
      '0.calls': [],
      '0.calls.0.status': '0x0',
      '0.calls.0.returnData': '0x03',
      '0.calls.1.status': '0x1',
    },
    ignored: {
      '0.hash': word('f'),
      '0.calls.0.gasUsed': '0x6',
      '0.calls.0.logs': [LOG],
      '0.calls.1.returnData': '0x03',
      '0.calls.1.error': { code: -32_000, message: 'reverted' },
    },
  },
  {
    method: 'eth_createAccessList',
    answer: { accessList: [{ address: account('a'), storageKeys: [word('4'), word('5')] }], gasUsed: '0x5' },
    compared: {
      accessList: [],
      'accessList.0.address': account('f'),
      'accessList.0.storageKeys': [word('4')],
      'accessList.0.storageKeys.1': word('f'),
    },
    ignored: {
      gasUsed: '0x6',
      'accessList.0.storageKeys': [word('5'), word('4')],
      'accessList.1': { address: account('f'), storageKeys: [] },
    },
  },
  ...['eth_call', 'eth_getCode', 'eth_getTransactionCount', 'eth_chainId'].map((method) => ({
    ...{ method, answer: '0x01', compared: { '': '0x02' }, ignored: {} },
  })),
];

/** Changes of a part of an answer. */
function under(place: string, changes: Changes): Changes {
  return Object.fromEntries(Object.entries(changes).map(([path, value]) => [`${place}.${path}`, value]));
}

/** A copy of an answer with another value at a path; the empty path is the whole answer. */
function changed(answer: unknown, path: string, value: unknown): unknown {
  if (path === '') return value;
  const [name = '', ...rest] = path.split('.');
  const copy = structuredClone(answer) as Record<string, unknown>;
  copy[name] = changed(copy[name], rest.join('.'), value);
  return copy;
}

for (const { method, answer, params, compared, ignored } of ROWS) {
  const voteWith = (path: string, value: unknown) => voteOf(method, changed(answer, path, value), params);

  test(`${method}: each member that is read makes another vote, and no other member does`, () => {
    const truth = voteOf(method, answer, params);
    assert.ok(truth !== undefined);
    for (const [path, value] of Object.entries(compared))
      assert.notEqual(voteWith(path, value), truth, `${path} must count`);
    for (const [path, value] of Object.entries(ignored))
      assert.equal(voteWith(path, value), truth, `${path} must not count`);
  });
}
