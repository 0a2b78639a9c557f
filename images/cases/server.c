/*
 * A server that plays what its words say: `server port=8080 on-TERM=drain:300:0`. Words, all optional:
 *   port=N            answers HTTP there, one request a connection
 *   state=FILE        there while it runs: found at the start, it says `recovery`
 *   late=MS           deaf for so long before it installs its handlers
 *   buffered          its lines stay in a buffer until it ends in an orderly way
 *   daemon            leaves its starter by two forks
 *   on-SIGNAL=ACTION  no word for a signal: its default action
 *   says=TEXT         its first line, `ready` where none is said
 *   second=STATUS     what a second signal ends it with, at once
 *   on-CHLD=panic:STATUS  ends at once when a child does
 *   last=TEXT         its last line, `stopped` where none is said
 *   -- WORD...        runs that as a child, and ends when it does, with its status
 * Actions: exit:STATUS after the last line; cut:STATUS at once without it; wait:MS:STATUS always takes so long;
 * drain:MS:STATUS as long as requests are in flight, idle:MS:STATUS as long as there are connections, group:MS:STATUS is
 * wait and signals all others too; leave:STATUS relays to the child and leaves, relay stays; panic:STATUS; ignore; note;
 * again cleans up and sends itself the signal; kill-self; reexec; hog:MIB takes so much memory.
 */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct { const char *name; int number; } SIGNALS[] = {
  {"TERM", SIGTERM}, {"INT", SIGINT}, {"HUP", SIGHUP}, {"QUIT", SIGQUIT}, {"USR1", SIGUSR1}, {"CHLD", SIGCHLD}, {"37", 37}};
static const char *actions[65], *says = "ready", *last = "stopped", *state;
static char **words;
static int noticed[2], listener = -1, buffered, second = -1, panics = -1;
static pid_t child;
static atomic_int requests, connections;

static void say(const char *text) {
  puts(text);
  if (!buffered) fflush(stdout);
}

static void *serve(void *argument) {
  static const char ANSWER[] = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n";
  int client = (int)(long)argument, whole = 0;
  size_t used = 0, room = 1 << 20;
  char *request = calloc(1, room);
  while (!whole && used < room - 1) {
    ssize_t n = read(client, request + used, room - 1 - used);
    if (n <= 0) break;
    if (used == 0) atomic_fetch_add(&requests, 1);
    request[used += (size_t)n] = 0;
    const char *body = strstr(request, "\r\n\r\n"), *length = strcasestr(request, "\r\nContent-Length:");
    int chunked = strcasestr(request, "\r\nTransfer-Encoding: chunked") != NULL;
    if (body) whole = chunked ? strstr(body, "\r\n0\r\n") != NULL : strlen(body + 4) >= (length ? strtoul(length + 17, NULL, 10) : 0);
  }
  if (whole) (void)!write(client, ANSWER, sizeof ANSWER - 1);
  close(client);
  free(request);
  if (used > 0) atomic_fetch_sub(&requests, 1);
  atomic_fetch_sub(&connections, 1);
  return NULL;
}

static void *answer(void *unused) {
  for (pthread_t thread;;) {
    int client = accept(listener, NULL, NULL);
    if (client < 0) return unused;
    atomic_fetch_add(&connections, 1);
    if (pthread_create(&thread, NULL, serve, (void *)(long)client) == 0) pthread_detach(thread);
  }
}

static void leave(int status) {
  say(last);
  if (state) unlink(state);
  fflush(stdout);
  _exit(status);
}

static void wait_for(atomic_int *work, int ms) {
  if (listener >= 0) shutdown(listener, SHUT_RDWR), close(listener);
  for (; ms > 0 && (work == NULL || atomic_load(work) > 0); ms -= 10) usleep(10000);
}

static void act(const char *name, int number, const char *action) {
  int first = 0, then = 0;
  if (number != SIGCHLD) printf("received %s\n", name), buffered ? 0 : fflush(stdout);
  if (sscanf(action, "exit:%d", &first) == 1) leave(first);
  if (sscanf(action, "cut:%d", &first) == 1) _exit(first);
  if (sscanf(action, "panic:%d", &first) == 1) say("panic: an untracked child has ended"), _exit(first);
  if (sscanf(action, "wait:%d:%d", &first, &then) == 2) wait_for(NULL, first), leave(then);
  if (sscanf(action, "drain:%d:%d", &first, &then) == 2) wait_for(&requests, first), leave(then);
  if (sscanf(action, "idle:%d:%d", &first, &then) == 2) wait_for(&connections, first), leave(then);
  if (sscanf(action, "leave:%d", &first) == 1) kill(child, number), _exit(first);
  if (sscanf(action, "hog:%d", &first) == 1) {
    for (volatile char *page = malloc((size_t)first << 20); first > 0; first -= 1)
      for (int kept = 0; kept < 1 << 20; kept += 4096) *page = 1, page += 4096;
    leave(0);
  }
  if (sscanf(action, "group:%d:%d", &first, &then) == 2) kill(-1, number), wait_for(NULL, first), leave(then);
  if (strcmp(action, "relay") == 0) kill(child, number);
  if (strcmp(action, "kill-self") == 0) kill(getpid(), SIGKILL), leave(0);
  if (strcmp(action, "reexec") == 0) execv("/proc/self/exe", words);
  if (strcmp(action, "again") == 0) say("cleaned up"), signal(number, SIG_DFL), kill(getpid(), number);
}

static void notice(int number) {
  static atomic_int before;
  if (number == SIGCHLD && panics >= 0) {
    static const char PANIC[] = "panic: an untracked child has ended\n";
    (void)!write(1, PANIC, sizeof PANIC - 1);
    _exit(panics);
  }
  if (number != SIGCHLD && atomic_fetch_add(&before, 1) > 0 && second >= 0) _exit(second);
  char byte = (char)number;
  (void)!write(noticed[1], &byte, 1);
}

static void *attend(void *unused) {
  for (unsigned char number;;) {
    if (read(noticed[0], &number, 1) != 1) continue;
    for (size_t s = 0; s < sizeof SIGNALS / sizeof *SIGNALS; s += 1)
      if (SIGNALS[s].number == number && actions[number]) act(SIGNALS[s].name, number, actions[number]);
  }
  return unused;
}

int main(int count, char **all) {
  int late = 0, port = 0, daemon = 0;
  words = all;
  for (int i = 1; i < count; i += 1) {
    const char *word = all[i];
    if (strcmp(word, "--") == 0) {
      if ((child = fork()) == 0) execvp(all[i + 1], all + i + 1), _exit(127);
      break;
    }
    if (strncmp(word, "says=", 5) == 0) says = word + 5;
    if (strncmp(word, "last=", 5) == 0) last = word + 5;
    if (strncmp(word, "state=", 6) == 0) state = word + 6;
    sscanf(word, "port=%d", &port), sscanf(word, "late=%d", &late), sscanf(word, "second=%d", &second), sscanf(word, "on-CHLD=panic:%d", &panics);
    buffered |= strcmp(word, "buffered") == 0, daemon |= strcmp(word, "daemon") == 0;
    for (size_t s = 0; s < sizeof SIGNALS / sizeof *SIGNALS; s += 1) {
      size_t length = strlen(SIGNALS[s].name);
      if (strncmp(word, "on-", 3) == 0 && strncmp(word + 3, SIGNALS[s].name, length) == 0 && word[3 + length] == '=')
        actions[SIGNALS[s].number] = word + 4 + length;
    }
  }
  if (daemon && fork() != 0) _exit(0);
  if (daemon && (setsid(), fork() != 0)) _exit(0);
  usleep((useconds_t)late * 1000);
  if (pipe(noticed)) return 1;
  for (int number = 1; number < 65; number += 1)
    if (actions[number]) {
      struct sigaction how = {.sa_handler = strcmp(actions[number], "ignore") == 0 ? SIG_IGN : notice, .sa_flags = SA_RESTART};
      sigaction(number, &how, NULL);
    }
  if (port) {
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    int yes = 1;
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (void *)&any, sizeof any) || listen(listener, 1024)) return 1;
    pthread_t thread;
    pthread_create(&thread, NULL, answer, NULL);
  }
  if (state) {
    if (access(state, F_OK) == 0) say("recovery: the last stop was not clean");
    fclose(fopen(state, "w"));
  }
  say(says);
  if (child) {
    pthread_t thread;
    int status = 0;
    pthread_create(&thread, NULL, attend, NULL);
    while (waitpid(child, &status, 0) != child);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  }
  attend(NULL);
}
