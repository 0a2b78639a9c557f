import type { SessionSocket } from '../registry-session.ts';

/** A WebSocket whose other side is the test. */
export class PlayedSocket extends EventTarget {
  readonly sent: { readonly id: string; readonly method: string; readonly params: Readonly<Record<string, string>> }[] =
    [];
  closing = false;

  /** It has the listeners of a WebSocket, without their types. */
  get asSocket(): SessionSocket {
    return this as unknown as SessionSocket;
  }

  send(data: string): void {
    this.sent.push(JSON.parse(data));
  }

  close(): void {
    this.closing = true;
  }

  open(): void {
    this.dispatchEvent(new Event('open'));
  }

  end(): void {
    this.dispatchEvent(new Event('close'));
  }

  answer(message: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }));
  }
}
