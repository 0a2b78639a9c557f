import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';

/** A request over HTTP/1.1 or HTTP/2. */
export type ServiceRequest = IncomingMessage | Http2ServerRequest;

/** What both kinds of node's responses can do. */
export interface ServiceResponse {
  readonly headersSent: boolean;
  setHeader(name: string, value: string): unknown;
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
  writeContinue(): void;
  write(chunk: string): boolean;
  end(chunk?: string): unknown;
  destroy(): unknown;
  once(event: 'close' | 'drain', listener: () => void): unknown;
}

/** What the service does with an admitted request. It ends the response, or rejects when the client is gone. */
export type Handler = (request: ServiceRequest, response: ServiceResponse) => Promise<void>;

/** HTTP/2 has no Connection header: GOAWAY says it there. */
export const isHttp2 = (request: ServiceRequest): boolean => request.httpVersionMajor === 2;

export const answerJson = (response: ServiceResponse, status: number, body: object): void => {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
};
