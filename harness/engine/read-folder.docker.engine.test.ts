import { dockerDriver } from './docker.ts';
import { readFolders } from './read-folder.suite.ts';

readFolders({ title: 'docker', open: () => dockerDriver('unix:///var/run/docker.sock') });
