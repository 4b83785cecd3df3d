#pragma once
#include <sched.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

// Declared by the headers only under _GNU_SOURCE, which Swift's C importer does not set.
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
extern int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set);

// The cores that this process may run on: fewer than the machine has in a container or under taskset.
static inline int linux_usable_cores(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? __sched_cpucount(sizeof set, &set) : 1;
}

// Swift cannot reach into the packed union of epoll_event.
static inline int linux_epoll_add(int poller, int descriptor, uint32_t events) {
  struct epoll_event event = {.events = events, .data = {.u64 = (uint32_t)descriptor}};
  return epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
}

static inline int linux_event_descriptor(const struct epoll_event *event) { return (int)event->data.u64; }
// prctl is variadic, which Swift cannot call.
#include <sys/prctl.h>
static inline int linux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

#include <spawn.h>
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
