/** A request, as it is written on the wire. */
export type Request = {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
};

/** The bytes of a request. Host and Content-Length are added where they are absent. */
export function bytesOf({ method, target, headers, body }: Request): Buffer {
  const has = (wanted: string) => headers.some(([name]) => name.toLowerCase() === wanted);
  const lines = [`${method} ${target} HTTP/1.1`];
  if (!has('host')) lines.push('Host: 127.0.0.1');
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  if (body !== undefined && !has('content-length') && !has('transfer-encoding'))
    lines.push(`Content-Length: ${body.length}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body ?? Buffer.alloc(0)]);
}

/** A request in a report: its bytes with everything unusual escaped, the password left out. */
export function shown(bytes: Buffer): string {
  return JSON.stringify(bytes.toString('latin1'))
    .slice(1, -1)
    .replaceAll(/(authorization: basic )[\w+/=]+/gi, '$1…')
    .slice(0, 4_000);
}

/** The decoded path of a target, without its query. The target may also be a whole URL (RFC 9112, 3.2.2). */
export function pathOf(target: string): string {
  const [path = ''] = target.replace(/^http:\/\/[^/]*/, '').split(/[?#]/);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
