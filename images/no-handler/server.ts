// Fault: no signal handler. As PID 1 the process never notices SIGTERM or SIGINT.
import { createServer } from 'node:http';

createServer(async (request, response) => {
  let length = 0;
  for await (const chunk of request) length += (chunk as Buffer).length;
  response.end(JSON.stringify({ length }));
}).listen(8080);
