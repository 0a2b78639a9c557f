/** Cases of these kinds that no image plays, with the reason. */
export const notPlayed: Readonly<Record<string, string>> = {
  'PM-02': 'a request to npm, no behaviour of its own: PM-01 shows npm in the path of the signal, by name',
  'INIT-06':
    'it needs signals of job control (TSTP, CONT), which the harness never sends: only those that both engines and their inits relay are used',
  'SIG-04': 'it needs a terminal that is resized, and the harness never gives a container one',
  'OOM-06':
    'the harness never lets an engine restart a container: harness/engine/driver-contract.suite.ts asks for that',
  'OOM-08': 'it needs another runtime (gVisor), which takes a machine of its own',
  'LOG-03':
    'it is about who reads the log: harness/observe/complete-logs.test.ts compares what was attached with what is stored',
  'LOG-07':
    'the harness sets no limit on stored logs: floods-log writes a gibibyte (harness/cli/floods.engine.test.ts)',
};
