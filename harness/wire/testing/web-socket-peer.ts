import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';

/** The head of a 101 that answers a request for an upgrade; `accept` stands for the right one. */
export function switching(request: string, accept?: string): string {
  const key = /sec-websocket-key: (.*)\r\n/i.exec(request)?.[1] ?? '';
  const right = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept ?? right}\r\n\r\n`;
}

/** One unmasked frame of a server, whole, with FIN unless told otherwise. */
export function frame(opcode: number, payload: string | Buffer = '', fin = true): Buffer {
  const body = Buffer.from(payload);
  const first = (fin ? 0x80 : 0) | opcode;
  if (body.length < 126) return Buffer.concat([Buffer.from([first, body.length]), body]);
  const head = Buffer.alloc(body.length < 65_536 ? 4 : 10);
  head[0] = first;
  head[1] = body.length < 65_536 ? 126 : 127;
  if (body.length < 65_536) head.writeUInt16BE(body.length, 2);
  else head.writeBigUInt64BE(BigInt(body.length), 2);
  return Buffer.concat([head, body]);
}

export const text = (payload: string): Buffer => frame(1, payload);

export function closeFrame(code: number, reason = ''): Buffer {
  const body = Buffer.alloc(2);
  body.writeUInt16BE(code);
  return frame(8, Buffer.concat([body, Buffer.from(reason)]));
}

/** A raw service that upgrades each connection and then calls `serve`, with what the client sends as frames left unread. */
export function upgrades(serve: (socket: Socket, request: string) => void): (socket: Socket) => void {
  return (socket) => {
    let head = '';
    const take = (chunk: Buffer): void => {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      socket.off('data', take);
      socket.write(switching(head));
      serve(socket, head);
    };
    socket.on('data', take);
  };
}
