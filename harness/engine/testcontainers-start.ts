import type Docker from 'dockerode';
import { EngineError } from '../model/errors.ts';
import { createCall, networkModeOf } from './container-options.ts';
import type { Dialect } from './dialect.ts';
import type { ContainerSpec } from './driver.ts';
import { testcontainersAt } from './testcontainers-target.ts';

/**
 * Create and start by testcontainers: never pulled, no reaper, no readiness of its own (the harness observes that).
 * `onCreated` runs between create and start. Gives the state as inspected after the start.
 */
export async function startByTestcontainers(
  { endpoint, dialect }: { readonly endpoint: string; readonly dialect: Dialect },
  spec: ContainerSpec,
  onCreated: (id: string) => Promise<void>,
): Promise<Docker.ContainerInspectInfo> {
  const { GenericContainer, Wait } = await testcontainersAt(endpoint);
  let inspected: Docker.ContainerInspectInfo | undefined;

  class QualifiedContainer extends GenericContainer {
    constructor() {
      // A bare id is the one form of it that testcontainers' name parser leaves alone.
      super(spec.image.replace(/^sha256:/, ''));
      this.createOpts = createCall(spec, dialect.tmpfsOptions);
      this.networkMode = networkModeOf(spec);
      this.autoCleanup = false;
      this.pullPolicy = { shouldPull: () => 'never' };
    }

    protected override async containerCreated(id: string): Promise<void> {
      await onCreated(id);
    }

    protected override async selectWaitStrategy(
      _client: unknown,
      info: Docker.ContainerInspectInfo,
    ): ReturnType<InstanceType<typeof GenericContainer>['selectWaitStrategy']> {
      inspected = info;
      const ready = Wait.forLogMessage('');
      ready.waitUntilReady = async () => undefined;
      return ready;
    }
  }

  await new QualifiedContainer().start();
  if (inspected === undefined)
    throw new EngineError(`start ${spec.name}: testcontainers did not inspect the container`);
  return inspected;
}
