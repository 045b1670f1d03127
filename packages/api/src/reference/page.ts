import { PERMISSIONS } from '@fairway/wire';
import { type Guide, guideList, loginForm, onward } from '../guides/guidePage.ts';
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
export function referencePage(
  api: DescribedApi,
  exampleOf: ExampleOf,
  guides: readonly Pick<Guide, 'name' | 'title'>[],
): string {
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
    scriptUrls: ['/docs/reference.js', '/docs/tryIt.js', '/docs/code.js'],
    body: html`<div class="reference">
${sidebar(groups, [...new Set(Object.keys(api.webhooks).map(subjectOf))], objects)}
<main id="main">
${introduction(guides, groups)}
${groups.map(groupSection)}
${eventSections(api)}
<section class="part" id="objects">
<h2>Objects</h2>
<p>What requests and answers hold. Fields may be added; ignore those that you do not know.</p>
${inside(objects.map((name) => ({ id: `object-${name}`, title: name })))}
${objects.map((name, index) => objectSection(api, name, objects[index + 1]))}
</section>
</main>
</div>`,
  });
}

type Group = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly operations: readonly ShownOperation[];
};

function groupSection({ id, name, description, operations }: Group): Html {
  const entries = operations.map(({ operation }) => ({
    id: operation.operationId,
    title: operation.summary,
  }));
  const back = { href: `#${id}`, words: name };
  return html`<section class="part" id="${id}">
<h2>${name}</h2>
<p>${description}</p>
${inside(entries)}
${operations.map((shown, index) => operationSection(shown, onward(back, entries[index + 1])))}
</section>
`;
}

/** The list of what a section has, for screens that show one entry at a time. */
function inside(entries: readonly { readonly id: string; readonly title: string }[]): Html {
  return html`<ul class="plain inside">${entries.map(
    ({ id, title }) => html`<li><a href="#${id}">${title}</a></li>
`,
  )}</ul>`;
}

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

function introduction(guides: readonly Pick<Guide, 'name' | 'title'>[], groups: readonly Group[]): Html {
  const parts = [
    ...groups.map(({ id, name }) => ({ id, title: name })),
    { id: 'events', title: 'Types of events' },
    { id: 'objects', title: 'Objects' },
  ];
  return html`<h1>API reference</h1>
<section class="part start">
<p>Requests carry HTTP Basic credentials. Amounts are strings of decimal digits in the token's smallest unit. Every error is a <a href="/problems">Problem</a>. The same in machine-readable form: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<h2 id="guides">Guides</h2>
${guideList(guides)}
${inside(parts)}
${loginForm()}
<details><summary>Permissions a credential can hold</summary><p class="soft">${PERMISSIONS.map((name) => html`<code>${name}</code> `)}</p></details>
</section>`;
}

function eventSections({ webhooks }: DescribedApi): Html {
  const bySubject = Map.groupBy(Object.entries(webhooks), ([type]) => subjectOf(type));
  const subjects = [...bySubject.keys()].map((title) => ({ id: `events-${title}`, title }));
  const back = { href: '#events', words: 'Types of events' };
  const sections = [...bySubject].map(([subject, told], index) => {
    const object = eventObjectOf(told[0]?.[1].post);
    return html`<article class="entry card" id="events-${subject}" aria-labelledby="events-${subject}-title">
${entryTitle(`events-${subject}`, subject)}
<ul class="plain">${told.map(([type, { post }]) => html`<li id="event-${type}"><code>${type}</code> ${post.summary}</li>`)}</ul>
<p>Each holds a <a href="#object-${object}">${object}</a>.</p>
${onward(back, subjects[index + 1])}
</article>`;
  });
  return html`<section class="part" id="events"><h2>Types of events</h2>
<p>What <code>GET /v1/events</code> lists, its stream sends and webhooks are told. Answer a webhook with any 2xx status once you keep its event.</p>
${inside(subjects)}
${sections}</section>`;
}

/** The kind of subject of an event: payment_plan of payment_plan.step.done. */
function subjectOf(type: string): string {
  return type.slice(0, type.indexOf('.'));
}

function eventObjectOf(told: DescribedEvent | undefined): string {
  const [schema = {}] = told?.requestBody.content['application/json']?.schema.allOf ?? [];
  return objectNameOf(schema) ?? '';
}

function objectSection({ components }: DescribedApi, name: string, next: string | undefined): Html {
  const on = next === undefined ? undefined : { id: `object-${next}`, title: next };
  const schema = components.schemas[name] ?? {};
  const example = components.examples?.[name];
  return html`<article class="entry card" id="object-${name}" aria-labelledby="object-${name}-title">
${entryTitle(`object-${name}`, name)}
${schema.description === undefined ? undefined : html`<p>${prose(schema.description)}</p>`}
${fieldList(schema)}
${example === undefined ? undefined : html`<details><summary>An example</summary><pre>${JSON.stringify(example.value, null, 2)}</pre></details>`}
${onward({ href: '#objects', words: 'Objects' }, on)}
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
