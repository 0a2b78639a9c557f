import { driverContract, HELPER_IMAGE } from './driver-contract.suite.ts';
import { OWNER_LABEL, RUN_LABEL } from './driver.ts';
import type { FakeEngine } from './fake.ts';
import { fakeEngine, fakeImageFacts } from './fake.ts';
import { helperProgram } from './fake-behaviour.ts';

let opened: FakeEngine;

driverContract({
  title: 'fake',
  open: () => {
    opened = fakeEngine({
      images: { [HELPER_IMAGE]: { facts: fakeImageFacts(HELPER_IMAGE), program: helperProgram } },
    });
    return opened;
  },
  askedFor: async (id) => {
    const spec = opened.containers().find((container) => container.id === id)?.spec;
    const networks = await opened.owned();
    const named = networks.find(
      (object) => object.type === 'network' && [object.id, object.name].includes(spec?.network ?? ''),
    );
    return {
      env: Object.entries(spec?.env ?? {}).map(([key, value]) => `${key}=${value}`),
      command: spec?.command ?? [],
      entrypoint: spec?.entrypoint ?? [],
      labels: { [RUN_LABEL]: spec?.ownership.run ?? '', [OWNER_LABEL]: spec?.ownership.owner ?? '' },
      networks: named ? [named.name] : [],
      restart: 'no',
      tty: false,
      autoRemove: false,
      publishedPorts: [],
      memoryBytes: spec?.memoryBytes ?? 0,
      init: spec?.init ?? false,
    };
  },
  tellsOom: true,
  tellsSignal: true,
});
