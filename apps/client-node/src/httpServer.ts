import { createServer, type Part, registerProblemPages, type ServerOptions } from '@fairway/api';
import { type NotificationParts, registerNotifications } from '@fairway/notifications';
import { type NodeOperationId, nodeOperation } from '@fairway/wire';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { NativeSymbols } from './nativeSymbols.ts';
import { FRAME, registerConsole } from './parts/console/index.ts';
import { type ExecutionParts, registerExecutions } from './parts/executions/index.ts';
import { type MirroredService, registerMirror } from './parts/mirror/index.ts';
import type { PaymentParts } from './parts/payments/index.ts';
import { registerPolicies, type PolicyParts } from './parts/policies/index.ts';
import { registerGas, registerRelayers } from './parts/relayers/index.ts';
import { registerSignatures } from './parts/signatures/index.ts';

/** Everything that the HTTP server needs, as plain functions and values. */
export type HttpDeps = Pick<ServerOptions, 'environment' | 'publicUrl' | 'authenticate' | 'log'> & {
  readonly service: MirroredService;
  readonly executions: ExecutionParts;
  readonly payments: PaymentParts;
  readonly policy: PolicyParts;
  readonly nativeSymbols: NativeSymbols;
  readonly notifications: NotificationParts;
};

const LIMITS = { requestsPerSecond: 1000, failedLoginsPerMinute: 100 };

/** Makes the HTTP server of the node with all its parts; it does not listen yet. */
export function createHttpServer(deps: HttpDeps): FastifyInstance {
  const { environment, executions, payments, service } = deps;
  const parts: readonly Part<NodeOperationId>[] = [
    (door) => registerMirror(door, { service, executions, payments }),
    (door) => registerExecutions(door, executions),
    (door) => registerRelayers(door, executions),
    (door) => registerGas(door, { ...executions, log: deps.log }),
    (door) => registerSignatures(door, { ...executions, policy: deps.policy.policy }),
    (door) => registerPolicies(door, deps.policy, executions.relayers),
    (door) =>
      registerConsole(door, {
        ...executions,
        policy: deps.policy,
        nativeSymbols: deps.nativeSymbols,
        environment,
      }),
    (door) => registerNotifications(door, deps.notifications),
    (door) => registerProblemPages(door, { publicUrl: deps.publicUrl, frame: FRAME }),
  ];
  const options = {
    ...deps,
    limits: LIMITS,
    credentialHint:
      'The Client Node has credentials of its own: that of its first start is in credential.json of its data folder, and `client-node credentials create` makes others.',
    isOwnHostOnly: environment === 'sandbox',
    // Refusals are in the log of the process that is in front of the node.
    audit: { record() {} },
  };
  const server = createServer(options, nodeOperation, parts);
  server.addHook('onResponse', (request, reply, done) => {
    logChange(deps.log, request, reply);
    done();
  });
  return server;
}

/** The service knows the node alone: which of its callers changed or revealed something is said here. */
function logChange(
  log: Pick<Logger, 'info'>,
  { id: requestId, method, caller, is404, routeOptions }: FastifyRequest,
  { statusCode: status }: FastifyReply,
): void {
  const { url, config } = routeOptions;
  const { access } = config;
  const isReading = access?.kind === 'PERMISSION' && access.permission.endsWith(':read');
  if (caller === undefined || is404 || isReading || method === 'GET' || method === 'HEAD') return;
  const { credentialId } = caller;
  log.info({ credentialId, operation: `${method} ${url}`, requestId, status }, 'a caller asked for a change');
}
