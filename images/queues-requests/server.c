/*
 * Good: one loop that reads every connection and WORKERS that answer: what comes beyond them waits in a queue for one to be
 * free, and at the stop all of it is answered. QUEUE=cut ends what waits at the signal; CONNECTIONS=n refuses more than n at
 * once, by an end without an answer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WORKERS = 4, MOST = 4096, HEAD = 2048 };

struct connection {
  int fd, worked;
  long due; /* bytes of the body that are still to come; -1 before its head is whole */
  size_t have;
  char head[HEAD];
};

static struct connection *connections[MOST];
static int count, working;
static volatile sig_atomic_t stopping;

static void stop(int signal) {
  (void)signal;
  stopping = 1;
}

static void drop(int at) {
  working -= connections[at]->worked;
  close(connections[at]->fd);
  free(connections[at]);
  connections[at] = connections[--count];
}

/* A request is whole when its body is: the length is promised. */
static void take(struct connection *c, const char *bytes, size_t length) {
  if (c->due < 0) {
    size_t before = c->have, fits = length < HEAD - 1 - c->have ? length : HEAD - 1 - c->have;
    memcpy(c->head + c->have, bytes, fits);
    c->have += fits;
    c->head[c->have] = 0;
    char *end = strstr(c->head, "\r\n\r\n"), *promised = strcasestr(c->head, "\r\ncontent-length:");
    if (!end) return;
    c->due = promised && promised < end ? atol(promised + 17) : 0;
    length -= (size_t)(end + 4 - c->head) - before;
  }
  c->due -= (long)length < c->due ? (long)length : c->due;
}

static void answer(struct connection *c) {
  static const char text[] = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok";
  if (send(c->fd, text, sizeof text - 1, MSG_NOSIGNAL) < 0) return;
  shutdown(c->fd, SHUT_WR);
}

int main(void) {
  struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(8080)};
  const char *queue = getenv("QUEUE"), *limit = getenv("CONNECTIONS");
  int most = limit ? atoi(limit) : MOST, one = 1;
  struct sigaction action = {.sa_handler = stop};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (void *)&any, sizeof any) || listen(listener, 128)) return 1;
  puts("ready");
  fflush(stdout);
  static struct pollfd polled[MOST + 1];
  static char bytes[65536];
  for (;;) {
    if (stopping && listener >= 0) {
      close(listener);
      listener = -1;
      for (int at = count - 1; at >= 0 && queue && !strcmp(queue, "cut"); at--) {
        if (!connections[at]->worked) drop(at);
      }
    }
    if (stopping && count == 0) break;
    for (int at = 0; at < count; at++) polled[at] = (struct pollfd){.fd = connections[at]->fd, .events = POLLIN};
    polled[count] = (struct pollfd){.fd = listener, .events = POLLIN};
    if (poll(polled, (nfds_t)count + 1, 20) < 0 && errno != EINTR) return 1;
    int knocked = listener >= 0 && polled[count].revents;
    for (int at = count - 1; at >= 0; at--) {
      struct connection *c = connections[at];
      if (!polled[at].revents) continue;
      ssize_t length = recv(c->fd, bytes, sizeof bytes, MSG_DONTWAIT);
      if (length > 0) take(c, bytes, (size_t)length);
      else if (length == 0 || errno != EAGAIN) drop(at);
    }
    for (int fd; knocked && (fd = accept(listener, NULL, NULL)) >= 0;) {
      if (count >= most || count >= MOST) {
        close(fd);
        continue;
      }
      struct connection *c = calloc(1, sizeof *c);
      if (!c) return 1;
      c->fd = fd;
      c->due = -1;
      connections[count++] = c;
    }
    /* A worker takes whose head is whole, stays with it until its body is, answers and closes. */
    for (int at = count - 1; at >= 0; at--) {
      struct connection *c = connections[at];
      if (!c->worked && c->due >= 0 && working < WORKERS) {
        c->worked = 1;
        working++;
      }
      if (!c->worked || c->due != 0) continue;
      answer(c);
      drop(at);
    }
  }
  puts("stopped");
  return 0;
}
