/* SPDX-License-Identifier: BSD-3-Clause */
#include "packet/icmp_error.h"
#include "lb/lb_error.h"
#include "lb/lb_packet.h"

static struct lb_end end_of(const struct icmp_error *e, enum icmp_error_end end)
{
	return (struct lb_end){icmp_error_address(e, end), icmp_error_port(e, end)};
}

/* Finds the connection of the quoted packet. The key of its reply is the packet's key with ends exchanged. */
static uint32_t find(const struct lb_connections *c, enum lb_side side, const struct icmp_error *e)
{
	struct flow_key key = lb_key(e->protocol, end_of(e, ICMP_ERROR_DESTINATION), end_of(e, ICMP_ERROR_SOURCE));
	return lb_connections_find_one(c, side, &key);
}

/* About a reply, from the client's side: the error goes to the back end. */
static void to_backend(const struct lb_connection *c, uint8_t *frame, const struct packet *p,
		       const struct icmp_error *e)
{
	struct lb_end backend = lb_source(&c->from[LB_BACKEND]);

	icmp_error_rewrite(frame, p, e, ICMP_ERROR_SOURCE, backend.address, backend.port);
	icmp_error_rewrite_address(frame, IPV4_DESTINATION_AT, backend.address);
}

/* About a client's packet, from the back end or a router before it: the service's address hides the back end's. */
static void to_client(const struct lb_connection *c, uint8_t *frame, const struct packet *p, const struct icmp_error *e)
{
	struct lb_end service = lb_destination(&c->from[LB_CLIENT]), backend = lb_source(&c->from[LB_BACKEND]);

	icmp_error_rewrite(frame, p, e, ICMP_ERROR_DESTINATION, service.address, service.port);
	if (load32(frame + IPV4_SOURCE_AT) == backend.address)
		icmp_error_rewrite_address(frame, IPV4_SOURCE_AT, service.address);
}

bool lb_error_translate(const struct lb_connections *c, const struct lb_tables *t, uint8_t *frame,
			const struct packet *p)
{
	bool to_service = lb_find_service(t, lb_service_key(load32(frame + IPV4_DESTINATION_AT), 0, 0)) != LB_NONE;
	struct icmp_error e;

	if (icmp_error_parse(frame, p, &e) != ICMP_ERROR_SOUND || e.protocol == IPPROTO_ICMP)
		return false;
	uint32_t record = find(c, to_service ? LB_CLIENT : LB_BACKEND, &e);
	if (record == LB_NO_CONNECTION)
		return false;
	if (to_service)
		to_backend(&c->records[record], frame, p, &e);
	else
		to_client(&c->records[record], frame, p, &e);
	return true;
}
