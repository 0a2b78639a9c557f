/* Fault: a child that has ended is never waited for, and stays a zombie, behind an init too: it has a parent. */
#include <netinet/in.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void leave(int signal) {
  (void)signal;
  _exit(0);
}

int main(void) {
  struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(8080)};
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  signal(SIGTERM, leave);
  signal(SIGINT, leave);
  if (fork() == 0) _exit(0);
  siginfo_t ended;
  waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT); /* it is a zombie from before readiness on */
  if (bind(listener, (void *)&any, sizeof any) || listen(listener, 128)) return 1;
  for (;;) {
    int client = accept(listener, NULL, NULL);
    if (client >= 0) close(client);
  }
}
