/** What the controller that the harness plays heard and said (light-fabric.md, registry protocol). */
export type ControllerObservation =
  | { readonly kind: 'controller.listening'; readonly url: string; readonly behaviour: string }
  | {
      readonly kind: 'controller.session';
      readonly session: number;
      readonly state: 'opened' | 'closed';
      readonly code?: number;
    }
  | {
      readonly kind: 'controller.received';
      readonly session: number;
      readonly method: string;
      readonly id?: string;
      readonly runtimeInstanceId?: string;
      readonly reason?: string;
      readonly text?: string;
    }
  /** begin is the call, t when the answer was handed to the kernel. */
  | {
      readonly kind: 'controller.answered';
      readonly session: number;
      readonly method: string;
      readonly id?: string;
      readonly outcome: 'registered' | 'deregistered' | 'refused';
    };
