/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPENFLOW_INTERPRET_H
#define OPENFLOW_INTERPRET_H

#include "openflow/openflow_actions.h"
#include "openflow/openflow_table.h"

/* A packet on its way through the tables. */
struct openflow_packet {
	uint8_t *frame;
	const struct packet *parsed;
	uint32_t bytes;
	uint32_t in_port;
	uint64_t now_ns;
};

enum openflow_outcome openflow_interpret(const struct openflow_tables *tables, struct openflow_row *row,
					 const struct openflow_packet *packet);

/* Executes an action set: its actions in the standard's order. Of group and output the group is executed alone. */
enum openflow_outcome openflow_execute(const struct openflow_settings *settings, struct openflow_row *row,
				       const struct openflow_action_set *set, uint8_t *frame, const struct packet *parsed);

/* The generator's packets come from no port of EAL's: they are port 1, as what comes from EAL's first. */
static inline uint32_t openflow_in_port(const struct rte_mbuf *m)
{
	return m->port == RTE_MBUF_PORT_INVALID ? 1 : m->port + 1u;
}

#endif
