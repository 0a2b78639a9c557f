/** Limits of light-fabric's registry protocol. */
const MOST_DEPTH = 64;
const MOST_ID_BYTES = 128;
const MOST_SERVICE_ID_BYTES = 256;
/** No message of this protocol comes near. */
export const MOST_MESSAGE_BYTES = 1024 * 1024;

const REASONS: readonly unknown[] = ['interrupt', 'terminate', 'programmatic'];

/** A JSON-RPC id, which its answer must repeat as it is. */
export type MessageId = string | number | null;

/** What a played controller reads in a message of a service. */
export interface RegistryMessage {
  /** Undefined: an answer to a request, of which the played controller makes none. */
  readonly method: string | undefined;
  /** Undefined: a notification. */
  readonly id: MessageId | undefined;
  readonly runtimeInstanceId?: string;
  readonly reason?: string;
  /** Whether the goodbye gives one of the protocol's reasons. */
  readonly reasonKnown: boolean;
}

/** Why a frame is not a message of this protocol; never the frame itself, which may carry a token. */
export interface Unreadable {
  readonly problem: string;
}

/** Reads one text frame. Whatever oversteps the protocol's limits is unreadable too: its session is not worth going on. */
export function readRegistryMessage(frame: string): RegistryMessage | Unreadable {
  if (depthOf(frame) > MOST_DEPTH) return { problem: `JSON nested deeper than ${MOST_DEPTH}` };
  let content: unknown;
  try {
    content = JSON.parse(frame);
  } catch {
    return { problem: 'not JSON' };
  }
  if (!isObject(content)) return { problem: 'not a JSON-RPC object' };
  const { id, method } = content;
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number') {
    return { problem: 'an id that is neither text nor a number' };
  }
  if (bytesOf(id) > MOST_ID_BYTES) return { problem: `an id of more than ${MOST_ID_BYTES} bytes` };
  if (method !== undefined && typeof method !== 'string') return { problem: 'a method that is not text' };
  if (method === undefined && content['result'] === undefined && content['error'] === undefined) {
    return { problem: 'neither a request nor an answer' };
  }
  const params = isObject(content['params']) ? content['params'] : {};
  const { runtimeInstanceId, reason, serviceId } = params;
  if (bytesOf(serviceId) > MOST_SERVICE_ID_BYTES) {
    return { problem: `a service id of more than ${MOST_SERVICE_ID_BYTES} bytes` };
  }
  return {
    method,
    id,
    reasonKnown: REASONS.includes(reason),
    ...(typeof runtimeInstanceId === 'string' ? { runtimeInstanceId } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function bytesOf(value: unknown): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}

/** How deep the brackets outside of texts nest; told from the characters, so that no parser has to survive them first. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (inText) {
      if (character === '\\') at += 1;
      else if (character === '"') inText = false;
    } else if (character === '"') inText = true;
    else if (character === '{' || character === '[') {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}
