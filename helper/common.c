#include "lfq-helper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int64_t clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
int64_t mono_ns(void) { return clock_ns(CLOCK_MONOTONIC); }
int64_t real_ns(void) { return clock_ns(CLOCK_REALTIME); }

static char line[65536];
static size_t used;

/* Room is always kept for the closing bracket and newline; what does not fit is cut. */
static void put(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(line + used, sizeof line - 8 - used, format, arguments);
  va_end(arguments);
  if (n > 0) used += (size_t)n < sizeof line - 8 - used ? (size_t)n : sizeof line - 9 - used;
}

/* Length of the valid UTF-8 sequence at s, 0 if there is none. */
static size_t utf8_length(const unsigned char *s, size_t left) {
  size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
  if (n > left) return 0;
  for (size_t i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  return n;
}

/* A text longer than 4 KiB is cut: it is evidence for people. */
static void put_string(const char *text, size_t length) {
  size_t cut = length > 4096 ? 4096 : length;
  put("\"");
  for (size_t i = 0; i < cut;) {
    const unsigned char *s = (const unsigned char *)text + i;
    size_t n = utf8_length(s, cut - i);
    if (n == 0) put("\\ufffd");
    else if (n > 1) put("%.*s", (int)n, (const char *)s);
    else if (*s == '"' || *s == '\\') put("\\%c", *s);
    else if (*s < 0x20 || *s == 0x7f) put("\\u%04x", *s);
    else put("%c", *s);
    i += n ? n : 1;
  }
  put("\"");
}

void begin_line(const char *ev) {
  used = 0;
  put("{\"ev\":\"%s\"", ev);
}
void add_int(const char *key, long long value) { put(",\"%s\":%lld", key, value); }
void add_ns(const char *key, int64_t ns) { put(",\"%s\":\"%lld\"", key, (long long)ns); }
void add_bool(const char *key, int value) { put(",\"%s\":%s", key, value ? "true" : "false"); }
void add_text(const char *key, const char *text) {
  put(",\"%s\":", key);
  put_string(text, strlen(text));
}
void add_texts(const char *key, const char *bytes, size_t length) {
  put(",\"%s\":[", key);
  for (size_t at = 0; at < length && used < sizeof line / 2;) {
    size_t n = strnlen(bytes + at, length - at);
    if (at) put(",");
    put_string(bytes + at, n);
    at += n + 1;
  }
  put("]");
}
void add_clocks(void) {
  add_ns("mono", mono_ns());
  add_ns("rt", real_ns());
}
void end_line(void) {
  line[used++] = '}';
  line[used++] = '\n';
  for (size_t at = 0; at < used;) {
    ssize_t n = write(1, line + at, used - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(74); /* nobody listens any more */
    at += (size_t)n;
  }
}

ssize_t read_file(const char *path, char *into, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  size_t length = 0;
  for (;;) {
    ssize_t n = read(fd, into + length, size - 1 - length);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    length += (size_t)n;
  }
  close(fd);
  into[length] = 0;
  return (ssize_t)length;
}

void read_comm(pid_t pid, char into[17]) {
  char path[64], text[64];
  snprintf(path, sizeof path, "/proc/%d/comm", pid);
  into[0] = 0;
  if (read_file(path, text, sizeof text) <= 0) return;
  text[strcspn(text, "\n")] = 0;
  snprintf(into, 17, "%.16s", text);
}

ino_t pid_namespace(pid_t pid) {
  char path[64];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%d/ns/pid", pid);
  return stat(path, &status) ? 0 : status.st_ino;
}

void each_process(void (*visit)(pid_t pid, void *context), void *context) {
  DIR *proc = opendir("/proc");
  if (!proc) return;
  for (struct dirent *entry; (entry = readdir(proc));) {
    char *end;
    long pid = strtol(entry->d_name, &end, 10);
    if (pid > 0 && !*end) visit((pid_t)pid, context);
  }
  closedir(proc);
}

long number(const char *what, const char *text, long low, long high) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (errno || end == text || *end || value < low || value > high) {
    fprintf(stderr, "lfq-helper: %s must be a whole number from %ld to %ld, got %s\n", what, low, high, text);
    exit(64);
  }
  return value;
}
