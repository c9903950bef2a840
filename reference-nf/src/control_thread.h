/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A DPDK control thread: it avoids the lcores' CPUs where there are others.
 */
#ifndef CONTROL_THREAD_H
#define CONTROL_THREAD_H

#include <stdbool.h>

#include <rte_lcore.h>
#include <rte_thread.h>
#include <rte_version.h>

#define CONTROL_THREAD_NEW (RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)) /* later releases lack the older function */

struct control_thread {
#if CONTROL_THREAD_NEW
	rte_thread_t id;
#else
	pthread_t id;
#endif
	void (*body)(void);
};

#if CONTROL_THREAD_NEW
static inline uint32_t control_thread_run(void *thread)
{
	((struct control_thread *)thread)->body();
	return 0;
}
#else
static inline void *control_thread_run(void *thread)
{
	((struct control_thread *)thread)->body();
	return NULL;
}
#endif

/* name: at most 10 characters. *thread must stay valid until the thread is joined. */
static inline bool control_thread_start(struct control_thread *thread, const char *name, void (*body)(void))
{
	thread->body = body;
#if CONTROL_THREAD_NEW
	return rte_thread_create_control(&thread->id, name, control_thread_run, thread) == 0;
#else
	return rte_ctrl_thread_create(&thread->id, name, NULL, control_thread_run, thread) == 0;
#endif
}

static inline void control_thread_join(struct control_thread *thread)
{
#if CONTROL_THREAD_NEW
	(void)rte_thread_join(thread->id, NULL);
#else
	(void)pthread_join(thread->id, NULL);
#endif
}

#endif
