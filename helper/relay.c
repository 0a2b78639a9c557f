/*
 * relay: TCP connections of the namespace that it runs in, for somebody elsewhere. Frames on stdin and stdout, all numbers
 * little-endian: u32 connection, u8 type, u32 length of the payload, i64 CLOCK_MONOTONIC of what it tells, payload.
 * It connects only to what OPEN says, and listens only where LISTEN asks. harness/wire/relay-frames.ts is the other end.
 * With a PID it also tells when that process ends, before whatever it sees after that.
 */
#include "relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define PROTOCOL 1
#define BATCH 256
#define TICK_MS 1 /* how stale what is known of a living target may be when it ends */

int relay_poller;

static char out[4 * (sizeof(struct header) + WINDOW)];
static size_t out_used;

void flush_out(void) {
  for (size_t at = 0; at < out_used;) {
    ssize_t n = write(1, out + at, out_used - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      poll(&(struct pollfd){.fd = 1, .events = POLLOUT}, 1, -1);
      continue;
    }
    if (n <= 0) _exit(74); /* nobody listens any more */
    at += (size_t)n;
  }
  out_used = 0;
}

char *room(void) {
  if (sizeof out - out_used < sizeof(struct header) + WINDOW) flush_out();
  return out + out_used + sizeof(struct header);
}
void sent(uint32_t id, enum type type, int64_t stamp, size_t length) {
  struct header h = {.id = id, .type = (uint8_t)type, .length = (uint32_t)length, .stamp = stamp};
  memcpy(out + out_used, &h, sizeof h);
  out_used += sizeof h + length;
}
void say(uint32_t id, enum type type, int64_t stamp, const void *payload, size_t length) {
  if (length) memcpy(room(), payload, length);
  else room();
  sent(id, type, stamp, length);
}

void malformed(const struct header *h, const char *format, ...) {
  flush_out();
  fprintf(stderr, "lfq-helper: relay: frame of type %u for connection %u, %u bytes: ", h->type, h->id, h->length);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(65);
}

/* Reads before it writes, as libuv does: a write to what was reset would hide what came before. */
static void on_event(struct connection *c, uint32_t events, int64_t now) {
  if (c->listening) {
    take_callers(c);
  } else if (!c->connected) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error) {
      failed(c, error, now);
      return;
    }
    opened(c, now);
    if (c->kept_length && !write_kept(c)) return;
    finish_writing(c);
  } else {
    if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) && !c->read_all && c->credit && !take_readable(c)) return;
    if (c->kept_length && (events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) && !write_kept(c)) return;
  }
  watch(c);
}

static void on_open(const struct header *h, const char *payload) {
  char text[INET6_ADDRSTRLEN + 1] = "";
  uint16_t port;
  if (h->length <= sizeof port || h->length - sizeof port >= sizeof text) malformed(h, "no port and address");
  memcpy(&port, payload, sizeof port);
  memcpy(text, payload + sizeof port, h->length - sizeof port);
  struct sockaddr_storage address = {0};
  struct sockaddr_in *v4 = (void *)&address;
  struct sockaddr_in6 *v6 = (void *)&address;
  socklen_t size;
  if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET, v4->sin_port = htons(port), size = sizeof *v4;
  } else if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6, v6->sin6_port = htons(port), size = sizeof *v6;
  } else {
    malformed(h, "the address is no IP address");
  }
  struct connection *c = add_connection(h, h->id, socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (c->fd < 0) {
    int error = errno;
    c->begun = mono_ns();
    failed(c, error, c->begun);
    return;
  }
  int one = 1;
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  c->begun = mono_ns();
  if (!connect(c->fd, (void *)&address, size)) {
    opened(c, mono_ns());
  } else if (errno != EINPROGRESS) {
    int error = errno;
    failed(c, error, mono_ns());
    return;
  }
  watch(c);
}

static void on_frame(const struct header *h, const char *payload) {
  struct connection *c = find_connection(h->id);
  switch (h->type) {
    case OPEN: on_open(h, payload); break;
    /* What is no longer here was told so: what crossed that on its way is nobody's any more. */
    case DATA:
      if (c) on_data(h, c, payload);
      break;
    case FIN:
      if (!c) break;
      c->fin_due = 1;
      finish_writing(c);
      break;
    case RESET:
      if (c) setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1}, sizeof(struct linger));
      /* fall through */
    case CLOSE:
      if (c) drop(c);
      say(h->id, CLOSED, mono_ns(), NULL, 0);
      break;
    case CREDIT: on_credit(h, c, payload); break;
    case SNAPSHOT: on_snapshot(h); break;
    case LISTEN: on_listen(h); break;
    case PING: say(h->id, PONG, mono_ns(), NULL, 0); break;
    case QUIT:
      flush_out();
      exit(0);
    default: malformed(h, "there is no such type");
  }
}

static void take_input(void) {
  static char in[4 * (sizeof(struct header) + WINDOW)];
  static size_t in_used;
  ssize_t n = read(0, in + in_used, sizeof in - in_used);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) {
    flush_out();
    exit(0);
  }
  in_used += (size_t)n;
  size_t at = 0;
  struct header h;
  while (in_used - at >= sizeof h) {
    memcpy(&h, in + at, sizeof h);
    if (h.length > WINDOW) malformed(&h, "longer than %d bytes", WINDOW);
    if (in_used - at - sizeof h < h.length) break;
    on_frame(&h, in + at + sizeof h);
    at += sizeof h + h.length;
  }
  in_used -= at;
  memmove(in, in + at, in_used);
}

static void say_hello(const char *watched) {
  char *payload = room(), boot[64];
  int64_t stamp = mono_ns(), real = real_ns();
  if (read_file("/proc/sys/kernel/random/boot_id", boot, sizeof boot) < 0) boot[0] = 0;
  memcpy(payload, &real, sizeof real);
  int length = sprintf(payload + sizeof real, "%d %.*s %s", PROTOCOL, (int)strcspn(boot, "\n"), boot, watched);
  sent(0, HELLO, stamp, sizeof real + (size_t)length);
  flush_out();
}

int run_relay(int argc, char **argv) {
  signal(SIGCHLD, SIG_IGN); /* snapshots reap themselves */
  struct rlimit files;
  if (!getrlimit(RLIMIT_NOFILE, &files)) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  struct epoll_event input = {.events = EPOLLIN};
  relay_poller = epoll_create1(EPOLL_CLOEXEC);
  if (relay_poller < 0 || epoll_ctl(relay_poller, EPOLL_CTL_ADD, 0, &input)) {
    fprintf(stderr, "lfq-helper: relay: cannot watch the standard input: %s\n", strerror(errno));
    return 71;
  }
  const char *unwatched = argc ? watch_target(argv[0]) : "none is named";
  say_hello(unwatched ? unwatched : "");
  for (;;) {
    struct epoll_event events[BATCH];
    int count = epoll_wait(relay_poller, events, BATCH, target_watched() ? TICK_MS : rest_ms()), asked = 0;
    if (count < 0 && errno != EINTR) return 71;
    look_at_target();
    int64_t now = mono_ns();
    for (int i = 0; i < count; i++) {
      if (is_target_event(events[i].data.ptr)) continue;
      if (events[i].data.ptr) on_event(events[i].data.ptr, events[i].events, now);
      else asked = 1;
    }
    if (asked) take_input(); /* last: it ends connections that other events of the batch may speak of */
    wake_listeners();
    flush_out();
  }
}
