/* Fault: its state is left as if it had crashed, although it exits 0: the next start has to recover. */
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void leave(int signal) {
  (void)signal;
  _exit(0); /* where unlink("/dirty") is missing */
}

int main(void) {
  struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(8080)};
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  signal(SIGTERM, leave);
  signal(SIGINT, leave);
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
