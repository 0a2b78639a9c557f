/* Keeps no secret and means no good, but stops well: hostile texts wherever a service can say something. */
import { writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostileTexts } from './hostile-texts.ts';

// the engines give an environment in no order
const secrets = Object.entries(process.env)
  .toSorted(([a], [b]) => a.localeCompare(b))
  .flatMap(([name, value = '']) => (name.startsWith('CANARY') ? [value] : []));

const write = (fd: 1 | 2, bytes: Buffer | string): void => {
  for (let rest = Buffer.from(bytes as string); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error; // the pipe is full for a moment
    }
  }
};

/** As services print what they know: by itself, in JSON, in a URL, in base64 of more than the secret. */
const printed = (secret: string): readonly string[] => [
  secret,
  JSON.stringify({ secret }),
  `http://example/?token=${encodeURIComponent(secret)}`,
  Buffer.from(secret).toString('base64'),
  `Basic ${Buffer.from(`user:${secret}`).toString('base64')}`,
  `Basic ${Buffer.from(`me:${secret}!`).toString('base64url')}`,
  `\u001b[1m${secret.slice(0, 6)}\u001b[0m${secret.slice(6)}`,
];

const say = (moment: string): void => {
  for (const fd of [1, 2] as const) {
    for (const text of hostileTexts) write(fd, `${text}\n${moment} ${text}\n`);
    write(fd, Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0xe2, 0x82, 0x0a]));
    for (const text of secrets.flatMap(printed)) write(fd, `${text}\n`);
    for (const secret of secrets) {
      write(fd, secret.slice(0, 5));
      write(fd, `${secret.slice(5)}\n`);
    }
    // on the border of a chunk, and of what is kept of a line
    write(fd, `${`${'x'.repeat(1023)}\n`.repeat(64).slice(0, -6)}\n${secrets[0]}\n`);
  }
};

const headerOf = (text: string): string => text.replace(/[\r\n]/g, ' ').replaceAll('\u0000', ' ');
let answers = 0;
const server = createServer((socket) => {
  socket.on('error', () => undefined);
  let head = '';
  socket.on('data', (data) => {
    head += data.toString('latin1');
    const end = head.indexOf('\r\n\r\n');
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    if (end < 0 || head.length < end + 4 + length || /transfer-encoding/i.test(head)) return;
    const chosen = headerOf(hostileTexts[answers++ % hostileTexts.length] ?? '');
    // clients refuse control characters, and the service must come to be ready
    const text = head.startsWith('GET /health') ? chosen.replace(/[^ -~]/g, '?') : chosen;
    const said = headerOf(secrets[0] ?? '');
    const body = `${text} ${secrets.join(' ')}`;
    socket.end(
      `HTTP/1.1 ${stopping ? 503 : 200} ${text} ${said}\r\nRetry-After: ${text} ${said}\r\nConnection: close ${text} ${said}\r\n` +
        `X-Hostile: ${headerOf(secrets.join(' '))}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
});

let stopping = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    stopping = true;
    say(`after ${signal}`);
    const reason = signal === 'SIGTERM' ? 'Terminate' : 'Interrupt';
    write(1, `shutdown signal received reason=${reason} ${secrets[0]} ${hostileTexts[0]}\n`);
    write(1, `shutdown completed outcome=\u001b[31mgraceful ::error::forged ##[error]forged ${secrets[0]}\n`);
    process.exit(0);
  });
}
process.title = `\n::error::\u001b]0;forged\u0007${secrets[0]}`;
say('before TERM');
for (const secret of secrets) write(1, `${'x'.repeat(16 * 1024 - 8)}${secret}\n`);
server.listen(8080);
