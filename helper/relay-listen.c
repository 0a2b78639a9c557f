/* Callers from the network that the relay runs in. */
#include "relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ACCEPTED_IDS 0x800000 /* the other end numbers what it opens from 1 on */
#define REST_MS 20            /* after this a caller for whom there was no room is asked in again */

static int64_t rest_until; /* 0: no listener rests */

int rest_ms(void) {
  return rest_until ? REST_MS : -1;
}

static void wake(struct connection *c) {
  if (!c->resting) return;
  c->resting = 0;
  watch(c);
}

void wake_listeners(void) {
  if (!rest_until || mono_ns() < rest_until) return;
  rest_until = 0;
  each_connection(wake);
}

/* A caller that cannot be let in stays in front of the door: a listener that is watched all the same would spin. */
static void rest(struct connection *listener) {
  listener->resting = 1;
  rest_until = mono_ns() + REST_MS * 1000000LL;
}

void take_callers(struct connection *listener) {
  static uint32_t accepted;
  struct sockaddr_in from;
  socklen_t size = sizeof from;
  int fd = accept4(listener->fd, (void *)&from, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) rest(listener);
    return; /* a caller that has left again, or a signal */
  }
  int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  uint32_t id = ACCEPTED_IDS + accepted++ % ACCEPTED_IDS;
  struct connection *c = add_connection(&(struct header){.id = id, .type = ACCEPTED}, id, fd);
  c->begun = mono_ns();
  char *payload = room();
  uint16_t port = ntohs(from.sin_port);
  memcpy(payload, &id, sizeof id);
  memcpy(payload + sizeof id, &port, sizeof port);
  inet_ntop(AF_INET, &from.sin_addr, payload + sizeof id + sizeof port, INET_ADDRSTRLEN);
  sent(listener->id, ACCEPTED, c->begun, sizeof id + sizeof port + strlen(payload + sizeof id + sizeof port));
  opened(c, mono_ns());
  watch(c);
}

/* On a port of the kernel's choice, of every address here. */
void on_listen(const struct header *h) {
  struct sockaddr_in here = {.sin_family = AF_INET};
  socklen_t size = sizeof here;
  struct connection *c = add_connection(h, h->id, socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  c->begun = mono_ns();
  if (c->fd < 0 || bind(c->fd, (void *)&here, size) || listen(c->fd, 128) || getsockname(c->fd, (void *)&here, &size)) {
    failed(c, errno, mono_ns());
    return;
  }
  c->listening = c->connected = 1;
  uint16_t port = ntohs(here.sin_port);
  say(c->id, LISTENING, mono_ns(), &port, sizeof port);
  watch(c);
}
