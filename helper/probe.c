/* probe: one connect and one request per line, with the four outcomes a judge can use. */
#include "lfq-helper.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct target {
  struct sockaddr_storage address;
  socklen_t length;
};

struct result {
  const char *outcome;
  const char *detail; /* what the kernel said, where it said something */
  int status;         /* of the HTTP answer, 0 if there was none */
  ssize_t bytes;
};

/* Waits for fd within the rest of the limit; 0 when it ran out. */
static int ready_within(int fd, short events, int64_t deadline) {
  for (;;) {
    int64_t left = deadline - mono_ns();
    if (left < 0) left = 0;
    struct pollfd p = {.fd = fd, .events = events};
    int n = poll(&p, 1, (int)((left + 999999) / 1000000));
    if (n >= 0 || errno != EINTR) return n;
  }
}

static struct result failed(int error) {
  const char *outcome = error == ECONNREFUSED ? "refused" : error == ECONNRESET || error == EPIPE ? "reset" : "hung";
  return (struct result){.outcome = outcome, .detail = strerrorname_np(error)};
}

/* Connected but closed without a byte counts as reset: the peer was there and gave nothing. */
static struct result ask(const struct target *target, int fd, int64_t deadline) {
  static const char REQUEST[] = "GET / HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n";
  if (connect(fd, (const void *)&target->address, target->length) && errno != EINPROGRESS) return failed(errno);
  if (ready_within(fd, POLLOUT, deadline) <= 0) return (struct result){.outcome = "hung", .detail = "connect"};
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error) return failed(error);
  if (send(fd, REQUEST, sizeof REQUEST - 1, MSG_NOSIGNAL) < 0) return failed(errno);
  if (ready_within(fd, POLLIN, deadline) <= 0) return (struct result){.outcome = "hung", .detail = "answer"};
  char answer[4096];
  ssize_t n = recv(fd, answer, sizeof answer - 1, 0);
  if (n < 0) return failed(errno);
  if (n == 0) return (struct result){.outcome = "reset", .detail = "EOF"};
  answer[n] = 0;
  int status = 0;
  if (sscanf(answer, "HTTP/1.%*1d %3d", &status) != 1) status = 0;
  return (struct result){.outcome = "answered", .bytes = n, .status = status};
}

int run_probe(int argc, char **argv) {
  struct target target = {0};
  uint16_t port = htons((uint16_t)number("PORT", argv[1], 1, 65535));
  struct sockaddr_in *v4 = (void *)&target.address;
  struct sockaddr_in6 *v6 = (void *)&target.address;
  if (inet_pton(AF_INET, argv[0], &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET, v4->sin_port = port, target.length = sizeof *v4;
  } else if (inet_pton(AF_INET6, argv[0], &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6, v6->sin6_port = port, target.length = sizeof *v6;
  } else {
    fprintf(stderr, "lfq-helper: ADDR must be an IP address, got %s\n", argv[0]);
    return 64;
  }
  long count = number("COUNT", argv[2], 1, 1000000), gap_ms = number("GAP_MS", argv[3], 0, 3600000);
  int64_t limit_ns = (argc > 4 ? number("TIMEOUT_MS", argv[4], 1, 3600000) : 1000) * 1000000LL;
  for (long i = 0; i < count; i++) {
    if (i) {
      struct timespec gap = {gap_ms / 1000, gap_ms % 1000 * 1000000};
      nanosleep(&gap, NULL);
    }
    int fd = socket(target.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int64_t begin = mono_ns();
    struct result r = ask(&target, fd, begin + limit_ns);
    begin_line("probe");
    add_int("n", i + 1);
    add_ns("begin", begin);
    add_ns("end", mono_ns());
    add_text("outcome", r.outcome);
    if (r.detail) add_text("detail", r.detail);
    if (r.bytes) add_int("bytes", r.bytes);
    if (r.status) add_int("status", r.status);
    end_line();
    close(fd);
  }
  return 0;
}
