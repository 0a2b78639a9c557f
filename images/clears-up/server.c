/* Good: like stale-pid and unclean-state it minds what an earlier life left, but its own stop leaves nothing behind. */
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void leave(int signal) {
  (void)signal;
  unlink("/dirty");
  unlink("/server.pid");
  _exit(0);
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
  if (access("/dirty", F_OK) == 0) puts("database was not properly shut down; automatic recovery in progress");
  close(open("/dirty", O_CREAT | O_WRONLY, 0644));
  puts("ready for connections");
  fflush(stdout);
  if (bind(listener, (void *)&any, sizeof any) || listen(listener, 128)) return 1;
  for (;;) {
    int client = accept(listener, NULL, NULL);
    if (client >= 0) close(client);
  }
}
