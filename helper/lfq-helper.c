/* lfq-helper: goes where Node cannot - FROM-scratch containers, namespaces of a target, the kernel's process events. */
#include "lfq-helper.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct subcommand {
  const char *name;
  int arguments; /* fewest */
  int most;
  int (*run)(int argc, char **argv);
  const char *usage;
};

static const struct subcommand SUBCOMMANDS[] = {
    {"exit", 1, 1, run_exit, "exit CODE                         end at once"},
    {"exact", 1, 2, run_exact, "exact MS [CODE]                   end exactly MS ms after the first signal"},
    {"wait", 0, 0, run_wait, "wait                              no handler, for ever"},
    {"hold", 0, 0, run_hold, "hold                              until TERM or INT, then end with 0"},
    {"lines", 1, 1, run_lines, "lines N                           print `line 1` to `line N`"},
    {"alloc", 1, 1, run_alloc, "alloc MB                          touch MB MiB of memory, then wait"},
    {"serve", 1, 1, run_serve, "serve PORT                        answer HTTP 200 until TERM or INT"},
    {"probe", 4, 5, run_probe, "probe ADDR PORT COUNT GAP_MS [TIMEOUT_MS]  connect and ask, one line each"},
    {"snapshot", 0, 2, run_snapshot, "snapshot [PID [tree]]             processes and sockets, of PID's namespaces or our own; tree: PID and its descendants alone"},
    {"watch", 1, 1, run_watch, "watch PID                         follow PID's process tree to its end; ends when stdin closes"},
    {"relay", 0, 1, run_relay, "relay [PID]                       carry TCP connections for whoever is at stdin and stdout; tell when PID ends"},
};
#define COUNT (sizeof SUBCOMMANDS / sizeof SUBCOMMANDS[0])

static int usage(void) {
  fprintf(stderr, "usage: lfq-helper SUBCOMMAND, one of\n");
  for (size_t i = 0; i < COUNT; i++) fprintf(stderr, "  %s\n", SUBCOMMANDS[i].usage);
  return 64;
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--version")) {
    puts("lfq-helper " LFQ_VERSION);
    return 0;
  }
  if (argc < 2) return usage();
  signal(SIGPIPE, SIG_IGN);
  for (size_t i = 0; i < COUNT; i++) {
    const struct subcommand *s = &SUBCOMMANDS[i];
    if (strcmp(argv[1], s->name)) continue;
    if (argc - 2 < s->arguments || argc - 2 > s->most) break;
    return s->run(argc - 2, argv + 2);
  }
  return usage();
}
