import type { Config } from './config.ts';
import { certificateEndMs } from './tls.ts';
import { LOOPBACK_HOSTS } from '@fairway/api';

/** The parts of the configuration that say how callers reach the service. */
type Reach = Pick<Config, 'host' | 'publicUrl' | 'trustedProxies' | 'tls'>;

/** What is probably wrong with the way in which callers reach the service; each sentence names the remedy. */
export function reachWarnings(
  { host, publicUrl, trustedProxies, tls }: Reach,
  nowMs: number,
): readonly string[] {
  const warnings: string[] = [];
  if (tls !== undefined && certificateEndMs(tls) <= nowMs)
    warnings.push(
      '--tls-cert: the certificate has expired, so callers refuse it. Give a new one and start again.',
    );
  if (publicUrl?.startsWith('http:') === true && isElsewhere(publicUrl)) {
    warnings.push(
      `publicUrl is ${publicUrl}: links for recipients go over clear text, and everybody who reads them can use them. ` +
        'Make it https.',
    );
  }
  if (tls !== undefined) return warnings;
  if (!LOOPBACK_HOSTS.has(host) && trustedProxies.length > 0 && trustedProxies.every(isHere)) {
    warnings.push(
      `--host ${host}: other machines reach the service in clear text, past the proxy on this machine that trustedProxies ` +
        'names. Leave --host out.',
    );
  }
  if (trustedProxies.length > 0) return warnings;
  if (publicUrl?.startsWith('https:') === true) {
    warnings.push(
      `publicUrl is ${publicUrl}, but trustedProxies names no proxy. Behind a proxy all callers then have one address, ` +
        "and limits by address count them together. Put the proxy's address into trustedProxies, or end TLS here with " +
        '--tls-cert and --tls-key.',
    );
  }
  if (!LOOPBACK_HOSTS.has(host)) {
    warnings.push(
      `--host ${host}: passwords and personal data cross the network in clear text. Give --tls-cert and --tls-key, or ` +
        'put a proxy that ends TLS in front and name it in trustedProxies.',
    );
  }
  return warnings;
}

/**
 * The answers that the service depends on and that cross the network in clear text. There they can be read and
 * changed. No line shows a URL, because it may hold a key or a password.
 */
export function clearTextWarnings({
  chains = [],
  payments,
  database,
}: Pick<Config, 'chains' | 'payments' | 'database'>): readonly string[] {
  const rates = payments?.rates ?? [];
  const ofRates = rates
    .filter(({ url }) => url.startsWith('http:') && isElsewhere(url))
    .map(
      ({ corridorId }) =>
        `Corridor ${corridorId}, target.rate: the rate crosses the network in clear text, where it can be changed. Use https.`,
    );
  const ofNodes = chains.flatMap(({ name, nodes }) =>
    nodes
      .filter(({ urls }) => urls.some((url) => /^(http|ws):/.test(url) && isElsewhere(url)))
      .map(
        (node) =>
          `${name}, node ${node.name}: what it says crosses the network in clear text, where it can be changed. ` +
          'Use https or wss, or a network that is yours alone.',
      ),
  );
  const warnings = [...ofNodes, ...ofRates];
  if (database.kind !== 'SERVER' || !isDatabaseElsewhere(database.url) || isEncrypted(database.url))
    return warnings;
  return [
    ...warnings,
    'DATABASE_URL: the connection may be without TLS. Add sslmode=verify-full to it, or use a network that is yours alone.',
  ];
}

function isElsewhere(url: string): boolean {
  return isOtherHost(URL.parse(url)?.hostname ?? '');
}

/** The parameter "host" wins over the host before the path; a path in its place is a socket on this machine. */
function isDatabaseElsewhere(url: string): boolean {
  const [, named] = /[?&]host=([^&]*)/.exec(url) ?? [];
  if (named === undefined) return isElsewhere(url);
  return !/^(\/|%2f)/i.test(named) && isOtherHost(named);
}

function isOtherHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return bare !== '' && !LOOPBACK_HOSTS.has(bare);
}

/** Whether a proxy is on this machine. */
function isHere(proxy: string): boolean {
  return LOOPBACK_HOSTS.has(proxy) || /^127\.\d+\.\d+\.\d+(\/\d+)?$/.test(proxy) || proxy === '::1/128';
}

/** Whether the URL of a database asks for TLS; "disable" and "no-verify" do not. */
function isEncrypted(url: string): boolean {
  const mode = /[?&]sslmode=([^&]*)/.exec(url)?.[1] ?? '';
  return ['require', 'verify-ca', 'verify-full'].includes(mode);
}
