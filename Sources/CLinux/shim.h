#pragma once
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

// Declared by the headers only under _GNU_SOURCE, which Swift's C importer does not set.
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);

// Swift cannot reach into the packed union of epoll_event.
static inline int linux_epoll_add(int poller, int descriptor, uint32_t events) {
  struct epoll_event event = {.events = events, .data = {.u64 = (uint32_t)descriptor}};
  return epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
}

static inline int linux_event_descriptor(const struct epoll_event *event) { return (int)event->data.u64; }
// prctl is variadic, which Swift cannot call.
#include <sys/prctl.h>
static inline int linux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
