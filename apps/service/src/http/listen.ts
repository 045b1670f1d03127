import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/configError.ts';
import { listenFault } from '../config/listenFault.ts';

/** Where the service listens when nobody says otherwise and nothing else does already. */
const defaultPort = 8080;
/** A request that waits for a chain that hangs must not hold up the end of the service. */
const closeGraceMs = 500;

/**
 * Listens where the configuration says. The default port gives way to any free one when it is taken, so that
 * a second service starts beside a first; a port that was asked for does not.
 * @throws ConfigError when the address cannot be listened on. Returns the URL without a trailing slash.
 */
export async function listen(server: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    return await server.listen({ host, port: port ?? defaultPort });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'EADDRINUSE' && port === undefined) return server.listen({ host, port: 0 });
    throw new ConfigError([
      `Cannot listen on ${host}, port ${port ?? defaultPort}: ${listenFault(code, code)}`,
    ]);
  }
}

/** Stops listening; requests under way have a moment to be answered. */
export async function closeServer(server: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), closeGraceMs);
  await server.close();
  clearTimeout(cut);
}
