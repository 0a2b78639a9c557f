/* The target that a relay watches: its end, and its processes. */
#include "relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static pid_t target_pid; /* 0: none is watched, nor was one */
static int target = -1;  /* its pidfd while it lives */
static int64_t target_alive;

void look_at_target(void) {
  if (target < 0) return;
  struct pollfd p = {.fd = target, .events = POLLIN};
  int64_t asked = mono_ns();
  int ended = poll(&p, 1, 0);
  if (ended == 0) target_alive = asked;
  if (ended <= 0) return;
  epoll_ctl(relay_poller, EPOLL_CTL_DEL, target, NULL); /* as for connections: the file may still be a snapshot's too */
  close(target);
  target = -1;
  say(0, GONE, mono_ns(), &target_alive, sizeof target_alive);
}

static ino_t network_namespace(const char *of) {
  char path[64];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%s/ns/net", of);
  return stat(path, &status) ? 0 : status.st_ino;
}

const char *watch_target(const char *pid) {
  pid_t named = (pid_t)number("PID", pid, 1, INT32_MAX);
  target = (int)syscall(SYS_pidfd_open, named, 0);
  if (target < 0) return strerror(errno);
  target_alive = mono_ns();
  ino_t network = network_namespace(pid);
  int ended = poll(&(struct pollfd){.fd = target, .events = POLLIN}, 1, 0) != 0;
  if (ended || !network || network != network_namespace("self")) {
    close(target);
    target = -1;
    return ended ? "it has ended" : "it is not in this network";
  }
  target_pid = named;
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = &target};
  if (epoll_ctl(relay_poller, EPOLL_CTL_ADD, target, &event)) exit(71);
  return NULL;
}

int target_watched(void) {
  return target >= 0;
}

int is_target_event(const void *of) {
  return of == &target;
}

/* What `snapshot PID tree` says, as the bytes of a connection. */
void on_snapshot(const struct header *h) {
  int pair[2];
  char pid[16], *command[] = {"lfq-helper", "snapshot", pid, "tree", NULL};
  snprintf(pid, sizeof pid, "%d", target_pid);
  struct connection *c = add_connection(h, h->id, -1);
  c->begun = mono_ns();
  look_at_target();
  if (target_pid && target < 0) {
    static const char nothing[] = "{\"ev\":\"end\"}\n"; /* its number may be another process's by now */
    opened(c, mono_ns());
    say(c->id, DATA, mono_ns(), nothing, sizeof nothing - 1);
    c->read_all = 1;
    say(c->id, FIN, mono_ns(), NULL, 0);
    return;
  }
  if (!target_pid || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) ||
      fcntl(pair[0], F_SETFL, O_NONBLOCK)) {
    failed(c, target_pid ? errno : ESRCH, mono_ns());
    return;
  }
  c->fd = pair[0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pair[1], 1);
  int error = posix_spawn(&(pid_t){0}, "/proc/self/exe", &actions, NULL, command, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pair[1]);
  if (error) {
    failed(c, error, mono_ns());
    return;
  }
  opened(c, mono_ns());
  watch(c);
}
