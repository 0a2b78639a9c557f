/* snapshot: processes with their signal masks, and TCP sockets, as one set of namespaces shows them. */
#include "lfq-helper.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char text[131072];

/* The value after `name:` in a status file, NULL if it has none. */
static const char *field(const char *status, const char *name) {
  const char *at = strstr(status, name);
  if (!at) return NULL;
  at += strlen(name);
  return at + strspn(at, " \t");
}

static uint64_t mask(const char *status, const char *name) {
  const char *value = field(status, name);
  return value ? strtoull(value, NULL, 16) : 0;
}

/* The last number of NSpid is the pid in the innermost namespace. */
static long innermost_pid(const char *status, pid_t otherwise) {
  const char *value = field(status, "\nNSpid:");
  long pid = otherwise;
  while (value && *value >= '0' && *value <= '9') {
    char *end;
    pid = strtol(value, &end, 10);
    value = end + strspn(end, " \t");
  }
  return pid;
}

/* A signal blocked in one thread only is waited for there: the union over all threads tells. */
static uint64_t blocked_in_any_thread(pid_t pid) {
  char path[320], status[8192];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *tasks = opendir(path);
  if (!tasks) return 0;
  uint64_t blocked = 0;
  for (struct dirent *task; (task = readdir(tasks));) {
    if (task->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%d/task/%s/status", pid, task->d_name);
    if (read_file(path, status, sizeof status) > 0) blocked |= mask(status, "\nSigBlk:");
  }
  closedir(tasks);
  return blocked;
}

static void add_mask(const char *key, uint64_t value) {
  char hex[17];
  snprintf(hex, sizeof hex, "%016" PRIx64, value);
  add_text(key, hex);
}

/* A zombie has left its namespaces: it belongs where its parent does. */
static int belongs(pid_t pid, const char *status, ino_t within) {
  ino_t namespace = pid_namespace(pid);
  if (namespace) return namespace == within;
  const char *state = field(status, "\nState:"), *ppid = field(status, "\nPPid:");
  return state && *state == 'Z' && ppid && pid_namespace((pid_t)atol(ppid)) == within;
}

static void say(pid_t pid, const char *status) {
  char path[64], comm[17], state[2] = "?";
  read_comm(pid, comm);
  const char *value = field(status, "\nState:");
  if (value) state[0] = *value;
  snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
  ssize_t length = read_file(path, text, sizeof text);
  const char *ppid = field(status, "\nPPid:"), *threads = field(status, "\nThreads:");
  begin_line("process");
  add_int("pid", pid);
  add_int("nsPid", innermost_pid(status, pid));
  add_int("ppid", ppid ? atol(ppid) : 0);
  add_text("comm", comm);
  add_texts("args", text, length > 0 ? (size_t)length : 0);
  add_text("state", state);
  add_int("threads", threads ? atol(threads) : 0);
  add_mask("caught", mask(status, "\nSigCgt:"));
  add_mask("ignored", mask(status, "\nSigIgn:"));
  add_mask("blocked", blocked_in_any_thread(pid));
  end_line();
}

static void say_if_within(pid_t pid, void *context) {
  const ino_t *within = context;
  char path[64], status[8192];
  if (!*within && pid == getpid()) return;
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  if (read_file(path, status, sizeof status) <= 0) return;
  if (!*within || belongs(pid, status, *within)) say(pid, status);
}

#define MOST_IN_TREE 32768
#define MOST_WALKS 10

/* The children of a process, of each of its threads. */
static size_t add_children(pid_t pid, pid_t *list, size_t count) {
  char path[320];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *tasks = opendir(path);
  if (!tasks) return count;
  for (struct dirent *task; (task = readdir(tasks));) {
    if (task->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%d/task/%s/children", pid, task->d_name);
    if (read_file(path, text, sizeof text) <= 0) continue;
    char *rest = text;
    for (char *child; (child = strsep(&rest, " "));)
      if (*child && count < MOST_IN_TREE) list[count++] = (pid_t)atol(child);
  }
  closedir(tasks);
  return count;
}

static size_t walk(pid_t root, pid_t *list) {
  size_t count = 1;
  list[0] = root;
  for (size_t at = 0; at < count; at++) count = add_children(list[at], list, count);
  return count;
}

/*
 * PID 1 and its descendants, zombies among them: whoever loses its parent becomes a child of PID 1, and may be missed by
 * a walk that looked there before. So two walks must agree. Cheaper than a look at every process of the host; what the
 * engine put beside them (exec) is left out. 0 where the kernel has no such lists.
 */
static int say_tree(pid_t root) {
  static pid_t lists[2][MOST_IN_TREE];
  char path[64], status[8192];
  snprintf(path, sizeof path, "/proc/%d/task", root);
  if (access(path, R_OK)) return 1; /* it has ended */
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", root, root);
  if (access(path, R_OK)) return 0;
  size_t counts[2] = {walk(root, lists[0]), 0};
  int last = 0;
  for (int again = 1; again <= MOST_WALKS; again++) {
    last = again & 1;
    counts[last] = walk(root, lists[last]);
    if (counts[0] == counts[1] && !memcmp(lists[0], lists[1], counts[0] * sizeof(pid_t))) break;
  }
  for (size_t i = 0; i < counts[last]; i++) {
    snprintf(path, sizeof path, "/proc/%d/status", lists[last][i]);
    if (read_file(path, status, sizeof status) > 0) say(lists[last][i], status);
  }
  return 1;
}

/* `0100007F:1F90`: words of the address in host byte order, port in hexadecimal. */
static int parse_endpoint(const char *hex, char *address, size_t size, unsigned *port) {
  unsigned char raw[16];
  size_t length = strcspn(hex, ":");
  if (length != 8 && length != 32) return 0;
  for (size_t word = 0; word < length / 8; word++) {
    char digits[9];
    snprintf(digits, sizeof digits, "%.8s", hex + word * 8);
    uint32_t value = (uint32_t)strtoul(digits, NULL, 16);
    memcpy(raw + word * 4, &value, 4);
  }
  *port = (unsigned)strtoul(hex + length + 1, NULL, 16);
  return inet_ntop(length == 8 ? AF_INET : AF_INET6, raw, address, (socklen_t)size) != NULL;
}

static void say_sockets(const char *path) {
  if (read_file(path, text, sizeof text) <= 0) return;
  char *rest = text;
  strsep(&rest, "\n");
  for (char *row; (row = strsep(&rest, "\n")) && *row;) {
    char local[80], remote[80], local_address[64], remote_address[64];
    unsigned state, local_port, remote_port;
    if (sscanf(row, " %*d: %79s %79s %x", local, remote, &state) != 3) continue;
    if (state != 0x0a && state != 0x01) continue;
    if (!parse_endpoint(local, local_address, sizeof local_address, &local_port)) continue;
    if (!parse_endpoint(remote, remote_address, sizeof remote_address, &remote_port)) continue;
    begin_line("socket");
    add_text("state", state == 0x0a ? "listening" : "established");
    add_text("local", local_address);
    add_int("localPort", local_port);
    add_text("remote", remote_address);
    add_int("remotePort", remote_port);
    end_line();
  }
}

static int unseen(pid_t pid) {
  fprintf(stderr, "lfq-helper: no process %d, or its namespaces may not be read (run as root)\n", pid);
  return 69;
}

/* A tree of a process that has ended is empty, not a mistake: it may end at any moment. */
int run_snapshot(int argc, char **argv) {
  char path[64], owner[16] = "self";
  ino_t within = 0;
  pid_t pid = 0;
  if (argc == 2 && strcmp(argv[1], "tree")) {
    fprintf(stderr, "lfq-helper: after PID only `tree` may stand, got %s\n", argv[1]);
    return 64;
  }
  if (argc) {
    pid = (pid_t)number("PID", argv[0], 1, INT32_MAX);
    within = pid_namespace(pid);
    if (!within && argc < 2) return unseen(pid);
    snprintf(owner, sizeof owner, "%d", pid);
  }
  begin_line("snapshot");
  add_clocks();
  end_line();
  if (argc < 2 || !say_tree(pid)) {
    if (argc && !within) return unseen(pid);
    each_process(say_if_within, &within);
  }
  if (argc < 2) {
    snprintf(path, sizeof path, "/proc/%s/net/tcp", owner);
    say_sockets(path);
    snprintf(path, sizeof path, "/proc/%s/net/tcp6", owner);
    say_sockets(path);
  }
  begin_line("end");
  add_clocks();
  end_line();
  return 0;
}
