import type { Dialect } from './dialect.ts';
import type { EngineDriver } from './driver.ts';
import { engineConnection } from './engine-connection.ts';
import { holdContainer, startContainer } from './engine-containers.ts';
import { readFacts } from './engine-facts.ts';
import { inspectImage, loadImage, pullImage, saveImage, tagImage, untagImage } from './engine-images.ts';
import { createNetwork, gatewayOf, removeNetwork } from './engine-networks.ts';
import { ownedObjects, removeOwned } from './owned-objects.ts';

/** A driver for an engine that speaks Docker's API in the given dialect. */
export function engineApiDriver(dialect: Dialect, address: string): EngineDriver {
  const connection = engineConnection(dialect, address);
  return {
    name: dialect.name,
    facts: () => readFacts(connection),
    inspectImage: (reference) => inspectImage(connection, reference),
    pullImage: (reference, onProgress) => pullImage(connection, reference, onProgress),
    saveImage: (reference) => saveImage(connection, reference),
    loadImage: (archive, onProgress) => loadImage(connection, archive, onProgress),
    tagImage: (id, repository, tag) => tagImage(connection, id, repository, tag),
    untagImage: (reference) => untagImage(connection, reference),
    createNetwork: (name, options) => createNetwork(connection, name, options),
    removeNetwork: (id) => removeNetwork(connection, id),
    gatewayOf: (network) => gatewayOf(connection, network),
    start: (spec, hooks = {}) => startContainer(connection, spec, hooks),
    hold: (spec) => holdContainer(connection, spec),
    owned: () => ownedObjects(connection),
    removeOwned: (object) => removeOwned(connection, object),
    close: () => connection.close(),
  };
}
