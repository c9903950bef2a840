/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "session/upf_subscribers.h"

enum { FAR_UP = 1, FAR_DOWN, FAR_DOWN_DEDICATED };
enum { PRECEDENCE_DEDICATED = 100, PRECEDENCE_STATIC = 200, PRECEDENCE_DEFAULT = 255 };

uint32_t upf_read_n3(struct config *config)
{
	const char *text = config_text(config, "network", "n3", "192.0.2.254");
	uint32_t address = 0;

	if (inet_pton(AF_INET, text, &address) != 1 || address == 0)
		config_mistake(config, "network", "n3", "expected the IPv4 address of this end of the tunnels");
	return address;
}

void upf_subscribers_configure(struct upf_subscribers *s, struct config *config)
{
	uint32_t scale = (uint32_t)config_u64(config, "traffic", "scale", 1, 1, UPF_SUBSCRIBERS);

	s->count = UPF_SUBSCRIBERS / scale;
	s->clients = config_prefix(config, "network", "inside", "10.0.0.0/8");
	s->access = config_prefix(config, "network", "access", "192.0.2.0/24");
	s->n3 = upf_read_n3(config);
}

void upf_subscribers_check(const struct upf_subscribers *s, struct config *config)
{
	if (~ipv4_mask(s->clients.length) < s->count + 1)
		config_mistake(config, "network", "inside", "has fewer addresses than there are subscribers (%u)", s->count);
	if (~ipv4_mask(s->access.length) < UPF_ACCESS_NODES + 1)
		config_mistake(config, "network", "access", "has fewer addresses than there are access nodes (%u)",
			       UPF_ACCESS_NODES);
}

static struct upf_pdr_terms *add_pdr(struct upf_rules *r, uint32_t precedence, uint32_t far)
{
	struct upf_pdr_terms *p = &r->pdrs[r->pdr_count++];

	*p = (struct upf_pdr_terms){
		.id = r->pdr_count,
		.precedence = precedence,
		.far = far,
		.qer_count = 1,
		.qers = {1},
		.urr_count = 1,
		.urrs = {1},
	};
	return p;
}

static void add_uplink(struct upf_rules *r, const struct upf_ue *ue, uint32_t teid, uint32_t precedence, bool predefined)
{
	struct upf_pdr_terms *p = add_pdr(r, precedence, FAR_UP);

	p->side = UPF_ACCESS;
	p->teid = teid;
	p->ue = *ue;
	p->predefined = predefined;
}

static void add_downlink(struct upf_rules *r, const struct upf_ue *ue, uint32_t precedence, uint32_t far)
{
	struct upf_pdr_terms *p = add_pdr(r, precedence, far);

	p->side = UPF_CORE;
	p->ue = *ue;
}

static void add_far(struct upf_rules *r, uint32_t id, enum upf_side to, uint32_t teid, uint32_t peer)
{
	r->fars[r->far_count++] = (struct upf_far_terms){
		.id = id,
		.action = UPF_FORWARD,
		.to = to,
		.teid = teid,
		.peer = peer,
	};
}

static void add_qer(struct upf_rules *r, uint32_t id, uint8_t qfi)
{
	r->qers[r->qer_count++] = (struct upf_qer_terms){
		.id = id,
		.kbit = {UPF_SUBSCRIBER_KBIT, UPF_SUBSCRIBER_KBIT},
		.qfi = qfi,
	};
}

static void add_urr(struct upf_rules *r, uint32_t id)
{
	r->urrs[r->urr_count++] = (struct upf_urr_terms){
		.id = id,
		.threshold = {UPF_NO_VOLUME, UPF_NO_VOLUME, UPF_NO_VOLUME},
		.quota = UPF_NO_VOLUME,
	};
}

/* UDP from a port of the far side, in both directions; with a rate, a count and a flow identifier of its own. */
static void add_dedicated(struct upf_rules *r, const struct upf_ue *ue, uint32_t number)
{
	uint16_t port = (uint16_t)(UPF_DYNAMIC_PORT + upf_dynamic_policy(number));
	uint32_t first = r->pdr_count;

	add_qer(r, 2, 2);
	add_urr(r, 2);
	add_uplink(r, ue, upf_subscriber_teid(number, 1), PRECEDENCE_DEDICATED, false);
	add_downlink(r, ue, PRECEDENCE_DEDICATED, FAR_DOWN_DEDICATED);
	for (uint32_t i = first; i < r->pdr_count; i++) {
		struct upf_pdr_terms *p = &r->pdrs[i];
		struct dpi_tuple *filter = &p->filters[p->filter_count++];
		uint16_t *ports = p->side == UPF_ACCESS ? filter->destination_ports : filter->source_ports;
		filter->versions = DPI_IPV4;
		filter->protocol = IPPROTO_UDP;
		filter->source_ports[1] = filter->destination_ports[1] = UINT16_MAX;
		ports[0] = ports[1] = port;
		p->qers[0] = p->urrs[0] = 2;
	}
}

void upf_subscriber_rules(const struct upf_subscribers *s, uint32_t number, struct upf_rules *r)
{
	const struct upf_ue ue = {.ipv4 = upf_subscriber_address(s, number), .versions = DPI_IPV4};
	uint32_t node = upf_access_node(s, number);

	r->pdr_count = r->far_count = r->qer_count = r->urr_count = 0;
	add_far(r, FAR_UP, UPF_CORE, 0, 0);
	add_far(r, FAR_DOWN, UPF_ACCESS, upf_subscriber_teid(number, 0), node);
	add_qer(r, 1, 1);
	add_urr(r, 1);
	add_uplink(r, &ue, upf_subscriber_teid(number, 0), PRECEDENCE_STATIC, true);
	add_uplink(r, &ue, upf_subscriber_teid(number, 0), PRECEDENCE_DEFAULT, false);
	add_downlink(r, &ue, PRECEDENCE_DEFAULT, FAR_DOWN);
	if (!upf_has_dedicated(number))
		return;
	add_far(r, FAR_DOWN_DEDICATED, UPF_ACCESS, upf_subscriber_teid(number, 1), node);
	add_dedicated(r, &ue, number);
}
