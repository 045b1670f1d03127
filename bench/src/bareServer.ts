import { createServer } from 'node:http';

/** The least that answers HTTP in Node: what every service on it pays. */
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
