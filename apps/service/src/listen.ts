import type { FastifyInstance } from 'fastify';
import type { Config } from './platform/config/config.ts';
import { ConfigError } from './platform/config/error.ts';
import { listenFault } from './platform/config/listenFault.ts';

/** The port when the configuration names none. */
const DEFAULT_PORT = 8080;
/** How long open requests may delay the end of the service; they may wait for a chain that never answers. */
const CLOSE_GRACE_MS = 500;
/**
 * How many new connections may wait for the service. Beyond this the system drops them, and a caller tries again after a
 * second. Node's own number is 511, which one organisation can fill. The system may allow fewer (`net.core.somaxconn`).
 */
const BACKLOG = 4_096;

/**
 * Listens at the configured address. When no port is configured and the default port is taken, it uses a free port. So
 * a second service can start beside a first one.
 * @returns The URL, without a trailing slash.
 * @throws ConfigError when the service cannot listen there.
 */
export async function listen(server: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    return await server.listen({ host, port: port ?? DEFAULT_PORT, backlog: BACKLOG });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'EADDRINUSE' && port === undefined)
      return server.listen({ host, port: 0, backlog: BACKLOG });
    throw new ConfigError([
      `Cannot listen on ${host}, port ${port ?? DEFAULT_PORT}: ${listenFault(code, code)}`,
    ]);
  }
}

/** Stops listening. Open requests have a short time to be answered; then their connections are closed. */
export async function closeServer(server: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), CLOSE_GRACE_MS);
  await server.close();
  clearTimeout(cut);
}
