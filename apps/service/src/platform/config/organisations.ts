import { readFileSync, statSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import type { NoticeOptions } from '@fairway/plan';
import { defined } from '@fairway/values';
import { isEmailAddress } from '@fairway/recipients';
import type { Colour } from '../../words/text/colours.ts';
import type { ConfigFile } from './schema.ts';
import { publicPageFault } from './publicPage.ts';

/** Who of an organisation is e-mailed what has become of its webhook endpoints; `locale`: English where there is none. */
export type WebhookContact = { readonly email: string; readonly locale?: string };

/** Where recipients can ask an organisation: at least one member. `url` is of https; `phone` begins with + and the country code. */
export type SupportContact = { readonly email?: string; readonly url?: string; readonly phone?: string };

/** How an organisation appears to recipients, which notices it e-mails to them, and whether a second person approves their details. */
export type OrganisationConfig = {
  /** The organisation's name in its credentials. */
  readonly organisation: string;
  readonly shownName: string;
  /** `data:image/…` */
  readonly logoDataUri?: string;
  /** In place of the logo where the reader has chosen a dark scheme. */
  readonly logoDarkDataUri?: string;
  readonly colour?: Colour;
  readonly support?: SupportContact;
  readonly notices?: NoticeOptions;
  /** REQUIRED: details that were registered are paid once somebody else has approved them, and no others are. */
  readonly recipientApproval?: 'REQUIRED';
  /** Absent: nobody is told. */
  readonly webhookContact?: WebhookContact;
};

type Entry = NonNullable<NonNullable<ConfigFile['payments']>['organisations']>[number];

const LARGEST_LOGO_BYTES = 65_536;
/** Image types by file extension, each with the beginning of its files in hexadecimal digits. */
const IMAGE_TYPES: Readonly<Record<string, { readonly type: string; readonly beginning: RegExp }>> = {
  '.png': { type: 'image/png', beginning: /^89504e470d0a1a0a/ },
  '.jpg': { type: 'image/jpeg', beginning: /^ffd8ff/ },
  '.jpeg': { type: 'image/jpeg', beginning: /^ffd8ff/ },
  '.webp': { type: 'image/webp', beginning: /^52494646.{8}57454250/ },
  // An SVG file may begin with a declaration and comments, so `<svg` may come later.
  '.svg': { type: 'image/svg+xml', beginning: /^(..)*?3c737667/ },
};

/** Reads organisations with their logos. Adds each fault to `problems` as a line. */
export function toOrganisations(
  { payments, mail }: ConfigFile,
  path: string,
  problems: string[],
): OrganisationConfig[] {
  const entries = payments?.organisations ?? [];
  const names = entries.map(({ organisation }) => organisation);
  return entries.map((entry, index) => {
    if (names.indexOf(entry.organisation) < index)
      problems.push(`${path}: payments.organisations.${index}: ${entry.organisation} is listed twice.`);
    const { webhookContact } = entry;
    const place = `${path}: payments.organisations.${index}.webhookContact`;
    if (webhookContact !== undefined && !isEmailAddress(webhookContact.email))
      problems.push(`${place}.email must be one plain e-mail address: name@example.com.`);
    if (webhookContact !== undefined && mail === undefined)
      problems.push(`${place} is e-mailed; mail, which says how, is missing.`);
    const faults = appearanceFaults(entry).map(
      (fault) => `${path}: payments.organisations.${index}.${fault}`,
    );
    problems.push(...faults);
    return toOrganisation(entry, path, problems);
  });
}

function appearanceFaults({ logo, logoDark, support }: Entry): string[] {
  const faults: string[] = [];
  if (logoDark !== undefined && logo === undefined)
    faults.push('logoDark is seen in place of logo, which is missing.');
  if (support?.email !== undefined && !isEmailAddress(support.email))
    faults.push('support.email must be one plain e-mail address: name@example.com.');
  const pageFault = support?.url === undefined ? undefined : publicPageFault(support.url);
  if (pageFault !== undefined) faults.push(`support.url ${pageFault}`);
  return faults;
}

function toOrganisation(entry: Entry, path: string, problems: string[]): OrganisationConfig {
  const { organisation, shownName = organisation, logo, logoDark, colour, notices, ...rest } = entry;
  const read = (file: string | undefined) =>
    file === undefined ? undefined : readLogo(entry, resolve(dirname(path), file), problems);
  return defined({
    organisation,
    shownName,
    logoDataUri: read(logo),
    logoDarkDataUri: read(logoDark),
    colour: colour?.toLowerCase() as Colour | undefined,
    notices: notices && toNotices(notices),
    ...rest,
  });
}

function toNotices({ reminderHours, ...told }: NonNullable<Entry['notices']>): NoticeOptions {
  const reminderBeforeMs = reminderHours === undefined ? undefined : reminderHours * 3_600_000;
  return defined({ ...told, reminderBeforeMs });
}

function readLogo({ organisation }: Entry, path: string, problems: string[]): string {
  const read = readImage(path);
  if ('dataUri' in read) return read.dataUri;
  problems.push(`${path}: the logo of ${organisation} ${read.fault}`);
  return '';
}

function readImage(path: string): { readonly dataUri: string } | { readonly fault: string } {
  const image = IMAGE_TYPES[extname(path).toLowerCase()];
  if (image === undefined)
    return { fault: 'must be a PNG, JPEG, WebP or SVG file; this is none by its name.' };
  try {
    if (statSync(path).size > LARGEST_LOGO_BYTES)
      return { fault: `must have at most ${LARGEST_LOGO_BYTES} bytes.` };
    const bytes = readFileSync(path);
    if (!image.beginning.test(bytes.toString('hex')))
      return { fault: `is no ${image.type}, as its name says it is.` };
    return { dataUri: `data:${image.type};base64,${bytes.toString('base64')}` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { fault: code === 'ENOENT' ? 'is not there.' : `cannot be read: ${(error as Error).message}` };
  }
}
