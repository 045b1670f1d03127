import { parseUrlLogin } from '@fairway/evm';
import { isEmailAddress } from '@fairway/recipients';
import type { EnvironmentVariables } from './variables.ts';
import type { ConfigFile } from './schema.ts';

/** The sender of e-mails. */
export type MailSender = { readonly name: string; readonly address: string };

/** How e-mail is sent. `smtpUrl`: smtp(s)://USER:PASSWORD@HOST:PORT, with or without the credential and the port. */
export type MailConfig = { readonly smtpUrl: string; readonly from: MailSender };

/**
 * Reads how e-mail is sent, and checks that there is a public URL for its links. Adds each fault to `problems` as a
 * line.
 */
export function toMail(
  { mail, payments, publicUrl }: ConfigFile,
  path: string,
  environment: EnvironmentVariables,
  problems: string[],
): MailConfig | undefined {
  const collecting = payments?.corridors.find(({ modes }) => modes.includes('DIGITAL_COLLECT'));
  if (collecting !== undefined && publicUrl === undefined)
    problems.push(
      `${path}: publicUrl: is missing; corridor ${collecting.id} offers DIGITAL_COLLECT, whose links lead there.`,
    );
  if (mail === undefined) {
    if (collecting !== undefined)
      problems.push(
        `${path}: mail: is missing; corridor ${collecting.id} offers DIGITAL_COLLECT, which e-mails a link.`,
      );
    return undefined;
  }
  const from = toSender(mail.from);
  if (from === undefined)
    problems.push(`${path}: mail.from must be a name and an e-mail address: Name <name@example.com>.`);
  const smtpUrl = readSmtpUrl(mail.smtpUrl, path, environment, problems);
  return from === undefined || smtpUrl === undefined ? undefined : { smtpUrl, from };
}

function toSender(text: string): MailSender | undefined {
  const [, name, address] = /^([^<>"\p{Cc}]*[^<>"\p{Cc}\s])\s*<([^<>\s]+)>$/u.exec(text) ?? [];
  if (name === undefined || address === undefined || !isEmailAddress(address)) return undefined;
  return { name, address };
}

/** Reads the URL of the mail server. It may hold a password, so no problem shows it. */
function readSmtpUrl(
  text: string,
  path: string,
  environment: EnvironmentVariables,
  problems: string[],
): string | undefined {
  const variable = text.startsWith('env:') ? text.slice(4) : undefined;
  const url = variable === undefined ? text : environment[variable];
  if (url !== undefined && isSmtpUrl(url)) return url;
  const key = variable === undefined ? `${path}: mail.smtpUrl` : `${variable}: this environment variable`;
  problems.push(
    `${key} must hold the URL of an SMTP server: smtp://HOST:PORT or smtps://HOST:PORT, with USER:PASSWORD@ before HOST where it asks for them, both percent-encoded as UTF-8.`,
  );
  return undefined;
}

function isSmtpUrl(text: string): boolean {
  if (!/^smtps?:\/\/[^\s/?#]+\/?$/.test(text)) return false;
  return URL.parse(text)?.hostname !== '' && parseUrlLogin(text) !== undefined;
}
