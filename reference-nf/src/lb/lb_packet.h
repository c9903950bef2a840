/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rewrites packets for the load balancer. Only the stage's own files include it.
 */
#ifndef LB_PACKET_H
#define LB_PACKET_H

#include "packet/batch.h"
#include "packet/checksum.h"
#include "packet/icmp_error.h"
#include "lb/lb_connections.h"

/* Replaces the service by the back end as destination of a client's packet, or the back end by the service as source of
 * a reply. */
static inline void lb_rewrite(uint8_t *frame, const struct packet *p, const struct lb_connection *c, enum lb_side from)
{
	uint8_t *ip_check = frame + ETHER_BYTES + 10, *l4 = frame + p->l4;
	bool to_backend = from == LB_CLIENT;
	struct lb_end end = to_backend ? lb_source(&c->from[LB_BACKEND]) : lb_destination(&c->from[LB_CLIENT]);
	uint16_t ip_delta = to_backend ? c->ip_delta : checksum_back(c->ip_delta);
	uint16_t l4_delta = to_backend ? c->l4_delta : checksum_back(c->l4_delta);

	memcpy(frame + (to_backend ? IPV4_DESTINATION_AT : IPV4_SOURCE_AT), &end.address, sizeof(end.address));
	store16(l4 + (to_backend ? 2 : 0), end.port);
	store16(ip_check, checksum_apply_folded(load16(ip_check), ip_delta));
	if (p->protocol == IPPROTO_TCP)
		store16(l4 + 16, checksum_apply_folded(load16(l4 + 16), l4_delta));
	else
		store16(l4 + 6, checksum_apply_udp_folded(load16(l4 + 6), l4_delta));
}

#endif
