import { Command, Option } from 'commander';
import { packageVersion } from './package-info.ts';

const collect = (value: string, all: readonly string[]): string[] => [...all, value];

/** An option that may be given more than once; its values come as a list. */
function repeatable(flags: string, description: string): Option {
  return new Option(flags, description).argParser(collect).default([], 'none');
}

const EXIT_CODES = `
Exit codes:
  0   qualified: no MUST clause failed, every required clause was exercised
  1   a MUST clause failed (with --strict a SHOULD clause too)
  2   no failure, but something inconclusive or a required clause not exercised
  3   nothing was judged
  64  an option, a profile or a file named here is wrong
  70  an engine or the harness broke, or was interrupted; a report of what there is is written

Examples:
  lf-qualify registry.example/orders:1.4
  lf-qualify --engine docker --preset light-fabric --grace 5s orders:1.4
  lf-qualify --profile lf-qualify.yaml --strict --out build/reports
  lf-qualify init orders:1.4
  lf-qualify explain SIG-1
`;

/** The command line. Commands are loaded when they are called, so that --help stays quick. */
export function buildProgram(): Command {
  const program: Command = new Command('lf-qualify')
    .description('Decides whether a container image stops the way production needs it to, under Docker and Podman.')
    .version(packageVersion(), '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', () => `\n${runOptions(program)}\n${EXIT_CODES}`)
    .exitOverride()
    .showHelpAfterError('(lf-qualify --help lists every option)');

  program
    .command('run', { isDefault: true })
    .description('qualify images (the default: "run" may be left out)')
    .argument('[images...]', 'images to qualify, by name:tag or id; may come from the profile instead')
    .addOption(
      new Option(
        '--engine <names>',
        'engines to judge on: docker, podman, or both by a comma; one named here must be there',
      )
        .argParser(collect)
        .default([], 'every engine found'),
    )
    .addOption(
      new Option('--preset <name>', 'contract to judge by: light-fabric, openab-cp or baseline').default(
        undefined,
        'profile, image label, bundled profile, else baseline',
      ),
    )
    .option('--profile <path>', 'lf-qualify.yaml with the facts of one or several images, or a folder of such files')
    .option('--no-label-profile', "do not read the profile in the image's label io.lf-qualify.profile")
    .option(
      '--no-discovery',
      'do not look at a running container first of an image of which neither readiness nor a port is declared',
    )
    .option('--grace <duration>', 'configured graceful period, such as 2s or 1500ms')
    .option(
      '--timeout <duration>',
      'outer timeout after which the harness sends SIGKILL itself (default: the larger of 10 s and hard bound + allowance)',
    )
    .addOption(repeatable('--env <key=value>', 'environment of the container; a bare KEY takes its value from here'))
    .addOption(
      repeatable('--env-file <file>', `the same from a file of NAME=value lines; also fills \${NAME} in a profile`),
    )
    .option(
      '--stop-signal <name>',
      'stop signal that the container gets in place of the one of the image, such as QUIT',
    )
    .option('--port <number>', 'port of the service (default: profile, else the first EXPOSE)')
    .option('--ready <check>', 'readiness: http:/path, http:PORT/path, tcp, tcp:PORT, log:REGEX or health')
    .addOption(
      repeatable(
        '--only <ids>',
        'only these scenarios or clauses, comma separated; a family such as SIG, a prefix such as signal/ or a cell such as drain/stalled:kind=silent counts',
      ),
    )
    .addOption(repeatable('--skip <ids>', 'leave these scenarios or clauses out'))
    .option(
      '--vantage <from>',
      'where probes come from: direct (a local rootful engine) or sidecar (a helper in the network of the container; any engine) (default: direct where the route proves it, else sidecar)',
    )
    .option(
      '--pull <when>',
      'when to pull an image, with the credentials that the client of the engine would send: missing (where no engine has it), always (once, before anything else) or never',
      'missing',
    )
    .option(
      '--platform <os/arch>',
      'platform that is pulled and that an image found must be of, such as linux/arm64; emulated, nothing about time is judged (default: whatever is found, else that of the engine)',
    )
    .option(
      '--from <engine>',
      'engine that the image comes from and that pulls it, judged on or not (default: the first that has it)',
    )
    .addOption(
      repeatable('--scenarios <folder>', 'folder of your own *.scenario.ts, run besides the bundled scenarios'),
    )
    .option('--list', 'list scenarios and clauses and end')
    .option('--plan', 'show what would be run, without running it')
    .option(
      '--jobs <n>',
      'containers side by side (default: 2 per core, 3 for one image of which nothing is declared; at most 6)',
    )
    .option('--repeat <n>', 'run everything n times; any failure counts', '1')
    .option('--strict', 'a failed SHOULD clause fails the run too')
    .addOption(repeatable('--require <ids>', 'clauses, or families such as SIG, that must be exercised, else exit 2'))
    .option(
      '--format <name>',
      'what goes to stdout: console, junit or json; all are written to the report folder',
      'console',
    )
    .option('--out <folder>', 'where reports go', 'reports')
    .option(
      '--keep-runs <n>',
      'how many runs stay in that folder, the oldest go after a run; all keeps every one',
      '20',
    )
    .option('--keep', 'keep containers and networks for a look; lf-qualify clean removes them')
    .option('--verbose', 'show every step on stderr')
    .action(async (images: string[], options: Record<string, unknown>) => {
      const { run } = await import('./commands/run.ts');
      process.exitCode = await run(images, options);
    });

  program
    .command('init')
    .description('look at an image and write a commented profile of it; a run with that judges the same as one without')
    .argument('<image>', 'the image, by name:tag or id')
    .addOption(
      new Option('--engine <names>', 'engines that may be used: docker, podman, or both by a comma; one looks')
        .argParser(collect)
        .default([], 'every engine found'),
    )
    .option('--out <file>', 'where the profile goes; - is stdout', 'lf-qualify.yaml')
    .option('--force', 'overwrite a file that is there')
    .addOption(repeatable('--env <key=value>', 'environment of the container; a bare KEY takes its value from here'))
    .addOption(repeatable('--env-file <file>', 'the same from a file of NAME=value lines'))
    .option('--vantage <from>', 'where it is looked from: direct or sidecar (default: as a run does)')
    .option('--pull <when>', 'when to pull the image: missing, always or never', 'missing')
    .option('--platform <os/arch>', 'platform that is pulled and that an image found must be of, such as linux/arm64')
    .option('--from <engine>', 'engine that the image comes from and that pulls it')
    .option('--verbose', 'show every step on stderr')
    .action(async (image: string, options: Record<string, unknown>) => {
      const { init } = await import('./commands/init.ts');
      process.exitCode = await init(image, options);
    });

  program
    .command('judge')
    .description('judge a stored run again; needs no engine')
    .argument('<run-dir>', 'a folder that a run wrote, such as reports/latest')
    .option('--format <name>', 'what goes to stdout: console, junit or json', 'console')
    .option('--strict', 'a failed SHOULD clause fails the run too')
    .action(async (directory: string, options: { format: string; strict?: boolean }) => {
      const { judge } = await import('./commands/judge.ts');
      process.exitCode = await judge(directory, options);
    });

  program
    .command('explain')
    .description('what a clause requires, how it is measured, what breaks it and what helps')
    .argument('<clause>', 'a clause id, such as SIG-1')
    .action(async (clause: string) => {
      const { explain } = await import('./commands/explain.ts');
      explain(clause);
    });

  program
    .command('doctor')
    .description('show every engine looked for and the facts that decide what can be judged here')
    .action(async () => {
      const { doctor } = await import('./commands/doctor.ts');
      process.exitCode = await doctor();
    });

  program
    .command('clean')
    .description('remove what runs left behind on every engine: containers, networks, carried images')
    .option('--all', 'also what living runs own right now')
    .action(async (options: { all?: boolean }) => {
      const { clean } = await import('./commands/clean.ts');
      process.exitCode = await clean(options);
    });

  for (const command of program.commands)
    command
      .exitOverride()
      .helpOption('--help', 'print this help')
      .helpCommand(false)
      .showHelpAfterError(`(lf-qualify ${command.name()} --help lists every option)`);
  return program;
}

/** The options of the default command, so that `lf-qualify --help` lists all that matters at once. */
function runOptions(program: Command): string {
  const run = program.commands.find((command) => command.name() === 'run');
  const [, options = ''] = run?.helpInformation().split(/^Options:$/m) ?? [];
  return `Options of run:${options.trimEnd()}`;
}
