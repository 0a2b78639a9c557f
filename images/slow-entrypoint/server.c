/* A correct server: handlers before the listener, exit 0 at once. What its entrypoint does before is another matter. */
#include <netinet/in.h>
#include <signal.h>
#include <unistd.h>

static void leave(int signal) {
  (void)signal;
  _exit(0);
}

int main(void) {
  struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(8080)};
  signal(SIGTERM, leave);
  signal(SIGINT, leave);
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (void *)&any, sizeof any) || listen(listener, 128)) return 1;
  for (;;) {
    int client = accept(listener, NULL, NULL);
    if (client >= 0) close(client);
  }
}
