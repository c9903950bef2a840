/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The subscribers of the service model (docs/traffic.md, Profile upf): their addresses, bearers and tunnels, each by
 * number, so that sessions and traffic are made for the same ones.
 */
#ifndef UPF_SUBSCRIBERS_H
#define UPF_SUBSCRIBERS_H

#include <arpa/inet.h>

#include "config/config.h"
#include "session/upf_rules.h"

#define UPF_SUBSCRIBERS 600000u /* of the whole model; [traffic] scale divides them */
#define UPF_DYNAMIC_POLICIES 10u
#define UPF_STATIC_POLICIES 40u
#define UPF_DEDICATED_OF_5 3u	   /* three of five have a second bearer: 1.6 in the mean */
#define UPF_DYNAMIC_PORT 5000u	   /* of the far side; one of its own for each dynamic policy */
#define UPF_ACCESS_NODES 64u
#define UPF_SUBSCRIBER_KBIT 50000u /* what a subscriber may send, and receive, a second */

struct upf_subscribers {
	uint32_t count;
	struct ipv4_prefix clients; /* whose addresses they have */
	struct ipv4_prefix access;  /* whose addresses the access nodes have */
	uint32_t n3;		    /* this end of their tunnels, as in a packet */
};

/* [network] n3. Mistakes go to config. */
uint32_t upf_read_n3(struct config *config);

/* [traffic] scale, [network] inside, access and n3. Mistakes go to config. */
void upf_subscribers_configure(struct upf_subscribers *subscribers, struct config *config);
/* Whether there are addresses for them; mistakes go to config. */
void upf_subscribers_check(const struct upf_subscribers *subscribers, struct config *config);

static inline uint32_t upf_subscriber_address(const struct upf_subscribers *s, uint32_t number)
{
	return htonl(s->clients.address + number + 1);
}

static inline bool upf_has_dedicated(uint32_t number)
{
	return number % 5 < UPF_DEDICATED_OF_5;
}

/* Bearers of all subscribers before this one, and its own with `number + 1`. */
static inline uint32_t upf_bearers_before(uint32_t number)
{
	uint32_t rest = number % 5;
	return number + number / 5 * UPF_DEDICATED_OF_5 + (rest < UPF_DEDICATED_OF_5 ? rest : UPF_DEDICATED_OF_5);
}

/* bearer: 0, the default one; 1, the dedicated one. */
static inline uint32_t upf_subscriber_teid(uint32_t number, uint32_t bearer)
{
	return (number * 2 + bearer) + 1;
}

static inline uint32_t upf_access_node(const struct upf_subscribers *s, uint32_t number)
{
	return htonl(s->access.address + number % UPF_ACCESS_NODES + 1);
}

/* The dynamic policy that a subscriber with a dedicated bearer has. */
static inline uint32_t upf_dynamic_policy(uint32_t number)
{
	return number / 5 % UPF_DYNAMIC_POLICIES;
}

/* The rules of its session. */
void upf_subscriber_rules(const struct upf_subscribers *subscribers, uint32_t number, struct upf_rules *rules);

#endif
