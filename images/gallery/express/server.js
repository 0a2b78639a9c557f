import { createServer } from 'node:http';
import terminus from '@godaddy/terminus';
import express from 'express';

const app = express();
app.get('/', (_request, response) => response.type('text').send('served\n'));
app.get('/slow', (request, response) => {
  setTimeout(() => response.type('text').send('served\n'), Number(request.query.ms ?? 1000));
});
const server = createServer(app);
// the defaults of the library but for the signals: those of a container and of a terminal
terminus.createTerminus(server, {
  signals: ['SIGTERM', 'SIGINT'],
  healthChecks: { '/healthz': async () => 'ok' },
  logger: console.error,
});
server.listen(3000, () => console.log('listening on 3000'));
