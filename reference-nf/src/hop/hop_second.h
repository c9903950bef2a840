/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The second of two NFs in series: this program again, as a process of its own, behind the hop.
 */
#ifndef HOP_SECOND_H
#define HOP_SECOND_H

#include <stdbool.h>
#include <sys/types.h>

#include "hop/hop_settings.h"

struct hop_second {
	pid_t pid; /* 0: none */
};

/* Starts it with EAL's arguments of this process, eal[0] to eal[count - 1], on a CPU that these do not name, if this
 * process may run on one. It ends with this process. Call it before EAL starts, which binds this thread. false: reported
 * on stderr. */
bool hop_second_start(struct hop_second *second, const struct hop_settings *settings, char *const eal[], int count);
/* Ends it, after its last packet has come back. false: it failed; reported on stderr. */
bool hop_second_end(struct hop_second *second);

#endif
