import fc from 'fast-check';

/** Changes the bytes of a request, so that it may no longer be HTTP. */
export type BytesFault = (bytes: Buffer) => Buffer;

function headFault(change: (head: string) => string): BytesFault {
  return (bytes) => {
    const end = bytes.indexOf('\r\n\r\n');
    const head = bytes.toString('latin1', 0, end);
    return Buffer.concat([Buffer.from(change(head), 'latin1'), bytes.subarray(end)]);
  };
}

const afterLine = (line: string) => headFault((head) => head.replace('\r\n', `\r\n${line}\r\n`));
const withoutLength = (head: string) => head.replace(/\r\nContent-Length: \d+/i, '');
const chunked =
  (chunks: string): BytesFault =>
  (bytes) => {
    const head = withoutLength(bytes.toString('latin1', 0, bytes.indexOf('\r\n\r\n')));
    return Buffer.from(`${head}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`, 'latin1');
  };

const HEAD_FAULTS: readonly BytesFault[] = [
  headFault((head) => head.replaceAll('\r\n', '\n')),
  headFault((head) => head.replaceAll('\r\n', '\r')),
  headFault((head) => `\r\n\r\n${head}`),
  headFault((head) => head.replace(' HTTP/1.1', '')),
  headFault((head) => head.replace('HTTP/1.1', 'HTTP/1.0')),
  headFault((head) => head.replace('HTTP/1.1', 'HTTP/0.9')),
  headFault((head) => head.replace('HTTP/1.1', 'HTTP/2.0')),
  headFault((head) => head.replace('HTTP/1.1', 'HTTP/1.1 x')),
  headFault((head) => head.replace(' ', '  ')),
  headFault((head) => head.replace(' ', '\t')),
  headFault((head) => head.replace(/^\w+/, (method) => method.toLowerCase())),
  headFault((head) => head.replace(/^\w+/, 'M-SEARCH')),
  headFault((head) => head.replace(/^\w+ \S+/, 'CONNECT 127.0.0.1:80')),
  headFault((head) => head.replace(/^\w+ \S+/, 'PRI *')),
  headFault((head) => head.replace(/\r\nHost: [^\r]*/, '')),
  headFault((head) => head.replace(/\r\nHost: [^\r]*/, '\r\nHost: a b')),
  headFault((head) => head.replace(/(\r\nHost: [^\r]*)/, '$1$1')),
  headFault((head) => head.replace('Host:', 'Host :')),
  headFault((head) => head.replace('Host:', ' Host:')),
  headFault((head) => head.replace('Host:', 'Ho\0st:')),
  headFault((head) => `${head}\r\n folded`),
  headFault((head) => `${head}\r\n${'X-Many: x\r\n'.repeat(1_500)}X-Last: x`),
  headFault((head) => `${head}\r\nX-Long: ${'x'.repeat(20_000)}`),
  ...[
    ...['X-Nothing', ': x', 'X-Null: a\0b', 'X-Return: a\rb', 'Content-Length: -1', 'Content-Length: +5'],
    ...[
      'Content-Length: 0x10',
      'Content-Length: 5, 5',
      `Content-Length: ${'9'.repeat(30)}`,
      'Content-Length: ',
    ],
    ...['Transfer-Encoding: chunked', 'Transfer-Encoding: xchunked', 'Transfer-Encoding: chunked, identity'],
    ...['Transfer-Encoding : chunked', 'Connection: upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA'],
  ].map(afterLine),
];

const BODY_FAULTS: readonly BytesFault[] = [
  (bytes) => Buffer.concat([bytes, Buffer.from('x')]),
  (bytes) => Buffer.concat([bytes, Buffer.from('GET / HTTP/1.1\r\n\r\n')]),
  ...[
    '0\r\n\r\n',
    'x\r\n\r\n',
    '-1\r\n\r\n',
    '2;a=b\r\n{}\r\n0\r\n\r\n',
    '2\r\n{}0\r\n\r\n',
    'ffffffffffffffffff\r\n{}',
  ].map(chunked),
  ...['2\r\n{}\r\n0\r\nX-Trailer: x\r\n\r\n', '2\r\n{}\r\n0\r\nAuthorization: x\r\n\r\n', '1\r\n{\r\n'].map(
    chunked,
  ),
  () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
  () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  () => Buffer.from('\0\0\0\0\r\n\r\n'),
  () => Buffer.alloc(40_000, 'A'),
];

const place = fc.double({ min: 0, max: 0.999_999, noNaN: true });

/** Faults of requests that a client library would refuse to send. */
export const bytesFaults: fc.Arbitrary<BytesFault> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HEAD_FAULTS, ...BODY_FAULTS) },
  {
    weight: 1,
    arbitrary: place.map(
      (where): BytesFault =>
        (bytes) =>
          bytes.subarray(0, Math.ceil(where * bytes.length)),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.array(fc.tuple(place, fc.nat(255)), { minLength: 1, maxLength: 3 }).map(
      (flips): BytesFault =>
        (bytes) => {
          const changed = Buffer.from(bytes);
          for (const [where, byte] of flips) changed[Math.floor(where * changed.length)] = byte;
          return changed;
        },
    ),
  },
);
