/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hand-overs that ThreadSanitizer does not see, because they happen inside DPDK's libraries, which are built without it:
 * a driver's ring, the pool of packet buffers. These two say it for them; in any other build they are nothing.
 */
#ifndef HAND_OVER_UNSEEN_H
#define HAND_OVER_UNSEEN_H

#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define unseen_give(where) __tsan_release(where)
#define unseen_take(where) __tsan_acquire(where)
#else
#define unseen_give(where) ((void)(where))
#define unseen_take(where) ((void)(where))
#endif

#endif
