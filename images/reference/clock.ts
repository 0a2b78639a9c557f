/** Time as the runtime sees it; tests give it a virtual one. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Calls back once after `ms`; the returned function takes that back. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
