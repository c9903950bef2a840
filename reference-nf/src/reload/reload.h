/* SPDX-License-Identifier: BSD-3-Clause
 *
 * SIGHUP: the configuration is read and checked again, and what it says of routes, rules and back ends takes effect
 * while packets pass. A control thread builds new tables beside the old ones, publishes them, waits until no lcore can
 * hold the old ones, and destroys those. A configuration with mistakes, and tables that cannot be built, change nothing.
 */
#ifndef RELOAD_H
#define RELOAD_H

#include <rte_rcu_qsbr.h>

#include "settings.h"

struct reload_parts {
	struct chain *chain;
	const struct settings *settings; /* the chain was made of; they live as long as it does */
	const struct options *options;
	struct rte_rcu_qsbr *readers; /* the lcores */
};

/* Before any signal may come. Until reload_open() requests are remembered. false: said on stderr. */
bool reload_prepare(void);
/* Asks for a reload; requests that come while one is under way are one. May be called by a signal handler. */
void reload_ask(void);

/* Starts the control thread. false: said on stderr. */
bool reload_open(const struct reload_parts *parts);
/* Waits for a reload that is under way, then ends the thread. */
void reload_close(void);
/* Releases what the last reload read; after the chain's end. */
void reload_release(void);

/* How many took effect, and how many were refused. */
void reload_count(uint64_t *done, uint64_t *refused);

#endif
