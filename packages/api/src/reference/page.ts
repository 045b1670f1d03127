import { PERMISSIONS } from '@fairway/wire';
import { type Html, html } from '../text/html.ts';
import { page, policyOf } from '../text/page.ts';
import { LANGUAGES } from './codeSamples.ts';
import { type DescribedApi, type DescribedEvent, objectNameOf } from './describedApi.ts';
import { fieldList, linkedFrom, prose } from './fieldList.ts';
import { entryTitle, operationSection, schemasOf, type ShownOperation } from './operationSection.ts';
import { REFERENCE_STYLE } from './style.ts';

/** What the reference may load. */
export const REFERENCE_POLICY = policyOf(REFERENCE_STYLE);

/** An example request for each operation of a document, by the operation's id. */
export type ExampleOf = (id: string) => ShownOperation['example'];

/** The reference of an OpenAPI document: its operations in groups, the types of events, and the objects in both. */
export function referencePage(api: DescribedApi, exampleOf: ExampleOf): string {
  const shown = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...{ api, operation, path, method: method.toUpperCase() },
      example: exampleOf(operation.operationId),
    })),
  );
  const groups = api.tags.map(({ name, description }) => ({
    ...{ name, description, id: groupId(name) },
    operations: shown.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const objects = objectsOf(api, shown);
  return page({
    title: 'API reference',
    style: REFERENCE_STYLE,
    scriptUrls: ['/docs/reference.js', '/docs/tryIt.js'],
    body: html`<div class="reference">
${sidebar(groups, [...new Set(Object.keys(api.webhooks).map(subjectOf))], objects)}
<main id="main">
${introduction()}
${groups.map(
  ({ id, name, description, operations }) => html`<h2 id="${id}">${name}</h2>
<p>${description}</p>
${operations.map(operationSection)}`,
)}
${eventSections(api)}
<h2 id="objects">Objects</h2>
<p>What requests and answers hold. Fields may be added; ignore those that you do not know.</p>
${objects.map((name) => objectSection(api, name))}
</main>
</div>`,
  });
}

type Group = { readonly id: string; readonly name: string; readonly operations: readonly ShownOperation[] };

function sidebar(groups: readonly Group[], subjects: readonly string[], objects: readonly string[]): Html {
  const linked = groups.map(
    ({ id, name, operations }) => html`<li><a class="group" href="#${id}">${name}</a><ul>
${operations.map(({ operation, method }) => html`<li><a href="#${operation.operationId}"><span>${operation.summary}</span> <span class="verb">${method}</span></a></li>\n`)}</ul></li>`,
  );
  return html`<nav class="sidebar" aria-label="Contents">
<div class="bar"><button type="button" class="menu" aria-expanded="false" aria-controls="contents" hidden>Contents</button>
<fieldset class="languages"><legend class="unseen">Code samples in</legend>${Object.keys(LANGUAGES).map(
    (name, index) =>
      html`<label><input type="radio" name="language" value="${name}" id="in-${name}"${index === 0 ? html` checked` : undefined}><span>${name}</span></label>`,
  )}</fieldset></div>
<div id="contents">
<form class="search" role="search" hidden><label for="search">Search</label><input type="search" id="search" autocomplete="off" spellcheck="false" aria-describedby="found"></form>
<p class="soft" id="found" role="status"></p>
<ol class="results" hidden></ol>
<ul class="groups">
<li><a class="group" href="#main">Start</a></li>
${linked}
<li><a class="group" href="#events">Types of events</a><ul>${subjects.map((subject) => html`<li><a href="#events-${subject}">${subject}</a></li>`)}</ul></li>
<li><a class="group" href="#objects">Objects</a><details><summary>All ${objects.length}</summary><ul>${objects.map((name) => html`<li><a href="#object-${name}">${name}</a></li>`)}</ul></details></li>
</ul>
</div>
<p class="unseen" role="status" id="said"></p>
</nav>`;
}

function introduction(): Html {
  return html`<h1>API reference</h1>
<p>Requests carry HTTP Basic credentials. Amounts are strings of decimal digits in the token's smallest unit. Every error is a <a href="/problems">Problem</a>. The same in machine-readable form: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<section class="card" aria-labelledby="credentials">
<h2 id="credentials">Credentials to try with</h2>
<p>They stay in this page and are sent to this service alone. Code samples do not get them: replace <code>ID:PASSWORD</code> where you run the code.</p>
<form id="login" autocomplete="off"><label>User name (credential id)<input name="username" autocomplete="off" spellcheck="false"></label><label>Password<input name="password" type="password" autocomplete="off"></label></form>
<details><summary>Permissions a credential can hold</summary><p class="soft">${PERMISSIONS.map((name) => html`<code>${name}</code> `)}</p></details>
</section>`;
}

function eventSections({ webhooks }: DescribedApi): Html {
  const bySubject = Map.groupBy(Object.entries(webhooks), ([type]) => subjectOf(type));
  const sections = [...bySubject].map(([subject, told]) => {
    const object = eventObjectOf(told[0]?.[1].post);
    return html`<article class="entry card" id="events-${subject}" aria-labelledby="events-${subject}-title">
${entryTitle(`events-${subject}`, subject)}
<ul class="plain">${told.map(([type, { post }]) => html`<li id="event-${type}"><code>${type}</code> ${post.summary}</li>`)}</ul>
<p>Each holds a <a href="#object-${object}">${object}</a>.</p>
</article>`;
  });
  return html`<h2 id="events">Types of events</h2>
<p>What <code>GET /v1/events</code> lists, its stream sends and webhooks are told. Answer a webhook with any 2xx status once you keep its event.</p>
${sections}`;
}

/** The kind of subject of an event: payment_plan of payment_plan.step.done. */
function subjectOf(type: string): string {
  return type.slice(0, type.indexOf('.'));
}

function eventObjectOf(told: DescribedEvent | undefined): string {
  const [schema = {}] = told?.requestBody.content['application/json']?.schema.allOf ?? [];
  return objectNameOf(schema) ?? '';
}

function objectSection({ components }: DescribedApi, name: string): Html {
  const schema = components.schemas[name] ?? {};
  const example = components.examples?.[name];
  return html`<article class="entry card" id="object-${name}" aria-labelledby="object-${name}-title">
${entryTitle(`object-${name}`, name)}
${schema.description === undefined ? undefined : html`<p>${prose(schema.description)}</p>`}
${fieldList(schema)}
${example === undefined ? undefined : html`<details><summary>An example</summary><pre>${JSON.stringify(example.value, null, 2)}</pre></details>`}
</article>`;
}

/** The names of the objects that the page links to, in the order of the alphabet. */
function objectsOf(
  { components, webhooks }: DescribedApi,
  shown: readonly ShownOperation[],
): readonly string[] {
  const names = new Set<string>();
  const add = (name: string): void => {
    if (names.has(name)) return;
    names.add(name);
    for (const inner of linkedFrom(components.schemas[name] ?? {})) add(inner);
  };
  for (const { post } of Object.values(webhooks)) add(eventObjectOf(post));
  for (const each of shown)
    for (const schema of schemasOf(each)) for (const name of linkedFrom(schema)) add(name);
  return [...names].sort();
}

function groupId(tag: string): string {
  return `group-${tag.toLowerCase()}`;
}
