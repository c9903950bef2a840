/* SPDX-License-Identifier: BSD-3-Clause
 *
 * SIGHUP: the configuration is read and checked again, and its routes, rules and back ends take effect while packets
 * pass. A control thread builds new tables, publishes them, waits until no lcore can hold the old ones, and destroys
 * those. A configuration with mistakes changes nothing, nor do tables that cannot be built.
 */
#ifndef RELOAD_H
#define RELOAD_H

#include <rte_rcu_qsbr.h>

#include "settings.h"

struct reload_parts {
	struct chain *chain;
	const struct settings *settings; /* from which the chain was made; they live as long as it does */
	const struct options *options;
	struct rte_rcu_qsbr *readers; /* the lcores */
};

/* Call it before any signal may arrive. Requests before reload_open() are kept. false: reported on stderr. */
bool reload_prepare(void);
/* Requests a reload; requests during a reload count as one. Async-signal-safe. */
void reload_ask(void);

/* Starts the control thread. false: reported on stderr. */
bool reload_open(const struct reload_parts *parts);
/* Waits for a reload in progress, then ends the thread. */
void reload_close(void);
/* Frees the settings of the last reload. Call it after the chain's end. */
void reload_release(void);

/* How many took effect, and how many were refused. */
void reload_count(uint64_t *done, uint64_t *refused);

#endif
