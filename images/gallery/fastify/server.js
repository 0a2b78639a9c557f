import { setTimeout } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import Fastify from 'fastify';

const app = Fastify({ logger: true });
app.get('/', async () => 'served\n');
app.get('/slow', async (request) => {
  await setTimeout(Number(request.query.ms ?? 1000));
  return 'served\n';
});
closeWithGrace({ delay: 5000 }, async ({ signal, err }) => {
  if (err) app.log.error(err);
  else app.log.info(`${signal} received, closing`);
  await app.close();
});
await app.listen({ port: 3000, host: '0.0.0.0' });
