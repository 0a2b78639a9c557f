/* Shared by the subcommands: clocks, JSON lines, process facts. */
#ifndef LFQ_HELPER_H
#define LFQ_HELPER_H

#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define LFQ_VERSION "0.1.0"

int64_t mono_ns(void);
int64_t real_ns(void);

/* Begins a JSON line {"ev":EV; more members follow; end_line writes it with one write(2), so that lines never mix. */
void begin_line(const char *ev);
void add_int(const char *key, long long value);
void add_ns(const char *key, int64_t ns); /* a decimal string: JSON numbers lose digits beyond 2^53 */
void add_bool(const char *key, int value);
void add_text(const char *key, const char *text);
void add_texts(const char *key, const char *bytes, size_t length); /* NUL-separated, as /proc/<pid>/cmdline */
void add_clocks(void);
void end_line(void);

/* Reads a small file whole, NUL-terminated. Returns its length, or -1 with errno. */
ssize_t read_file(const char *path, char *into, size_t size);
/* comm of a process, without the newline; empty when it is gone. */
void read_comm(pid_t pid, char into[17]);
/* Identity of a process's pid namespace (an inode number), 0 when it cannot be read. */
ino_t pid_namespace(pid_t pid);
/* Calls visit for every process in /proc. */
void each_process(void (*visit)(pid_t pid, void *context), void *context);
/* Parses a whole decimal number; exits 64 with a sentence otherwise. */
long number(const char *what, const char *text, long low, long high);

int run_exit(int argc, char **argv);
int run_exact(int argc, char **argv);
int run_wait(int argc, char **argv);
int run_hold(int argc, char **argv);
int run_lines(int argc, char **argv);
int run_alloc(int argc, char **argv);
int run_serve(int argc, char **argv);
int run_probe(int argc, char **argv);
int run_snapshot(int argc, char **argv);
int run_watch(int argc, char **argv);
int run_relay(int argc, char **argv);

#endif
