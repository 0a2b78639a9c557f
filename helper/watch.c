/*
 * watch: the exact end of every process of a target. A pidfd tells when PID is gone; the kernel's process connector
 * tells who was forked, what it executed and how it ended, with the kernel's own monotonic time.
 */
#include "lfq-helper.h"

#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TICK_MS 1         /* how stale `alive` may be when PID ends */
#define DRAIN_NS 50000000 /* how long events are still taken after PID is gone */
#define ACK_NS 500000000  /* how long the kernel may take to confirm that we listen */

struct member {
  pid_t pid;
  char comm[17];
};
static struct member *members;
static size_t member_count, member_room;

static struct member *find(pid_t pid) {
  for (size_t i = 0; i < member_count; i++)
    if (members[i].pid == pid) return &members[i];
  return NULL;
}

static struct member *join(pid_t pid, const char *comm) {
  struct member *m = find(pid);
  if (!m) {
    if (member_count == member_room) {
      member_room = member_room ? member_room * 2 : 64;
      members = realloc(members, member_room * sizeof *members);
      if (!members) _exit(71);
    }
    m = &members[member_count++];
    m->pid = pid;
  }
  char now[17];
  read_comm(pid, now);
  snprintf(m->comm, sizeof m->comm, "%s", now[0] ? now : comm);
  return m;
}

static void join_namespace(pid_t pid, void *context) {
  if (pid_namespace(pid) == *(const ino_t *)context) join(pid, "");
}

struct row {
  pid_t pid, ppid;
};
struct rows {
  struct row list[65536];
  size_t count;
};

static void collect_row(pid_t pid, void *context) {
  struct rows *rows = context;
  char path[64], stat[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  if (rows->count == 65536 || read_file(path, stat, sizeof stat) <= 0) return;
  const char *after = strrchr(stat, ')'); /* comm may hold anything, brackets too */
  int ppid;
  if (after && sscanf(after, ") %*c %d", &ppid) == 1) rows->list[rows->count++] = (struct row){pid, ppid};
}

/* In our own namespace "everything in it" would be the whole machine: there it is PID and its descendants. */
static void join_descendants(pid_t root) {
  static struct rows rows;
  each_process(collect_row, &rows);
  join(root, "");
  for (size_t before = 0; before != member_count;) {
    before = member_count;
    for (size_t i = 0; i < rows.count; i++)
      if (!find(rows.list[i].pid) && find(rows.list[i].ppid)) join(rows.list[i].pid, "");
  }
}

static int subscribe(int fd, enum proc_cn_mcast_op operation) {
  struct {
    struct nlmsghdr header;
    struct cn_msg message;
    enum proc_cn_mcast_op operation;
  } __attribute__((packed, aligned(NLMSG_ALIGNTO))) request;
  memset(&request, 0, sizeof request);
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = NLMSG_DONE;
  request.header.nlmsg_pid = (uint32_t)getpid();
  request.message.id = (struct cb_id){CN_IDX_PROC, CN_VAL_PROC};
  request.message.ack = (uint32_t)getpid(); /* comes back plus one; the kernel puts its own counter into seq */
  request.message.len = sizeof operation;
  request.operation = operation;
  return send(fd, &request, sizeof request, 0) < 0 ? -1 : 0;
}

static int connector_open(const char **why) {
  int fd = socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
  int room = 32 << 20;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
  if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room))
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  if (fd < 0 || bind(fd, (void *)&address, sizeof address) || subscribe(fd, PROC_CN_MCAST_LISTEN)) {
    *why = strerrordesc_np(errno);
    if (fd >= 0) close(fd);
    return -1;
  }
  return fd;
}

static void say_event(const char *ev, pid_t pid, const char *comm, int64_t mono) {
  begin_line(ev);
  add_int("pid", pid);
  add_text("comm", comm);
  add_ns("mono", mono);
}

static void on_event(const struct proc_event *e) {
  int64_t mono = (int64_t)e->timestamp_ns;
  if (e->what == PROC_EVENT_FORK) {
    struct member *parent = find(e->event_data.fork.parent_tgid);
    pid_t child = e->event_data.fork.child_tgid;
    if (!parent || e->event_data.fork.child_pid != child) return; /* a thread is no process */
    char inherited[17];
    memcpy(inherited, parent->comm, sizeof inherited);
    struct member *m = join(child, inherited);
    say_event("fork", child, m->comm, mono);
    add_int("parent", e->event_data.fork.parent_tgid);
    end_line();
  } else if (e->what == PROC_EVENT_EXEC) {
    struct member *m = find(e->event_data.exec.process_tgid);
    if (!m) return;
    join(m->pid, m->comm);
    say_event("exec", m->pid, m->comm, mono);
    end_line();
  } else if (e->what == PROC_EVENT_COMM) {
    struct member *m = find(e->event_data.comm.process_pid);
    if (m) snprintf(m->comm, sizeof m->comm, "%.16s", e->event_data.comm.comm);
  } else if (e->what == PROC_EVENT_EXIT) {
    pid_t pid = e->event_data.exit.process_pid;
    struct member *m = find(pid);
    if (!m || pid != e->event_data.exit.process_tgid) return;
    uint32_t status = e->event_data.exit.exit_code;
    say_event("exit", pid, m->comm, mono);
    if (status & 0x7f) add_int("signal", status & 0x7f);
    else add_int("code", status >> 8 & 0xff);
    end_line();
    *m = members[--member_count];
  }
}

/* Takes everything that waits on the connector. Returns whether the kernel's confirmation was among it (-errno if it refused). */
static int take_events(int fd, int listening_only) {
  static char buffer[65536] __attribute__((aligned(NLMSG_ALIGNTO)));
  int confirmed = 0;
  for (;;) {
    struct sockaddr_nl from;
    socklen_t from_size = sizeof from;
    ssize_t n = recvfrom(fd, buffer, sizeof buffer, 0, (void *)&from, &from_size);
    if (n < 0 && errno == ENOBUFS) {
      begin_line("lost");
      add_ns("mono", mono_ns());
      end_line();
      continue;
    }
    if (n <= 0) return confirmed;
    if (from.nl_pid != 0) continue; /* only the kernel may tell */
    size_t left = (size_t)n;
    for (struct nlmsghdr *h = (void *)buffer; NLMSG_OK(h, left); h = NLMSG_NEXT(h, left)) {
      const struct cn_msg *message = NLMSG_DATA(h);
      struct proc_event event;
      if (message->len < sizeof event.what) continue;
      memset(&event, 0, sizeof event);
      memcpy(&event, message->data, message->len < sizeof event ? message->len : sizeof event);
      if (event.what == PROC_EVENT_NONE && message->ack == (uint32_t)getpid() + 1)
        confirmed = event.event_data.ack.err ? -(int)event.event_data.ack.err : 1;
      else if (event.what != PROC_EVENT_NONE) on_event(&event);
    }
    if (listening_only && confirmed) return confirmed;
  }
}

static int wait_confirmed(int fd, const char **why) {
  int64_t deadline = mono_ns() + ACK_NS;
  int confirmed = 0;
  while (!confirmed && mono_ns() < deadline) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    poll(&p, 1, 20);
    confirmed = take_events(fd, 1);
  }
  if (confirmed == 0) *why = "the kernel did not confirm: no process connector, or not in the first pid namespace";
  if (confirmed < 0) *why = strerrordesc_np(-confirmed);
  return confirmed > 0;
}

static int stdin_closed(const struct pollfd *p) {
  char ignored[256];
  return (p->revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL)) && read(0, ignored, sizeof ignored) <= 0;
}

int run_watch(int argc, char **argv) {
  (void)argc;
  pid_t pid = (pid_t)number("PID", argv[0], 1, INT32_MAX);
  setpriority(PRIO_PROCESS, 0, -10);
  prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
  int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
  if (pidfd < 0) {
    fprintf(stderr, "lfq-helper: cannot watch process %d: %s\n", pid, strerror(errno));
    return 69;
  }
  const char *why = NULL;
  int connector = connector_open(&why);
  if (connector >= 0 && !wait_confirmed(connector, &why)) {
    close(connector);
    connector = -1;
  }
  /* Members are read after listening began: a process can be in both, none can be in neither. */
  ino_t namespace = pid_namespace(pid);
  if (namespace && namespace != pid_namespace(getpid())) each_process(join_namespace, &namespace);
  else join_descendants(pid);
  begin_line("attached");
  add_bool("connector", connector >= 0);
  if (why) add_text("reason", why);
  add_int("members", (long long)member_count);
  add_ns("mono", mono_ns());
  end_line();

  int64_t alive = mono_ns(), gone = 0;
  for (;;) {
    struct pollfd p[3] = {{.fd = 0, .events = POLLIN}, {.fd = gone ? -1 : pidfd, .events = POLLIN}, {.fd = connector, .events = POLLIN}};
    int64_t asked = mono_ns();
    int events = poll(p, 3, TICK_MS);
    if (events < 0 && errno != EINTR) return 71;
    int64_t now = mono_ns();
    if (stdin_closed(&p[0])) break;
    if (connector >= 0 && p[2].revents) take_events(connector, 0);
    if (!gone && p[1].revents) {
      gone = now;
      begin_line("gone");
      add_ns("alive", alive);
      add_ns("mono", gone);
      end_line();
    } else if (!gone) {
      /* poll looks at every descriptor after it was asked and, if it timed out, once more after that. */
      alive = events == 0 ? asked + TICK_MS * 1000000LL : asked;
    }
    if (gone && now - gone > DRAIN_NS) break;
  }
  if (connector >= 0) subscribe(connector, PROC_CN_MCAST_IGNORE);
  return 0;
}
