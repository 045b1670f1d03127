import {
  EVENT_MEANINGS,
  EVENT_TYPES,
  EVENTS_OF,
  type Operation,
  type OperationId,
  operation,
  PERMISSIONS,
  PROBLEMS,
  problemCodesOf,
  SUBJECT_TYPES,
  subjectOf,
  type SubjectType,
} from '@fairway/wire';
import { type Html, html, page } from '../text/html.ts';
import { type Example, type ExampleParameter, exampleOf, placeholderOf, type Samples } from './examples.ts';

/** The members of a JSON Schema that the reference shows. */
type Schema = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
};

/** The reference: each of these operations with its fields, its problems and a form to try it. */
export function referencePage(publicUrl: string, ids: readonly OperationId[], samples: Samples): string {
  return page(
    'API reference',
    html`<h1>API reference</h1>
<p>Requests carry HTTP Basic credentials. Amounts are strings of decimal digits in the token's smallest unit. Every error is a <a href="/problems">Problem</a>. The same in machine-readable form: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<ul>${ids.map((id) => html`<li><a href="#${id}"><code>${operation(id).method} ${operation(id).path}</code></a> ${operation(id).summary}</li>`)}</ul>
<p><a href="#events">Types of events</a>, with what each holds.</p>
<h2 id="credentials">Credentials to try with</h2>
<p>They stay in this page and are sent to this service alone.</p>
<form id="login" autocomplete="off"><label>User name (credential id)<input name="username" autocomplete="off" spellcheck="false"></label><label>Password<input name="password" type="password" autocomplete="off"></label></form>
<p class="soft">Permissions a credential can hold: ${PERMISSIONS.join(', ')}.</p>
${ids.map((id) => section(id, operation(id), exampleOf(id, publicUrl, samples)))}
<h2 id="events">Types of events</h2>
<p>What <code>GET /v1/events</code> lists, its stream sends and webhooks are told. Answer a webhook with any 2xx status once you keep its event.</p>
${SUBJECT_TYPES.map(eventsAbout)}`,
    '/docs/tryIt.js',
  );
}

function section(id: OperationId, described: Operation, example: Example): Html {
  const { method, path, summary, description, access } = described;
  const needs =
    access.kind === 'PERMISSION'
      ? html`<p>Needs the permission <code>${access.permission}</code>.</p>`
      : html`<p>${access.kind === 'OPEN' ? 'Open to anyone.' : 'Needs a valid credential.'}</p>`;
  return html`<section class="operation" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${summary}</h2>
<p><code>${method} ${path}</code></p>
<p>${description}</p>
${needs}
${described.params === undefined ? undefined : fieldTable('Path parameters', described.params)}
${described.query === undefined ? undefined : fieldTable('Query parameters', described.query)}
${described.upload === undefined ? undefined : html`<h3>Body</h3><p>A file: ${Object.keys(described.upload).join(', ')}.</p>`}
${described.body === undefined ? undefined : bodyTable(described.body, described.bodyOptional === true)}
<details><summary>Response</summary>${fieldTable(responseTitle(described), described.response)}</details>
<details><summary>Problems</summary><ul>${problemCodesOf(described).map((code) => html`<li>${PROBLEMS[code].status} <a href="/problems/${code}"><code>${code}</code></a> ${PROBLEMS[code].title}</li>`)}</ul></details>
<details><summary>Try it</summary>${tryForm(described, example)}</details>
</section>`;
}

/** The events about one kind of subject: when each happens, and what they hold. */
function eventsAbout(subject: SubjectType): Html {
  const types = EVENT_TYPES.filter((type) => subjectOf(type) === subject);
  return html`<section class="operation" id="events-${subject}" aria-labelledby="events-${subject}-title">
<h3 id="events-${subject}-title"><code>${subject}</code></h3>
<ul>${types.map((type) => html`<li><code>${type}</code> ${EVENT_MEANINGS[type]}</li>`)}</ul>
<details><summary>What they hold</summary>${fieldTable('Event', EVENTS_OF[subject])}</details>
</section>`;
}

function responseTitle({ isStream, fileTypes, success }: Operation): string {
  const types = fileTypes === undefined ? 'application/json' : Object.keys(fileTypes).join(' or ');
  return `${success ?? 200}, ${isStream === true ? 'text/event-stream' : types}`;
}

function tryForm(
  { method, path, isStream, fileTypes, upload }: Operation,
  { parameters, body, curl }: Example,
): Html {
  if (upload !== undefined)
    return html`<p>On the command line, with a file:</p>
<pre>${curl}</pre>`;
  if (isStream === true || fileTypes !== undefined)
    return html`<p>On the command line, because it ${fileTypes === undefined ? 'has no end' : 'may be long'}:</p>
<pre>${curl}</pre>`;
  const area =
    body === undefined
      ? undefined
      : html`<label>Body<textarea name="body" rows="${body.split('\n').length + 1}" spellcheck="false">${body}</textarea></label>`;
  return html`<form data-method="${method}" data-path="${path}">${parameters.map(input)}${area}<button type="submit">Send</button><output></output></form>
<p>On the command line:</p>
<pre>${curl}</pre>`;
}

/** The input of a parameter. Parameters of the path are required, so that the form is not sent without them. */
function input({ in: place, name, value }: ExampleParameter): Html {
  const rest =
    place === 'path' ? html` data-in="path" placeholder="${placeholderOf(name)}" required` : undefined;
  return html`<label>${name}<input name="${name}" value="${value}" spellcheck="false"${rest}></label>`;
}

function bodyTable(schema: Schema, isOptional: boolean): Html {
  if (!isOptional) return fieldTable('Body', schema);
  return html`<h3>Body</h3><p>None is needed; an empty JSON object is taken, too.</p>`;
}

function fieldTable(title: string, schema: Schema): Html {
  const rows = fieldRows(schema, '');
  if (rows.length === 0) return html`<h3>${title}</h3><p>${typeOf(schema)}</p>`;
  const shape = schema.type === 'array' ? html`<p>A list of objects.</p>` : undefined;
  return html`<h3>${title}</h3>${shape}<div class="wide"><table><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function fieldRows(schema: Schema, prefix: string): readonly Html[] {
  if (schema.items !== undefined) return fieldRows(schema.items, prefix === '' ? '' : `${prefix}[]`);
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const place = prefix === '' ? name : `${prefix}.${name}`;
    const optional = required.includes(name) ? undefined : html` <span class="soft">optional</span>`;
    return [
      html`<tr><td><code>${place}</code>${optional}</td><td>${typeOf(field)}</td><td>${prefix === '' ? field.description : firstSentence(field.description)}</td></tr>`,
      ...fieldRows(field, place),
    ];
  });
}

/** The first sentence of a description. Inner fields are shown with it alone, because there are many of them. */
function firstSentence(text: string | undefined): string | undefined {
  return text?.replace(/^(.{20,}?[.:]) .*$/s, '$1').replace(/:$/, '.');
}

function typeOf(schema: Schema): string {
  const { type, enum: words, format, minimum, maximum, default: fallback, items, oneOf } = schema;
  if (words !== undefined) return words.join(' or ');
  if (oneOf !== undefined) return 'object';
  const name = items === undefined ? [type ?? 'any'].flat().join(' or ') : `list of ${typeOf(items)}`;
  const bounds =
    format === undefined && minimum !== undefined && maximum !== undefined
      ? `, ${minimum} to ${maximum}`
      : '';
  const otherwise = fallback === undefined ? '' : `, default ${JSON.stringify(fallback)}`;
  return `${name}${format === undefined ? '' : ` (${format})`}${bounds}${otherwise}`;
}
