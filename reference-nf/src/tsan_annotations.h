/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Annotates hand-overs that ThreadSanitizer does not see, because they happen inside DPDK's libraries, which are built
 * without it: a driver's ring, the pool of packet buffers. In other builds these two are empty.
 */
#ifndef TSAN_ANNOTATIONS_H
#define TSAN_ANNOTATIONS_H

#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define tsan_release(where) __tsan_release(where)
#define tsan_acquire(where) __tsan_acquire(where)
#else
#define tsan_release(where) ((void)(where))
#define tsan_acquire(where) ((void)(where))
#endif

#endif
