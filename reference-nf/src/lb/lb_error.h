/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ICMP errors about the load balancer's connections, in both directions, which path MTU discovery needs.
 */
#ifndef LB_ERROR_H
#define LB_ERROR_H

#include "lb/lb_connections.h"
#include "lb/lb_table.h"
#include "packet/packet.h"

/* Translates an error about a connection, without refreshing or ending the connection. false: it is about none. */
bool lb_error_translate(const struct lb_connections *connections, const struct lb_tables *tables, uint8_t *frame,
			const struct packet *p);

#endif
