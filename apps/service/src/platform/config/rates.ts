import { parseUrlLogin } from '@fairway/evm';
import { type Address, minorDecimalsOf } from '@fairway/plan';
import type { ConfigFile } from './schema.ts';
import type { EnvironmentVariables } from './variables.ts';
import { LOOPBACK_HOSTS } from '@fairway/api';
import { MALFORMED_LOGIN } from './malformedLogin.ts';

/**
 * Where the rate of a corridor is read: how many units of `currency` a unit of `token` is worth. `url` may hold a
 * credential. `pointer`: a JSON pointer (RFC 6901).
 */
export type RateSource = {
  readonly corridorId: string;
  readonly chainId: number;
  readonly token: Address;
  readonly currency: string;
  readonly url: string;
  readonly pointer: string;
  readonly maxAgeMs: number;
};

type CorridorEntry = NonNullable<ConfigFile['payments']>['corridors'][number];

/** The rates of the configured corridors, with their URLs read from the environment. Adds faults to `problems`. */
export function toRates(
  { payments }: ConfigFile,
  path: string,
  environment: EnvironmentVariables,
  problems: string[],
): readonly RateSource[] {
  return (payments?.corridors ?? []).flatMap((corridor) => {
    const { id, source, target } = corridor;
    const { rate, currency } = target;
    if (rate === undefined) return [];
    problems.push(...rateFaults(target).map((fault) => `${path}: corridor ${id}: ${fault}`));
    const key = `${path}: corridor ${id}: target.rate.url`;
    const url = readUrl(rate.url, key, environment, problems);
    if (url === undefined) return [];
    const { pointer, maxAgeSeconds } = rate;
    const token = target.token.toLowerCase() as Address;
    const place = { corridorId: id, chainId: source.chainId, token, currency };
    return [{ ...place, url, pointer, maxAgeMs: 1000 * maxAgeSeconds }];
  });
}

function rateFaults({ type, conversion, currency }: CorridorEntry['target']): string[] {
  if (type === 'WALLET')
    return ['target.rate: a wallet is paid the token itself, so nothing is converted. Leave rate out.'];
  if (conversion === 'PEGGED')
    return ['target.rate: a token that is PEGGED is not converted. Leave rate out, or make it CUSTODIAN.'];
  const isKnown =
    minorDecimalsOf(currency) !== undefined && Intl.supportedValuesOf('currency').includes(currency);
  return isKnown
    ? []
    : [`target.rate: ${currency} is no currency of ISO 4217, so amounts in it cannot be estimated.`];
}

/** Reads a URL. It may hold a credential, so no problem shows it. */
function readUrl(
  text: string,
  key: string,
  environment: EnvironmentVariables,
  problems: string[],
): string | undefined {
  const variable = text.startsWith('env:') ? text.slice(4) : undefined;
  const url = URL.parse(variable === undefined ? text : (environment[variable] ?? ''));
  const named = variable === undefined ? key : `${variable}: this environment variable`;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    problems.push(`${named} must hold an http or https URL that answers JSON.`);
    return undefined;
  }
  const isSecret = url.username !== '' || url.password !== '';
  if (parseUrlLogin(url.href) === undefined) {
    problems.push(`${named}: ${MALFORMED_LOGIN}`);
    return undefined;
  }
  if (isSecret && url.protocol === 'http:' && !isHere(url)) {
    problems.push(`${named} would send its password in clear text. Use https.`);
    return undefined;
  }
  return url.href;
}

function isHere({ hostname }: URL): boolean {
  return LOOPBACK_HOSTS.has(hostname.replace(/^\[(.*)\]$/, '$1'));
}
