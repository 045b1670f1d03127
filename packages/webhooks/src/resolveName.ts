import { promises as dns } from 'node:dns';

/** Each name server is asked this many times; the last time it has longer than `queryMs`. */
const TRIES_COUNT = 2;

/** Which name servers are asked (those of the system where undefined), and until when. */
export type Resolution = {
  readonly nameServers: readonly string[] | undefined;
  readonly queryMs: number;
  readonly signal: AbortSignal;
};

/**
 * Asks name servers for all addresses of a name, IPv4 first; none where there are none or nobody answers. Ends when the
 * signal aborts.
 *
 * The system's own look-up (getaddrinfo) waits in a thread, and the whole process has two of them. Names of slow name
 * servers would hold up every other look-up. So the name servers are asked directly, and files such as /etc/hosts are
 * not read. The resolver is a new one each time: it has no cache, and reads anew which name servers the system has.
 */
export async function resolveName(
  name: string,
  { nameServers, queryMs, signal }: Resolution,
): Promise<readonly string[]> {
  if (signal.aborted) return [];
  const resolver = new dns.Resolver({ timeout: queryMs, tries: TRIES_COUNT });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel);
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
