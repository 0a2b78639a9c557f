/** What a played peer owes the service: nothing of it is answered until it is released. */
export interface Hold {
  /** Resolves once the service has asked, and where only half an answer is held, once the first half is with the kernel. */
  readonly asked: Promise<void>;
  /**
   * Answer what is held, and from then on at once. Resolves when what was held is with the kernel; true where anything was
   * and got there: false where nobody had asked, or all who had are gone.
   */
  release(): Promise<boolean>;
}

/** The peer's own side of a hold. */
export interface Holder extends Hold {
  /** Whether an answer that is due now is held. */
  readonly holds: boolean;
  /** The service has asked. */
  ask(): void;
  /** Give this answer: at once, or when it is released. It tells whether it is with the kernel, and never rejects. */
  answer(send: () => Promise<boolean>): void;
}

/** A hold that `holding` starts: without it every answer is given at once. */
export function createHolder(holding: boolean): Holder {
  const asked = Promise.withResolvers<void>();
  const kept: (() => Promise<boolean>)[] = [];
  let holds = holding;
  return {
    asked: asked.promise,
    get holds() {
      return holds;
    },
    ask: () => asked.resolve(),
    answer(send) {
      if (holds) kept.push(send);
      else void send();
    },
    async release() {
      holds = false;
      const sent = await Promise.all(kept.splice(0).map(async (send) => await send()));
      return sent.includes(true);
    },
  };
}
