import type { OutputListener } from './driver.ts';

const HEADER_BYTES = 8;

/**
 * Splits the engines' multiplexed output (8 bytes of header: stream, 3 zeros, length; then the payload) into stdout and
 * stderr. Payload is passed on as it arrives, without waiting for the end of its frame, so that stamps stay true.
 */
export function demultiplexer(listener: OutputListener): (chunk: Buffer) => void {
  let header = Buffer.alloc(0);
  let left = 0;
  let stream: 'stdout' | 'stderr' = 'stdout';
  return (chunk) => {
    let rest = chunk;
    while (rest.length > 0) {
      if (left > 0) {
        listener(stream, rest.subarray(0, left));
        const taken = Math.min(left, rest.length);
        left -= taken;
        rest = rest.subarray(taken);
        continue;
      }
      const missing = HEADER_BYTES - header.length;
      header = Buffer.concat([header, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      if (header.length < HEADER_BYTES) return;
      stream = header[0] === 2 ? 'stderr' : 'stdout';
      left = header.readUInt32BE(4);
      header = Buffer.alloc(0);
    }
  };
}
