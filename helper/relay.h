/* Shared by the parts of `relay`: frames, connections, and the target that it watches. */
#ifndef LFQ_RELAY_H
#define LFQ_RELAY_H

#include "lfq-helper.h"

#define WINDOW 65536 /* bytes that may be under way, each way; also the longest payload */

enum type { OPEN = 1, DATA, FIN, RESET, CLOSE, CREDIT, PING, QUIT, HELLO, OPENED, FAILED, ERROR, PONG, CLOSED, GONE, SNAPSHOT, LISTEN, LISTENING, ACCEPTED };

struct header {
  uint32_t id;
  uint8_t type;
  uint32_t length;
  int64_t stamp;
} __attribute__((packed));
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are little-endian");

struct connection {
  struct connection *next;
  uint32_t id;
  int fd; /* -1: nothing here carries it any more */
  int connected, listening, resting, read_all, fin_due, fin_sent;
  uint32_t watched; /* what epoll is asked for; 0: it does not know the connection */
  uint32_t credit;  /* bytes that may be read for it */
  int64_t begun;
  char *kept; /* what the kernel has not taken yet: WINDOW bytes, present only while it is needed */
  size_t kept_at, kept_length;
};

extern int relay_poller;

/* Room for one frame. What is written there is sent once `sent` is told. */
char *room(void);
void sent(uint32_t id, enum type type, int64_t stamp, size_t length);
void say(uint32_t id, enum type type, int64_t stamp, const void *payload, size_t length);
void flush_out(void);
__attribute__((format(printf, 2, 3), noreturn)) void malformed(const struct header *h, const char *format, ...);

struct connection *find_connection(uint32_t id);
/* `visit` drops none. */
void each_connection(void (*visit)(struct connection *));
struct connection *add_connection(const struct header *h, uint32_t id, int fd);
void drop(struct connection *c);
/* Asks epoll for what is wanted now. */
void watch(struct connection *c);
void failed(struct connection *c, int error, int64_t stamp);
void opened(struct connection *c, int64_t stamp);
/* 0: the connection is gone. */
int take_readable(struct connection *c);
int write_kept(struct connection *c);
void finish_writing(struct connection *c);
void on_data(const struct header *h, struct connection *c, const char *payload);
void on_credit(const struct header *h, struct connection *c, const char *payload);

/* Why the process cannot be watched as the target whose network this is; NULL where it is. */
const char *watch_target(const char *pid);
int target_watched(void);
int is_target_event(const void *of);
/* Tells of the target's end at once, so that nothing seen after it can be taken for something that it did. */
void look_at_target(void);
void on_snapshot(const struct header *h);

void on_listen(const struct header *h);
void take_callers(struct connection *listener);
/* How long epoll may wait before the listeners that rest have to be woken, ms; -1: none rests. */
int rest_ms(void);
void wake_listeners(void);

#endif
