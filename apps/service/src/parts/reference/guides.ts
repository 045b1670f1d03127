import { readFileSync } from 'node:fs';
import { CREDENTIAL_PLACEHOLDER, type Guide, guidePage, readGuide } from '@fairway/api';
import { quickStart } from './quickStart.ts';
import type { Shown } from './shown.ts';

/** The name and the title of each guide, and its document in the repository. */
const DOCUMENTS = [
  { name: 'payments', title: 'Payments', file: 'docs/payments.md' },
  { name: 'collect', title: 'Digital collect', file: 'docs/collect.md' },
  { name: 'recipients', title: 'Recipients', file: 'docs/recipients.md' },
  { name: 'events', title: 'Events', file: 'docs/events.md' },
  { name: 'webhooks', title: 'Webhooks', file: 'docs/webhooks.md' },
  { name: 'reports', title: 'Reports', file: 'docs/reports.md' },
  { name: 'reconciliation', title: 'Reconciliation', file: 'docs/reconciliation.md' },
  { name: 'sdk', title: 'SDK for TypeScript', file: 'packages/sdk/README.md' },
  { name: 'clients', title: 'Clients in any language', file: 'docs/clients.md' },
  { name: 'client-node', title: 'Client Node', file: 'docs/client-node.md' },
  { name: 'operating', title: 'Operating', file: 'docs/operating.md' },
  { name: 'security', title: 'Security', file: 'docs/security.md' },
] as const;

/** The names and titles of all guides, in the order in which they are read. */
export const GUIDES: readonly Pick<Guide, 'name' | 'title'>[] = [
  { name: 'quick-start', title: 'Quick start' },
  ...DOCUMENTS,
];

/** The guides: the quick start, and documents of the repository with this service's address in their code. */
export function guidesOf(shown: Shown): readonly Guide[] {
  const documents = DOCUMENTS.map(({ name, title, file }) => {
    const markdown = readFileSync(new URL(`../../../../../${file}`, import.meta.url), 'utf8');
    const page = () => {
      const text = readGuide(filled(markdown, shown.publicUrl()), (href) => linkFrom(file, href));
      return guidePage({ name, text, guides: GUIDES });
    };
    return { name, title, page };
  });
  const page = () => guidePage({ name: 'quick-start', text: quickStart(shown), guides: GUIDES });
  return [{ name: 'quick-start', title: 'Quick start', page }, ...documents];
}

/** A document with the address of this service, the one placeholder of a credential that pages know, and titles for files. */
function filled(markdown: string, publicUrl: string): string {
  return DOCUMENTS.reduce(
    (text, { file, title }) => text.replaceAll(`[${nameOf(file)}]`, `[${title}]`),
    markdown,
  )
    .replaceAll('"$USER:$PASSWORD"', `'${CREDENTIAL_PLACEHOLDER}'`)
    .replaceAll(/\bUSERNAME:PASSWORD\b/g, CREDENTIAL_PLACEHOLDER)
    .replaceAll(/\$URL\b/g, () => publicUrl)
    .replaceAll(/http:\/\/127\.0\.0\.1:8080\b/g, () => publicUrl);
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1);
}

/** Links between documents lead to guides. Files of the repository that are no guide have no address here. */
function linkFrom(file: string, href: string): string | undefined {
  if (/^(?:https:|#)/.test(href)) return href;
  const { pathname, hash } = new URL(href, `file:///${file}`);
  const guide = DOCUMENTS.find((document) => `/${document.file}` === pathname);
  return guide === undefined ? undefined : `/docs/${guide.name}${hash}`;
}
