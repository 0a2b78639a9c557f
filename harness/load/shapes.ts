import type { Load } from '../model/scenario.ts';
import { halfHeaders } from './half-headers.ts';
import { http2Sessions } from './http2-sessions.ts';
import { idleKeepAlive } from './idle-keep-alive.ts';
import { slowAnswer } from './slow-answer.ts';
import { slowBody } from './slow-body.ts';
import { stalledSocket } from './stalled.ts';
import { stream } from './stream.ts';
import type { Started, TrafficContext, TrafficShape } from './traffic.ts';
import { upload } from './upload.ts';
import { warmSlowBody } from './warm-slow-body.ts';
import { webSockets } from './web-sockets.ts';

/** Every traffic shape by its name: a new one is one file and one line. */
const shapes: { readonly [S in Load['shape']]: TrafficShape<S> } = {
  'slow-body': slowBody,
  'warm-slow-body': warmSlowBody,
  'slow-answer': slowAnswer,
  upload,
  stream,
  'idle-keep-alive': idleKeepAlive,
  'half-headers': halfHeaders,
  stalled: stalledSocket,
  'http2-sessions': http2Sessions,
  'web-sockets': webSockets,
};

/** Put one load on the service by its shape. */
export function startTraffic(load: Load, context: TrafficContext): Promise<Started> {
  const shape = shapes[load.shape] as TrafficShape<Load['shape']>;
  return shape(load, context);
}
