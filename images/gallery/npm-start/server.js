import { createServer } from 'node:http';

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const answer = () => response.end('served\n');
  if (pathname === '/slow') setTimeout(answer, Number(searchParams.get('ms') ?? 1000));
  else request.resume().on('end', answer);
});
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.on(signal, () => {
    console.log(`${signal} received, closing`);
    server.close(() => {
      console.log('closed');
      process.exit(0);
    });
    server.closeIdleConnections();
  });
}
server.listen(3000, () => console.log('listening on 3000'));
