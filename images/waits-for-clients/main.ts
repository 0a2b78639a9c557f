// Greets each client, repeats each line, and leaves only when the last client has: one that says nothing holds the stop.
import type { Socket } from 'node:net';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

const clients = new Set<Socket>();
const server = createServer((socket) => {
  clients.add(socket);
  socket.on('error', () => undefined);
  socket.once('close', () => clients.delete(socket));
  socket.write('hello\n');
  const lines = createInterface(socket);
  lines.on('error', () => undefined);
  lines.on('line', (line) => socket.write(`${line}\n`));
});
server.listen(7000);

process.once('SIGTERM', () => {
  server.close();
  if (process.env['CLIENTS'] === 'cut') for (const socket of clients) socket.destroy();
});
