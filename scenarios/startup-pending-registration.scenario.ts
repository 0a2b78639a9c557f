import { controllerThat, earlyProbe, exited, pending, scenario, signal } from '../harness/index.ts';

scenario({
  id: 'startup/pending-registration',
  title: 'a signal while the controller does not answer the handshake or the registration ends the start',
  needs: ['registry'],
  matrix: { registry: ['holds-registration', 'holds-handshake'] },
  setting: { controller: controllerThat('$registry') },
  script: [earlyProbe(), pending('registration'), signal('primary'), exited('3s')],
  clauses: ['STA-2', 'STA-6'],
});
