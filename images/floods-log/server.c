/* Writes 1 GiB before it is ready, 100 MiB of it in one line, and goes on until it is told to stop; then it stops well. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MIB = 1024 * 1024, LINE = 1024 };

static atomic_int stopping;
static char block[MIB];

static void say(const char *text, size_t length) {
  for (ssize_t n; length > 0; text += n, length -= (size_t)n)
    if ((n = write(1, text, length)) < 0) _exit(1);
}

static void line(const char *text) { say(text, strlen(text)); }

static void *flood(void *argument) {
  memset(block, 'x', sizeof block);
  for (int i = 0; i < 100; i++) say(block, sizeof block);
  line("\n");
  for (size_t i = LINE - 1; i < sizeof block; i += LINE) block[i] = '\n';
  for (int i = 0; i < 924; i++) say(block, sizeof block);
  line("ready to serve\n");
  while (!stopping) say(block, sizeof block);
  return argument;
}

int main(void) {
  sigset_t set;
  int got = 0;
  pthread_t thread;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigprocmask(SIG_BLOCK, &set, NULL);
  if (pthread_create(&thread, NULL, flood, NULL) || sigwait(&set, &got)) return 1;
  stopping = 1;
  pthread_join(thread, NULL);
  line(got == SIGTERM ? "shutdown signal received reason=Terminate\n" : "shutdown signal received reason=Interrupt\n");
  for (int i = 0; i < 4; i++) say(block, sizeof block);
  line("shutdown completed outcome=graceful\n");
  return 0;
}
