/* Fixtures: what the harness tests itself and its engines with. */
#include "lfq-helper.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void say_ready(void) {
  begin_line("ready");
  add_int("pid", getpid());
  add_clocks();
  end_line();
}

int run_exit(int argc, char **argv) {
  (void)argc;
  _exit((int)number("CODE", argv[0], 0, 255));
}

int run_exact(int argc, char **argv) {
  int64_t wait_ns = number("MS", argv[0], 0, 86400000) * 1000000LL;
  int code = argc > 1 ? (int)number("CODE", argv[1], 0, 255) : 0;
  sigset_t set;
  sigemptyset(&set);
  const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1};
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) sigaddset(&set, signals[i]);
  sigprocmask(SIG_BLOCK, &set, NULL);
  prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
  say_ready();
  int64_t deadline = 0;
  for (;;) {
    int got;
    if (!deadline) {
      got = sigwaitinfo(&set, NULL);
    } else {
      int64_t left = deadline - mono_ns();
      if (left <= 0) break;
      struct timespec t = {left / 1000000000, left % 1000000000};
      got = sigtimedwait(&set, NULL, &t);
    }
    if (got < 0) continue;
    int64_t mono = mono_ns(), rt = real_ns();
    if (!deadline) deadline = mono + wait_ns;
    begin_line("signal");
    add_int("signo", got);
    add_ns("mono", mono);
    add_ns("rt", rt);
    end_line();
  }
  begin_line("exit");
  add_int("code", code);
  add_clocks();
  end_line();
  _exit(code);
}

int run_wait(int argc, char **argv) {
  (void)argc, (void)argv;
  say_ready();
  for (;;) pause();
}

int run_hold(int argc, char **argv) {
  (void)argc, (void)argv;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigprocmask(SIG_BLOCK, &set, NULL);
  say_ready();
  while (sigwaitinfo(&set, NULL) < 0) continue;
  _exit(0);
}

int run_lines(int argc, char **argv) {
  (void)argc;
  long count = number("N", argv[0], 0, 10000000);
  for (long i = 1; i <= count; i++) printf("line %ld\n", i);
  return fflush(stdout) ? 74 : 0;
}

int run_alloc(int argc, char **argv) {
  (void)argc;
  long megabytes = number("MB", argv[0], 0, 1048576);
  say_ready();
  for (long i = 0; i < megabytes; i++) {
    void *block = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) {
      fprintf(stderr, "lfq-helper: no more memory after %ld MiB: %s\n", i, strerror(errno));
      return 71;
    }
    memset(block, 1, 1 << 20);
  }
  begin_line("allocated");
  add_int("mb", megabytes);
  add_clocks();
  end_line();
  for (;;) pause();
}

static void end_at_once(int signal) {
  (void)signal;
  _exit(0);
}

int run_serve(int argc, char **argv) {
  (void)argc;
  static const char ANSWER[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
  int port = (int)number("PORT", argv[0], 1, 65535), one = 1;
  struct sigaction action = {.sa_handler = end_at_once};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = INADDR_ANY};
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (void *)&address, sizeof address) || listen(listener, 128)) {
    fprintf(stderr, "lfq-helper: cannot listen on port %d: %s\n", port, strerror(errno));
    return 71;
  }
  begin_line("listening");
  add_int("port", port);
  add_clocks();
  end_line();
  for (;;) {
    int client = accept(listener, NULL, NULL);
    if (client < 0) continue;
    char request[8192];
    size_t length = 0;
    struct timeval limit = {.tv_usec = 500000};
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    for (;;) {
      ssize_t n = read(client, request + length, sizeof request - 1 - length);
      if (n <= 0) break;
      length += (size_t)n;
      request[length] = 0;
      if (strstr(request, "\r\n\r\n")) {
        (void)!write(client, ANSWER, sizeof ANSWER - 1);
        break;
      }
    }
    shutdown(client, SHUT_WR);
    close(client);
  }
}
