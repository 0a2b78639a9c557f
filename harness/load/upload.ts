import { declaredForms, holdBodies } from './held-bodies.ts';
import { started } from './held-work.ts';
import type { BodyPlan } from './sent-body.ts';
import type { TrafficShape } from './traffic.ts';

/** Less than the 256 KiB that Go's net/http reads at most of a body which its handler did not ask for. */
const TOTAL_BYTES = 192 * 1024;
const PIECE_BYTES = 4 * 1024;

/**
 * Half of it goes out at 4 KiB per piece. From there on it is in mid-upload for as long as `finish` does not come: byte by
 * byte, since a service that gives up on a silent upload would be right.
 */
const UPLOAD: BodyPlan = {
  total: TOTAL_BYTES,
  everyMs: 50,
  pieceBytes: (sent) => (sent < TOTAL_BYTES / 2 ? PIECE_BYTES : 1),
};

/** Uploads that go on across the signal, to a declared endpoint or else POST /; `finish` sends the rest at once. */
export const upload: TrafficShape<'upload'> = async ({ shape, count }, context) => {
  const forms = [
    ...declaredForms(context.endpoints.upload, 'an upload that goes on'),
    { how: 'POST / with an upload that goes on', method: 'POST', path: '/', chunked: false },
  ];
  const bodies = await holdBodies(context, { shape, count, forms, plan: UPLOAD, warm: false });
  return started(context, shape, bodies, {
    capability: 'held work',
    reason: 'no upload stayed in flight',
    declare: "endpoints: { upload: ['POST /path'] }",
  });
};
