import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Makes a listener that works on one request of a connection at a time. A caller may send many requests over one
 * connection before it reads an answer (pipelining, RFC 9112, section 9.3.2). Node passes on all that arrived together,
 * so that one packet of a few kilobytes could ask for hundreds of answers that nobody reads. Here the next request
 * begins when the answer before it was given to the system.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  /** The connections with a request that is worked on, and their next requests. */
  const waiting = new WeakMap<Socket, [IncomingMessage, ServerResponse][]>();

  function run(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    response.once('close', () => {
      const next = waiting.get(socket)?.shift();
      if (next === undefined || socket.destroyed) waiting.delete(socket);
      else run(...next);
    });
    listener(request, response);
  }

  return (request, response) => {
    const { socket } = request;
    const line = waiting.get(socket);
    if (line !== undefined) {
      line.push([request, response]);
      return;
    }
    waiting.set(socket, []);
    run(request, response);
  };
}
