import { podmanDriver } from './podman.ts';
import { readFolders } from './read-folder.suite.ts';

readFolders({ title: 'podman', open: () => podmanDriver('unix:///run/podman/podman.sock') });
