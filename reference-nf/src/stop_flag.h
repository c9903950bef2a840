/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether the program is to end. Signal handlers and the gate's finish set it; every lcore reads it. Lock-free, so that
 * a signal handler may set it, and atomic, because other threads read it at the same time. It orders nothing else.
 */
#ifndef STOP_FLAG_H
#define STOP_FLAG_H

#include <stdbool.h>

struct stop_flag {
	int set;
};

static inline bool stop_flag_is_set(const struct stop_flag *flag)
{
	return __atomic_load_n(&flag->set, __ATOMIC_RELAXED) != 0;
}

static inline void stop_flag_set(struct stop_flag *flag)
{
	__atomic_store_n(&flag->set, 1, __ATOMIC_RELAXED);
}

#endif
