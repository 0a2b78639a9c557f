import { controllerThat, earlyProbe, exited, scenario, starting } from '../harness/index.ts';

scenario({
  id: 'startup/refused',
  title: 'where its registration is refused, a start that fails for it exits nonzero',
  needs: ['registry'],
  setting: { controller: controllerThat('refuses-registration') },
  script: [earlyProbe(), starting('8s'), exited('500ms')],
  clauses: ['STA-11'],
});
