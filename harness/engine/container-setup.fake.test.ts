import { BOX_IMAGE, containerSetup } from './container-setup.suite.ts';
import { HELPER_IMAGE } from './driver-contract.suite.ts';
import { fakeEngine, fakeImageFacts } from './fake.ts';
import { helperProgram } from './fake-behaviour.ts';
import { boxProgram } from './fake-box.suite.ts';

let names = 0;
const given = new Map<string, readonly string[]>();

let opened: ReturnType<typeof fakeEngine>;
containerSetup({
  title: 'fake',
  open: () => {
    opened = fakeEngine({
      images: {
        [HELPER_IMAGE]: { facts: fakeImageFacts(HELPER_IMAGE), program: helperProgram },
        [BOX_IMAGE]: { facts: fakeImageFacts(BOX_IMAGE, { hasHealthcheck: true }), program: boxProgram },
      },
    });
    return opened;
  },
  // A volume of a fake engine is no more than its line in the spec: there as long as the container.
  volumesOf: async (id) => {
    const container = opened.containers().find((one) => one.id === id);
    const onDisk = (container?.spec.volumes ?? []).filter(({ tmpfs }) => tmpfs === undefined);
    given.set(
      id,
      onDisk.map(() => `volume${++names}`),
    );
    return given.get(id) ?? [];
  },
  hasVolume: async (name) =>
    [...given].some(([id, volumes]) => volumes.includes(name) && opened.containers().some((one) => one.id === id)),
});
