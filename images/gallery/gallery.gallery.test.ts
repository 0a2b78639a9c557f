import { galleryServers } from './gallery.ts';
import { judgesAsWritten } from './gallery.suite.ts';

judgesAsWritten(galleryServers);
