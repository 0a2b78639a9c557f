/* The connections of the relay: what epoll is asked for each, and what is read from and written to it. */
#include "relay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static struct connection *table[4096];

static struct connection **place(uint32_t id) {
  struct connection **at = &table[id & 4095];
  while (*at && (*at)->id != id) at = &(*at)->next;
  return at;
}

struct connection *find_connection(uint32_t id) {
  return *place(id);
}

void each_connection(void (*visit)(struct connection *)) {
  for (size_t bucket = 0; bucket < sizeof table / sizeof *table; bucket++)
    for (struct connection *c = table[bucket]; c; c = c->next) visit(c);
}

struct connection *add_connection(const struct header *h, uint32_t id, int fd) {
  struct connection **at = place(id), *c = calloc(1, sizeof *c);
  if (*at) malformed(h, "this connection exists already");
  if (!c) exit(71);
  *at = c;
  c->id = id;
  c->fd = fd;
  c->credit = WINDOW;
  return c;
}

void drop(struct connection *c) {
  *place(c->id) = c->next;
  /* Closing alone would not do: a snapshot that has just been spawned may still have the file. */
  if (c->watched) epoll_ctl(relay_poller, EPOLL_CTL_DEL, c->fd, NULL);
  if (c->fd >= 0) close(c->fd);
  free(c->kept);
  free(c);
}

/* Nothing is asked where nothing is wanted: epoll tells of resets unasked, and a reader that stopped must not see them. */
void watch(struct connection *c) {
  uint32_t wanted = 0;
  if (!c->connected || c->kept_length) wanted |= EPOLLOUT;
  if (c->connected && !c->read_all && c->credit && !c->resting) wanted |= EPOLLIN;
  if (wanted == c->watched) return;
  struct epoll_event event = {.events = wanted, .data.ptr = c};
  if (epoll_ctl(relay_poller, !c->watched ? EPOLL_CTL_ADD : !wanted ? EPOLL_CTL_DEL : EPOLL_CTL_MOD, c->fd, &event)) {
    fprintf(stderr, "lfq-helper: relay: cannot watch a connection: %s\n", strerror(errno));
    exit(71);
  }
  c->watched = wanted;
}

void failed(struct connection *c, int error, int64_t stamp) {
  look_at_target();
  char *payload = room();
  memcpy(payload, &c->begun, sizeof c->begun);
  const char *name = strerrorname_np(error);
  size_t length = strlen(name);
  memcpy(payload + sizeof c->begun, name, length);
  sent(c->id, FAILED, stamp, sizeof c->begun + length);
  drop(c);
}

void opened(struct connection *c, int64_t stamp) {
  look_at_target();
  c->connected = 1;
  say(c->id, OPENED, stamp, &c->begun, sizeof c->begun);
}

static void broken(struct connection *c, char call, int error) {
  int64_t stamp = mono_ns();
  look_at_target();
  char text[64];
  int length = snprintf(text, sizeof text, "%c%s", call, strerrorname_np(error));
  say(c->id, ERROR, stamp, text, (size_t)length);
  drop(c);
}

/* Reads once, as much as there is credit for. */
static ssize_t receive(struct connection *c) {
  char *into = room();
  ssize_t n = recv(c->fd, into, c->credit, 0);
  if (n > 0) {
    sent(c->id, DATA, mono_ns(), (size_t)n);
    c->credit -= (uint32_t)n;
  }
  return n;
}

int take_readable(struct connection *c) {
  ssize_t n = receive(c);
  if (n == 0) {
    int64_t stamp = mono_ns();
    look_at_target();
    c->read_all = 1;
    say(c->id, FIN, stamp, NULL, 0);
  } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
    broken(c, 'r', errno);
    return 0;
  }
  return 1;
}

void finish_writing(struct connection *c) {
  if (!c->fin_due || c->fin_sent || !c->connected || c->kept_length) return;
  shutdown(c->fd, SHUT_WR); /* what it fails with is seen by reading */
  c->fin_sent = 1;
}

/* Gives bytes to the kernel. Returns how many it took, -1 when the connection is gone. */
static ssize_t hand_over(struct connection *c, const char *bytes, size_t length) {
  ssize_t n = send(c->fd, bytes, length, MSG_NOSIGNAL);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (n < 0) {
    int error = errno;
    /* An answer that came before the end of the connection must not get lost behind it. */
    while (!c->read_all && c->credit && receive(c) > 0) continue;
    broken(c, 'w', error);
    return -1;
  }
  uint32_t taken = (uint32_t)n;
  say(c->id, CREDIT, mono_ns(), &taken, sizeof taken);
  return n;
}

int write_kept(struct connection *c) {
  ssize_t n = hand_over(c, c->kept + c->kept_at, c->kept_length);
  if (n < 0) return 0;
  c->kept_at += (size_t)n;
  c->kept_length -= (size_t)n;
  if (!c->kept_length) {
    free(c->kept);
    c->kept = NULL;
    c->kept_at = 0;
  }
  finish_writing(c);
  return 1;
}

static int keep(struct connection *c, const char *bytes, size_t length) {
  if (!length) return 1;
  if (!c->kept && !(c->kept = malloc(WINDOW))) return 0;
  memmove(c->kept, c->kept + c->kept_at, c->kept_length);
  c->kept_at = 0;
  memcpy(c->kept + c->kept_length, bytes, length);
  c->kept_length += length;
  return 1;
}

void on_data(const struct header *h, struct connection *c, const char *payload) {
  if (c->fin_due) malformed(h, "data after FIN");
  if (c->kept_length + h->length > WINDOW) malformed(h, "more than the window of %d bytes", WINDOW);
  ssize_t taken = c->connected && !c->kept_length ? hand_over(c, payload, h->length) : 0;
  if (taken < 0) return;
  if (!keep(c, payload + taken, h->length - (size_t)taken)) exit(71);
  watch(c);
}

void on_credit(const struct header *h, struct connection *c, const char *payload) {
  uint32_t more;
  if (h->length != sizeof more) malformed(h, "no count of bytes");
  memcpy(&more, payload, sizeof more);
  if (!c) return;
  if (more > WINDOW - c->credit) malformed(h, "more than the window of %d bytes", WINDOW);
  c->credit += more;
  watch(c);
}
