/** A request to show as code. */
export type SampleRequest = {
  readonly method: string;
  /** The whole address. */
  readonly url: string;
  readonly needsLogin: boolean;
  /** The header If-Match, where it is required. */
  readonly ifMatch?: string | undefined;
  /** A body as JSON. */
  readonly body?: string | undefined;
  /** A body that is a file. */
  readonly upload?: { readonly type: string; readonly file: string } | undefined;
  /** What is done with the answer: shown, saved as a file of this name, or shown while it goes on. */
  readonly answer: 'SHOWN' | 'STREAMED' | { readonly savedAs: string };
};

/** What code samples are written in, by the names that readers see. */
export const LANGUAGES = { curl: curlSample, TypeScript: typeScriptSample, Python: pythonSample } as const;

/**
 * The request on the command line. The reader replaces ID, PASSWORD and names such as PLAN_ID.
 *
 * @example
 * ```ts
 * import { curlSample } from '@fairway/api';
 *
 * const sample = curlSample({
 *   method: 'GET',
 *   url: 'http://127.0.0.1:8080/health',
 *   needsLogin: true,
 *   answer: 'SHOWN',
 * });
 * ```
 */
export function curlSample({
  method,
  url,
  needsLogin,
  ifMatch,
  body,
  upload,
  answer,
}: SampleRequest): string {
  const login = needsLogin ? [`-u 'ID:PASSWORD'`] : [];
  const reading = answer === 'STREAMED' ? ['-N'] : answer === 'SHOWN' ? [] : ['-OJ'];
  const verb = method === 'GET' ? [] : [`-X ${method}`];
  const first = ['curl', ...login, ...reading, ...verb].join(' ');
  const type = contentTypeOf({ body, upload });
  const data =
    body === undefined ? upload && `--data-binary ${quoted(`@${upload.file}`)}` : `-d ${quoted(body)}`;
  const rest = type === undefined ? [] : [`-H 'Content-Type: ${type}'`, String(data)];
  const seen = ifMatch === undefined ? [] : [`-H ${quoted(`If-Match: ${ifMatch}`)}`];
  return [first, quoted(url), ...seen, ...rest].join(' \\\n  ');
}

function contentTypeOf({ body, upload }: Pick<SampleRequest, 'body' | 'upload'>): string | undefined {
  return body === undefined ? upload?.type : 'application/json';
}

/** A text in single quotes, escaped for shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The request with `fetch`: a module for Node, Deno or Bun. */
function typeScriptSample({ method, url, needsLogin, ifMatch, body, upload, answer }: SampleRequest): string {
  const saved = typeof answer === 'object' ? answer.savedAs : undefined;
  const imports = [
    ...(saved === undefined ? [] : ["import { writeFile } from 'node:fs/promises';"]),
    ...(upload === undefined ? [] : ["import { readFile } from 'node:fs/promises';"]),
  ];
  const type = contentTypeOf({ body, upload });
  const headers = [
    ...(needsLogin ? ["    Authorization: `Basic ${btoa('ID:PASSWORD')}`,"] : []),
    ...(ifMatch === undefined ? [] : [`    'If-Match': '${ifMatch}',`]),
    ...(type === undefined ? [] : [`    'Content-Type': '${type}',`]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(body, '  ')}),`]),
    ...(upload === undefined ? [] : [`  body: await readFile('${upload.file}'),`]),
  ];
  const given = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  const reading =
    answer === 'STREAMED'
      ? [
          'const decoder = new TextDecoder();',
          'for await (const bytes of response.body ?? []) console.log(decoder.decode(bytes, { stream: true }));',
        ]
      : saved === undefined
        ? ['console.log(await response.json());']
        : [`await writeFile('${saved}', new Uint8Array(await response.arrayBuffer()));`];
  return [
    ...imports,
    ...(imports.length === 0 ? [] : ['']),
    `const response = await fetch('${url}'${given});`,
    'if (!response.ok) throw new Error(await response.text());',
    ...reading,
  ].join('\n');
}

/** The request with what Python itself has. */
function pythonSample({ method, url, needsLogin, ifMatch, body, upload, answer }: SampleRequest): string {
  const modules = [
    ...(needsLogin ? ['base64'] : []),
    ...(body !== undefined || answer === 'SHOWN' ? ['json'] : []),
    ...(typeof answer === 'object' ? ['shutil'] : []),
    'sys',
    'urllib.error',
    'urllib.request',
  ];
  const type = contentTypeOf({ body, upload });
  const headers = [
    ...(needsLogin ? ['        "Authorization": "Basic " + base64.b64encode(b"ID:PASSWORD").decode(),'] : []),
    ...(ifMatch === undefined ? [] : [`        "If-Match": '${ifMatch}',`]),
    ...(type === undefined ? [] : [`        "Content-Type": "${type}",`]),
  ];
  const options = [
    `    "${url}",`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    ...(headers.length === 0 ? [] : ['    headers={', ...headers, '    },']),
    ...(body === undefined ? [] : [`    data=json.dumps(${indented(pythonOf(body), '    ')}).encode(),`]),
    ...(upload === undefined ? [] : [`    data=open("${upload.file}", "rb").read(),`]),
  ];
  const reading =
    answer === 'STREAMED'
      ? ['    for line in response:', '        print(line.decode(), end="")']
      : answer === 'SHOWN'
        ? ['    print(json.dumps(json.load(response), indent=2))']
        : [`    with open("${answer.savedAs}", "wb") as file:`, '        shutil.copyfileobj(response, file)'];
  return [
    ...modules.map((module) => `import ${module}`),
    '',
    `request = urllib.request.Request(\n${options.join('\n')}\n)`,
    'try:',
    '    response = urllib.request.urlopen(request)',
    'except urllib.error.HTTPError as problem:',
    '    sys.exit(problem.read().decode())',
    'with response:',
    ...reading,
  ].join('\n');
}

/** JSON as Python writes it. Strings are the same in both, because JSON.stringify escapes single surrogates alone. */
function pythonOf(json: string): string {
  const words: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };
  return json.replace(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (found) => words[found] ?? found);
}

function indented(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`);
}
