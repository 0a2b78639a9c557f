/* Fault: its pid file outlives a good stop, and it refuses to start beside one. */
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void leave(int signal) {
  (void)signal;
  _exit(0); /* where unlink("/server.pid") is missing */
}

int main(void) {
  struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(8080)};
  int listener = socket(AF_INET, SOCK_STREAM, 0), once;
  signal(SIGTERM, leave);
  signal(SIGINT, leave);
  if ((once = open("/server.pid", O_CREAT | O_EXCL | O_WRONLY, 0644)) < 0) {
    fputs("another server is running: /server.pid is there\n", stderr);
    return 1;
  }
  dprintf(once, "%d\n", getpid());
  close(once);
  if (bind(listener, (void *)&any, sizeof any) || listen(listener, 128)) return 1;
  puts("listening on 8080");
  fflush(stdout);
  for (;;) {
    int client = accept(listener, NULL, NULL);
    if (client >= 0) close(client);
  }
}
