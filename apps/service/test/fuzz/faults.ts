import fc from 'fast-check';
import { hostileText, type Json } from '../hostileValues.ts';
import type { Ground } from './ground.ts';
import type { Request } from './request.ts';

/** Changes a request. Faults compose, and none needs another. */
export type Fault = (request: Request) => Request;

/** A place in a text, as a fraction. */
const place = fc.double({ min: 0, max: 0.999_999, noNaN: true });

function bodyFault(change: (text: string) => Buffer | string): Fault {
  return (request) => {
    const changed = change(request.body?.toString('utf8') ?? '');
    return { ...request, body: Buffer.isBuffer(changed) ? changed : Buffer.from(changed) };
  };
}

function cut(text: string, where: number): string {
  return text.slice(0, Math.floor(where * text.length));
}

const deep = (levels: number, open: string, close: string) => open.repeat(levels) + close.repeat(levels);

/** Bodies that are no JSON, or JSON that a reader could take for something else. Every one must be refused. */
export const textFaults: fc.Arbitrary<Fault> = fc.oneof(
  place.map((where) => bodyFault((text) => cut(text, where).replace(/\}\s*$/, '') || '{')),
  fc.constantFrom<Fault[]>(
    bodyFault((text) => `\ufeff${text}`),
    bodyFault((text) => `${text}x`),
    bodyFault((text) => `${text}${text}`),
    bodyFault((text) => `[${text}]`),
    bodyFault((text) => `/* c */${text}`),
    bodyFault((text) => text.replaceAll('"', "'").padEnd(3, "'")),
    bodyFault((text) => text.replace(/\}\s*$/, ',}')),
    bodyFault((text) => text.replace('{', '{"a":1,"a":2,')),
    bodyFault((text) => text.replace('{', '{"a":1,"\\u0061":2,')),
    bodyFault((text) => text.replace('{', `{"zz":${deep(33, '[', ']')},`)),
    bodyFault((text) => text.replace('{', `{"zz":${deep(10_000, '[', ']')},`)),
    bodyFault((text) => text.replace('{', '{"zz":NaN,')),
    bodyFault((text) => text.replace('{', '{"zz":1e400,')),
    bodyFault((text) => text.replace('{', '{"zz":"\\ud800",')),
    bodyFault((text) => text.replace('{', '{"zz":"\\x00",')),
    bodyFault((text) => text.replace('{', '{"zz":"\0",')),
    bodyFault((text) => text.replace('{', '{"__proto__":{"zz":1},')),
    bodyFault((text) => Buffer.concat([Buffer.from(text), Buffer.from([0xc3, 0x28])])),
    bodyFault((text) => Buffer.from(text, 'utf16le')),
    bodyFault((text) => text.replace('{', `{"zz":"${'x'.repeat(65_536)}",`)),
    bodyFault((text) => text.replace('{', `{"zz":"${'x'.repeat(64_000)}",`)),
    bodyFault((text) => text.replace('{', `{${'"z":[],'.repeat(8_000)}`)),
    bodyFault(() => 'null'),
    bodyFault(() => '"x"'),
    bodyFault(() => 'x'),
  ),
);

/** A member that no request has. */
export const unknownMember: fc.Arbitrary<Fault> = fc
  .constantFrom('zz', '__proto__', 'constructor', 'ÅÅ', 'amountIN', '')
  .map((name) =>
    bodyFault((text) =>
      text.replace('{', text.startsWith('{}') ? `{${JSON.stringify(name)}:0` : `{${JSON.stringify(name)}:0,`),
    ),
  );

/** Content types and encodings that are not read. */
export const typeFaults: fc.Arbitrary<Fault> = fc
  .constantFrom<(readonly (readonly [string, string])[])[]>(
    [['content-type', 'text/plain']],
    [['content-type', 'application/x-www-form-urlencoded']],
    [['content-type', 'multipart/form-data; boundary=x']],
    [['content-type', 'application/json; charset=utf-16']],
    [['content-type', 'application/jsonx']],
    [['content-type', '']],
    [],
    [
      ['content-type', 'application/json'],
      ['content-type', 'text/plain'],
    ],
    [
      ['content-type', 'application/json'],
      ['content-encoding', 'gzip'],
    ],
  )
  .map((types) => (request) => ({
    ...request,
    headers: [...request.headers.filter(([name]) => name !== 'content-type'), ...types],
  }));

function withHeaders(...added: readonly (readonly [string, string])[]): Fault {
  return (request) => ({ ...request, headers: [...request.headers, ...added] });
}

/** Headers that are odd, repeated or of no use. The request may be answered all the same. */
export function headerFaults({ entityTags }: Ground): fc.Arbitrary<Fault> {
  const tag = fc.constantFrom(...entityTags);
  const usual: readonly (readonly [string, string])[] = [
    ['If-None-Match', '*'],
    ['If-None-Match', '"'],
    ['If-None-Match', `${'"x",'.repeat(500)}"y"`],
    ['If-Modified-Since', 'x'],
    ['X-Request-Id', 'a'.repeat(128)],
    ['X-Request-Id', 'a b'],
    ['X-Request-Id', '../../x'],
    ['Accept', 'text/html;q=0.1, */*;q=x'],
    ['Accept-Encoding', 'gzip, br;q=0'],
    ['Accept-Language', `de,${'x-'.repeat(500)}`],
    ['Range', 'bytes=0-1'],
    ['Expect', '100-continue'],
    ['Expect', 'x'],
    ['Origin', 'null'],
    ['Cookie', 'a=b; a=c'],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-Forwarded-For', '::1, x, 1.2.3.4'],
    ['X-Forwarded-Host', 'evil.example'],
    ['X-Forwarded-Proto', 'https, http'],
    ['Forwarded', 'for=";'],
    ['Via', '1.1 x'],
    ['Upgrade', 'h2c'],
    ['Upgrade', 'websocket'],
    ['TE', 'trailers'],
    ['Connection', 'close'],
    ['Connection', 'keep-alive, x'],
    ['X-Odd', '\xe9\xff'],
    ['X-Long', 'x'.repeat(8_000)],
    ['__proto__', 'x'],
    ['constructor', 'x'],
    ['Authorization', 'Bearer x'],
    ['Host', 'evil.example'],
  ];
  return fc.oneof(
    fc.constantFrom(...usual).map((header) => withHeaders(header)),
    tag.map((value) => withHeaders(['If-None-Match', value])),
    tag.map((value) => withHeaders(['If-None-Match', `W/${value}, "x"`])),
    tag.map((value) => withHeaders(['If-None-Match', value], ['If-None-Match', '"x"'])),
  );
}

/** Methods that a path may not have. */
export const methodFaults: fc.Arbitrary<Fault> = fc
  .constantFrom('HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'GET', 'POST', 'TRACE', 'PROPFIND', 'QUERY')
  .map((method) => (request) => ({ ...request, method }));

/** Spellings of a path. */
export const pathFaults: fc.Arbitrary<Fault> = fc
  .constantFrom<((path: string) => string)[]>(
    (path) => `${path}/`,
    (path) => `/${path}`,
    (path) => path.toUpperCase(),
    (path) => path.replace('/v1', '/v1/.'),
    (path) => path.replace('/v1', '/v1/../v1'),
    (path) => path.replace('/v1', '/%76%31'),
    (path) => path.replaceAll('/', '%2F'),
    (path) => `${path}%00`,
    (path) => `${path}%`,
    (path) => `${path}%ff`,
    (path) => `${path};x=1`,
    (path) => `${path}#x`,
    (path) => `http://127.0.0.1${path}`,
    (path) => `${path}/${'a'.repeat(9_000)}`,
    (path) => `${path}\\x`,
    (path) => path.slice(1),
    () => '*',
  )
  .map((change) => (request) => {
    const [path = '', ...query] = request.target.split('?');
    return { ...request, target: [change(path), ...query].join('?') };
  });

/** Spellings of a query string, with values that are encoded in odd ways. */
export const queryFaults: fc.Arbitrary<Fault> = fc
  .oneof(
    fc.constantFrom(
      ...[
        '',
        '&&',
        'x',
        '=',
        '=x',
        'x=1',
        'chainId[]=1',
        'chainId[a]=1',
        'chainId=1&chainId=2',
        'limit=%31%30',
      ],
      ...[
        'amount=%',
        'amount=%zz',
        'amount=%ff',
        'amount=%00',
        'amount=1+',
        '+amount=1',
        'a;b=c',
        '__proto__=1',
      ],
      ...[
        'limit=１',
        'limit=0x1',
        'limit=1e1',
        'limit= 1',
        '?',
        '#x',
        `x=${'y'.repeat(8_000)}`,
        'x=1&'.repeat(2_000),
      ],
    ),
    fc
      .tuple(fc.constantFrom('limit', 'cursor', 'status', 'amount', 'x'), hostileText)
      .map(([name, text]) => `${name}=${encodeURIComponent(text.toWellFormed().slice(0, 2_000))}`),
  )
  .map((more) => (request) => {
    const encoded = Buffer.from(more)
      .toString('latin1')
      .replaceAll(/[\0\r\n]/g, '');
    return { ...request, target: `${request.target}${request.target.includes('?') ? '&' : '?'}${encoded}` };
  });

/** Writes a number as a text, or a text of digits as a number, at one place. */
export function retyped(value: Json, where: number): Json {
  const places = countRetypable(value);
  let before = Math.floor(where * places);
  const walk = (part: Json): Json => {
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part === 'object' && part !== null)
      return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, walk(member)]));
    if (!isRetypable(part)) return part;
    before -= 1;
    if (before !== -1) return part;
    return typeof part === 'number' ? String(part) : Number(part);
  };
  return walk(value);
}

function countRetypable(value: Json): number {
  if (typeof value === 'object' && value !== null)
    return Object.values(value).reduce<number>((sum, member) => sum + countRetypable(member), 0);
  return isRetypable(value) ? 1 : 0;
}

function isRetypable(value: Json): value is number | string {
  return typeof value === 'string' ? /^\d{1,15}$/.test(value) : Number.isSafeInteger(value);
}
