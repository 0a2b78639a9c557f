/* Fault: no signal handler. As PID 1 the process never notices SIGTERM or SIGINT. */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *serve(void *argument) {
  static const char ANSWER[] = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n";
  int client = (int)(long)argument, whole = 0;
  char request[65536] = "";
  for (size_t used = 0; !whole && used < sizeof request - 1;) {
    ssize_t n = read(client, request + used, sizeof request - 1 - used);
    if (n <= 0) break;
    request[used += (size_t)n] = 0;
    const char *body = strstr(request, "\r\n\r\n"), *length = strcasestr(request, "\r\nContent-Length:");
    int chunked = strcasestr(request, "\r\nTransfer-Encoding: chunked") != NULL;
    if (body) whole = chunked ? strstr(body, "\r\n0\r\n") != NULL : strlen(body + 4) >= (length ? strtoul(length + 17, NULL, 10) : 0);
  }
  if (whole) (void)!write(client, ANSWER, sizeof ANSWER - 1);
  close(client);
  return NULL;
}

int main(void) {
  struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(8080)};
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (void *)&any, sizeof any) || listen(listener, 128)) return 1;
  for (pthread_t thread;;) {
    int client = accept(listener, NULL, NULL);
    if (client >= 0 && pthread_create(&thread, NULL, serve, (void *)(long)client) == 0) pthread_detach(thread);
  }
}
