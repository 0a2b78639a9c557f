import type { Dialect } from './dialect.ts';
import type { EngineDriver } from './driver.ts';
import { healthOf, runIn, stateById } from './engine-commands.ts';
import { engineConnection } from './engine-connection.ts';
import { holdContainer, startContainer } from './engine-containers.ts';
import { readFacts } from './engine-facts.ts';
import { inspectImage, loadImage, pullImage, saveImage, tagImage, untagImage } from './engine-images.ts';
import { createNetwork, gatewayOf, removeNetwork } from './engine-networks.ts';
import { startSidecar } from './engine-sidecar.ts';
import { readFolder } from './read-folder.ts';
import { ownedObjects, removeOwned } from './owned-objects.ts';

/** A driver for an engine that speaks Docker's API in the given dialect; `endpoint` is where, if not at its address. */
export function engineApiDriver(dialect: Dialect, address: string, endpoint?: string): EngineDriver {
  const connection = engineConnection(dialect, address, endpoint);
  return {
    name: dialect.name,
    facts: () => readFacts(connection),
    inspectImage: (reference) => inspectImage(connection, reference),
    pullImage: (reference, onProgress, options) => pullImage(connection, reference, onProgress, options),
    saveImage: (reference) => saveImage(connection, reference),
    loadImage: (archive, onProgress) => loadImage(connection, archive, onProgress),
    tagImage: (id, repository, tag) => tagImage(connection, id, repository, tag),
    untagImage: (reference) => untagImage(connection, reference),
    createNetwork: (name, options) => createNetwork(connection, name, options),
    removeNetwork: (id) => removeNetwork(connection, id),
    gatewayOf: (network) => gatewayOf(connection, network),
    start: (spec, hooks = {}) => startContainer(connection, spec, hooks),
    startSidecar: (spec) => startSidecar(connection, spec),
    hold: (spec, hooks = {}) => holdContainer(connection, spec, hooks),
    stateOf: (container) => stateById(connection, container),
    runIn: (container, command, limitMs) => runIn(connection, container, command, limitMs),
    readFolder: (container, path) => readFolder(connection, container, path),
    healthOf: (container) => healthOf(connection, container),
    owned: () => ownedObjects(connection),
    removeOwned: (object) => removeOwned(connection, object),
    close: () => connection.close(),
  };
}
