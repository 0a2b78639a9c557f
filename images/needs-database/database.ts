import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';

/* As much of PostgreSQL's protocol (version 3.0) as one query at a time needs; the password goes in the clear. */

const HEADER_BYTES = 5;
const PROTOCOL = 196_608;

interface Message {
  readonly type: string;
  readonly body: Buffer;
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`);

const framed = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};

/** The first column of a DataRow, as text. */
const firstColumn = (row: Buffer): string => row.toString('utf8', 6, 6 + row.readInt32BE(2));

/** One connection to a database. */
export class Database {
  readonly #socket: Socket;
  readonly #messages: AsyncIterator<Message>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#messages = readMessages(socket);
  }

  /** @throws {Error} when nobody answers, or the password is wrong */
  static async open(url: URL): Promise<Database> {
    const socket = connect({ host: url.hostname, port: Number(url.port || 5432) });
    await once(socket, 'connect');
    const database = new Database(socket);
    const version = Buffer.alloc(4);
    version.writeUInt32BE(PROTOCOL);
    const pairs = ['user', url.username, 'database', url.pathname.slice(1)].map(text);
    socket.write(framed('', Buffer.concat([version, ...pairs, Buffer.from('\0')])));
    const asked = await database.#next();
    if (asked.type !== 'R' || asked.body.readUInt32BE() !== 3) throw new Error('the database asks for no password');
    socket.write(framed('p', text(decodeURIComponent(url.password))));
    await database.#untilReady();
    return database;
  }

  /** Resolves when the connection is over, whoever ended it. */
  async over(): Promise<void> {
    if (!this.#socket.closed) await once(this.#socket, 'close').catch(() => undefined);
  }

  /** The first column of the first row; undefined where there is none. */
  async query(sql: string): Promise<string | undefined> {
    this.#socket.write(framed('Q', text(sql)));
    return (await this.#untilReady()).map(firstColumn)[0];
  }

  async #untilReady(): Promise<Buffer[]> {
    const rows: Buffer[] = [];
    for (;;) {
      const { type, body } = await this.#next();
      if (type === 'E') throw new Error(`the database says: ${body.toString('utf8').replaceAll('\0', ' ')}`);
      if (type === 'D') rows.push(body);
      if (type === 'Z') return rows;
    }
  }

  async #next(): Promise<Message> {
    const { value, done } = await this.#messages.next();
    if (done) throw new Error('the database closed the connection');
    return value;
  }
}

async function* readMessages(socket: Socket): AsyncGenerator<Message, undefined> {
  let rest = Buffer.alloc(0);
  for await (const chunk of socket) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    while (rest.length >= HEADER_BYTES && rest.length > rest.readUInt32BE(1)) {
      const end = rest.readUInt32BE(1) + 1;
      yield { type: rest.toString('latin1', 0, 1), body: rest.subarray(HEADER_BYTES, end) };
      rest = rest.subarray(end);
    }
  }
  return undefined;
}
