import type { Endpoint, RpcCall } from './endpoint.ts';
import { createPacer } from './pacer.ts';
import { askedPauseMs, refusalOf } from './refusal.ts';
import { RpcAnswerError, RpcBusyError, RpcUnreachableError } from './errors.ts';

/** One URL of a node, asked as often as the node bears, and not for what it does not offer. */
export type PacedEndpoint = Pick<Endpoint, 'subscribeHeads' | 'close'> & {
  /** Asks, at the latest at `untilMs`. */
  request(call: RpcCall, untilMs: number): Promise<unknown>;
  /** How long a request would have to wait for its turn. */
  waitMs(call: RpcCall): number;
  /** Why the node is not asked this now: it refused it a while ago as something that it does not know. */
  lacks(call: RpcCall): RpcAnswerError | undefined;
};

/** A method or form that a node does not know is asked for again after this time: nodes are updated, too. */
const LACKS_MS = 60_000;

/** Paces an endpoint. */
export function pacedEndpoint(endpoint: Endpoint): PacedEndpoint {
  const pacer = createPacer();
  const offered = new Set<string>();
  const lacking = new Map<string, { readonly error: RpcAnswerError; readonly untilMs: number }>();

  /** Takes note of what an error tells of the node, and gives the error for the caller. */
  function errorOf(error: unknown, call: RpcCall, sentAtMs: number): unknown {
    if (error instanceof RpcBusyError) {
      pacer.refused(sentAtMs, error.pauseMs);
      return error;
    }
    if (!(error instanceof RpcAnswerError)) return error;
    const refusal = refusalOf(error, call);
    if (refusal === 'BUSY') {
      const pauseMs = askedPauseMs(error, null, Date.now());
      pacer.refused(sentAtMs, pauseMs);
      return new RpcBusyError(`error ${error.code}`, pauseMs);
    }
    pacer.answered();
    // One that has answered this before knows it: then this request is at fault.
    if (refusal === 'FORM_UNKNOWN' && !offered.has(formOf(call)))
      lacking.set(formOf(call), { error, untilMs: performance.now() + LACKS_MS });
    return error;
  }

  return {
    async request(call, untilMs) {
      await pacer.turn(call.isBackground === true, untilMs);
      const sentAtMs = performance.now();
      try {
        const answer = await endpoint.request(call);
        pacer.answered();
        offered.add(formOf(call));
        return answer;
      } catch (error) {
        throw errorOf(error, call, sentAtMs);
      } finally {
        pacer.finished();
      }
    },
    waitMs: ({ isBackground }) => pacer.waitMs(isBackground === true),
    lacks(call) {
      if (lacking.size === 0) return undefined;
      const known = lacking.get(formOf(call));
      return known !== undefined && performance.now() < known.untilMs ? known.error : undefined;
    },
    ...(endpoint.subscribeHeads && { subscribeHeads: endpoint.subscribeHeads }),
    close() {
      pacer.close(new RpcUnreachableError('the connection is closed'));
      endpoint.close();
    },
  };
}

/**
 * A method with the members of its parameters, but not their values. A node may know a method without each form of
 * it.
 */
function formOf({ method, params = [] }: RpcCall): string {
  return `${method}(${params.map(shapeOf).join()})`;
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].join()}]`;
  if (typeof value !== 'object' || value === null) return typeof value;
  const members = Object.entries(value).map(
    // State overrides and storage have addresses and slots for names.
    ([name, content]) => `${name.startsWith('0x') ? '0x' : name}:${shapeOf(content)}`,
  );
  return `{${[...new Set(members)].toSorted().join()}}`;
}
