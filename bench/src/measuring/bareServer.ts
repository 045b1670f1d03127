import { createServer } from 'node:http';

/** The smallest HTTP server in Node, whose cost every service on Node has, too. */
const server = createServer((_request, response) => {
  response.end('hello');
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : undefined });
});
process.on('SIGTERM', () => {
  server.closeAllConnections();
  server.close();
});
