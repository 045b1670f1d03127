import { type Html, html } from '../text/html.ts';
import { LANGUAGES, type SampleRequest } from './codeSamples.ts';
import {
  type DescribedApi,
  type DescribedOperation,
  exampleText,
  nameOf,
  problemsOf,
  type Schema,
  successOf,
} from './describedApi.ts';
import { fieldList, parameterList, prose, typeOf } from './fieldList.ts';

/** A parameter of an example's path, query or headers. `value` is empty where the caller must give it. */
export type ExampleParameter = {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly value: string;
};

/** An example request of an operation: as the fields of a form, and as a whole. */
export type Example = {
  readonly parameters: readonly ExampleParameter[];
  readonly body: string | undefined;
  readonly request: SampleRequest;
};

/** An operation of a document, with an example. */
export type ShownOperation = {
  readonly api: DescribedApi;
  readonly path: string;
  readonly method: string;
  readonly operation: DescribedOperation;
  readonly example: Example;
};

/** The schemas that the section of an operation shows. */
export function schemasOf({ api, operation }: ShownOperation): readonly Schema[] {
  return [
    ...(operation.parameters ?? []).map(({ schema }) => schema),
    ...Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => bodyOf(api, schema)),
    ...Object.values(successOf(api, operation).content).map(({ schema }) => schema),
  ];
}

/** An operation with its fields, its answer, its problems, code to copy, a form to try it, and then `end`. */
export function operationSection(shown: ShownOperation, end: Html): Html {
  const { path, method, operation, example } = shown;
  const { operationId: id, summary, description, security } = operation;
  const open = security.length === 0 ? html`<p>Open to anyone.</p>` : undefined;
  return html`<article class="entry card" id="${id}" aria-labelledby="${id}-title">
${entryTitle(id, summary)}
<p class="endpoint"><code>${method} ${path}</code></p>
<div class="columns"><div>
<p>${prose(description)}</p>
${open}
${parameterSections(operation)}
${bodySection(shown)}
${answerSection(shown)}
${problemSection(shown)}
</div><div class="samples">
${Object.entries(LANGUAGES).map(
  ([name, write]) => html`<div class="code in-${name}"><p>${name}</p>
<pre>${write(example.request)}</pre></div>\n`,
)}
${answerExample(shown)}
${tryIt(shown)}
</div></div>
${end}
</article>`;
}

/** The title of an entry, which is a link to it. */
export function entryTitle(id: string, title: string): Html {
  return html`<h3 id="${id}-title"><a href="#${id}">${title}</a></h3>`;
}

const PLACES = { path: 'Path', query: 'Query', header: 'Headers' } as const;

function parameterSections({ parameters = [] }: DescribedOperation): readonly Html[] {
  return Object.entries(PLACES).flatMap(([place, title]) => {
    const here = parameters.filter((each) => each.in === place);
    return here.length === 0 ? [] : [html`<h4>${title}</h4>${parameterList(here)}`];
  });
}

function bodySection({ api, operation: { requestBody } }: ShownOperation): Html | undefined {
  if (requestBody === undefined) return undefined;
  const { 'application/json': json, ...files } = requestBody.content;
  if (json === undefined) return html`<h4>Body</h4><p>A file: ${Object.keys(files).join(', ')}.</p>`;
  const schema = bodyOf(api, json.schema);
  const isEmpty = Object.keys(schema.properties ?? {}).length === 0 && schema.oneOf === undefined;
  if (isEmpty) return html`<h4>Body</h4><p>None is needed; an empty JSON object is taken, too.</p>`;
  const optional = requestBody.required ? undefined : html` <span class="optional">optional</span>`;
  return html`<h4>Body${optional}</h4>${fieldList(schema)}`;
}

/** The schema of a body itself: it is written out where it is sent. */
function bodyOf({ components }: DescribedApi, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (components.schemas[nameOf(schema.$ref)] ?? {});
}

function answerSection({ api, operation }: ShownOperation): Html {
  const { status, content } = successOf(api, operation);
  const types = Object.keys(content).join(' or ');
  const schema = Object.values(content)[0]?.schema ?? {};
  const inline = (schema.items ?? schema).properties !== undefined;
  const held = inline
    ? html`<details><summary>What it holds</summary>${fieldList(schema)}</details>`
    : undefined;
  return html`<h4>Answer</h4><p><b>${status}</b> ${types}: ${typeOf(schema)}${schema.description === undefined ? '' : html`. ${prose(schema.description)}`}</p>${held}`;
}

function problemSection({ api, operation }: ShownOperation): Html {
  const items = problemsOf(api, operation).map(
    ({ status, code, title }) =>
      html`<li>${status} <a href="/problems/${code}"><code>${code}</code></a> ${title}</li>`,
  );
  return html`<details><summary>Problems</summary><ul class="plain">${items}</ul></details>`;
}

/** An example of the answer. That of an object with a name is shown with the object. */
function answerExample({ api, operation }: ShownOperation): Html | undefined {
  const { content } = successOf(api, operation);
  const { schema, examples } = content['application/json'] ?? {};
  if (schema === undefined || schema.$ref !== undefined) return undefined;
  const text = exampleText(api, examples);
  return text === undefined
    ? undefined
    : html`<details><summary>Example of the answer</summary><pre>${text}</pre></details>`;
}

/** A form that sends the example; none where a file is sent, or the answer is one or has no end. */
function tryIt({ path, method, example: { parameters, body, request } }: ShownOperation): Html | undefined {
  if (request.upload !== undefined || request.answer !== 'SHOWN') return undefined;
  const area =
    body === undefined
      ? undefined
      : html`<label>Body<textarea name="body" rows="${body.split('\n').length + 1}" spellcheck="false">${body}</textarea></label>`;
  return html`<details><summary>Try it</summary><form data-method="${method}" data-path="${path}">${parameters.map(input)}${area}<button type="submit">Send</button><output></output></form></details>`;
}

/** The input of a parameter. Those that the caller must give are required, so that the form is not sent without them. */
function input({ in: place, name, value }: ExampleParameter): Html {
  const rest =
    place === 'query'
      ? undefined
      : html` data-in="${place}" placeholder="${place === 'path' ? placeholderOf(name) : '"REVISION"'}" required`;
  return html`<label>${name}<input name="${name}" value="${value}" spellcheck="false"${rest}></label>`;
}

/**
 * The placeholder of an id that the caller must give: PLAN_ID for planId.
 *
 * @example
 * ```ts
 * import { placeholderOf } from '@fairway/api';
 *
 * placeholderOf('planId'); // 'PLAN_ID'
 * ```
 */
export function placeholderOf(name: string): string {
  return name.replace(/Id$/, '_ID').toUpperCase();
}
