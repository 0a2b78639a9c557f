import { galleryServers } from './gallery.ts';
import { judgesAsWritten } from './gallery.suite.ts';
import { sample } from './sample.ts';

judgesAsWritten(galleryServers.filter(({ name }) => sample.includes(name)));
