import { readFileSync, statSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import type { NoticeOptions } from '@fairway/plan';
import type { ConfigFile } from './configSchema.ts';

/** How an organisation appears to recipients, and what it e-mails them beside links and codes. */
export type OrganisationConfig = {
  /** As credentials name it. */
  readonly organisation: string;
  readonly shownName: string;
  /** `data:image/…` */
  readonly logoDataUri?: string;
  readonly notices?: NoticeOptions;
};

type Entry = NonNullable<NonNullable<ConfigFile['payments']>['organisations']>[number];

const LARGEST_LOGO_BYTES = 65_536;
const IMAGE_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.svg': 'image/svg+xml',
};

/** Reads organisations with their logos; adds what is wrong to `problems`, a line each. */
export function toOrganisations(
  { payments }: ConfigFile,
  path: string,
  problems: string[],
): OrganisationConfig[] {
  const entries = payments?.organisations ?? [];
  const names = entries.map(({ organisation }) => organisation);
  return entries.map((entry, index) => {
    if (names.indexOf(entry.organisation) < index)
      problems.push(`${path}: payments.organisations.${index}: ${entry.organisation} is listed twice.`);
    return toOrganisation(entry, path, problems);
  });
}

function toOrganisation(entry: Entry, path: string, problems: string[]): OrganisationConfig {
  const { organisation, shownName = organisation, logo, notices } = entry;
  return {
    organisation,
    shownName,
    ...(logo === undefined ? {} : { logoDataUri: readLogo(resolve(dirname(path), logo), problems) }),
    ...(notices === undefined ? {} : { notices: toNotices(notices) }),
  };
}

function toNotices({ reminderHours, ...told }: NonNullable<Entry['notices']>): NoticeOptions {
  return { ...told, ...(reminderHours === undefined ? {} : { reminderBeforeMs: reminderHours * 3_600_000 }) };
}

function readLogo(path: string, problems: string[]): string {
  const type = IMAGE_TYPES[extname(path).toLowerCase()];
  if (type === undefined) {
    problems.push(`${path}: a logo is a PNG, JPEG, WebP or SVG file; this is none by its name.`);
    return '';
  }
  try {
    if (statSync(path).size > LARGEST_LOGO_BYTES)
      problems.push(`${path}: a logo has at most ${LARGEST_LOGO_BYTES} bytes.`);
    else return `data:${type};base64,${readFileSync(path, 'base64')}`;
  } catch (error) {
    problems.push(`${path}: the logo cannot be read: ${(error as Error).message}`);
  }
  return '';
}
