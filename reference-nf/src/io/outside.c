/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>

#include <rte_ethdev.h>

#include "packet/batch.h"
#include "io/offload.h"
#include "io/outside.h"

uint32_t outside_buffers(uint32_t queues, uint32_t rx_queues)
{
	return OUTSIDE_MAX_PORTS * OUTSIDE_DESCRIPTORS * (queues + rx_queues);
}

static bool refuse(uint16_t id, const char *what, int error)
{
	fprintf(stderr, "io: port %u: %s: %s\n", id, what, rte_strerror(-error));
	return false;
}

static bool has_queues(uint16_t id, uint32_t queues, uint32_t rx_queues, struct rte_eth_dev_info *info)
{
	int error = rte_eth_dev_info_get(id, info);

	if (error != 0)
		return refuse(id, "does not describe itself", error);
	if (info->max_rx_queues < rx_queues) {
		fprintf(stderr, "io: port %u (%s) has %u receive queues, but %u lcores receive: fewer [model] workers, or leave "
			"rss out of [io] offload\n", id, info->driver_name, info->max_rx_queues, rx_queues);
		return false;
	}
	if (info->max_tx_queues >= queues)
		return true;
	fprintf(stderr, "io: port %u (%s) has %u transmit queues, but this model has %u lcores that send: fewer [model] "
		"workers, or more queues (af_packet: qpairs=%u)\n", id, info->driver_name, info->max_tx_queues, queues, queues);
	return false;
}

static bool set_up_queues(uint16_t id, const struct outside_settings *s)
{
	uint16_t receive = OUTSIDE_DESCRIPTORS, transmit = OUTSIDE_DESCRIPTORS;
	unsigned int socket = rte_socket_id();
	int error = rte_eth_dev_adjust_nb_rx_tx_desc(id, &receive, &transmit);

	for (uint16_t q = 0; q < s->rx_queues && error == 0; q++)
		error = rte_eth_rx_queue_setup(id, q, receive, socket, NULL, s->pool);
	for (uint16_t q = 0; q < s->queues && error == 0; q++)
		error = rte_eth_tx_queue_setup(id, q, transmit, socket, NULL);
	return error == 0 || refuse(id, "cannot set up its queues", error);
}

static const struct {
	enum offload offload;
	uint64_t capability;
	const char *name;
} offers[] = {
	{OFFLOAD_CHECKSUM, RTE_ETH_RX_OFFLOAD_IPV4_CKSUM, "checksum"},
	{OFFLOAD_HASH, RTE_ETH_RX_OFFLOAD_RSS_HASH, "hash"},
};

/* Asks the port for what it is to do with received packets; refuses one that cannot. */
static bool ask_for(uint16_t id, uint32_t offload, const struct rte_eth_dev_info *info, struct rte_eth_conf *conf)
{
	for (uint32_t i = 0; i < RTE_DIM(offers); i++) {
		if ((offload & offers[i].offload) == 0)
			continue;
		if ((info->rx_offload_capa & offers[i].capability) == 0) {
			fprintf(stderr, "io: port %u (%s) does not offer %s: leave it out of [io] offload\n", id, info->driver_name,
				offers[i].name);
			return false;
		}
		conf->rxmode.offloads |= offers[i].capability;
	}
	if ((offload & OFFLOAD_RSS) != 0 && info->flow_type_rss_offloads == 0) {
		fprintf(stderr, "io: port %u (%s) does not offer rss: leave it out of [io] offload\n", id, info->driver_name);
		return false;
	}
	if ((offload & (OFFLOAD_HASH | OFFLOAD_RSS)) != 0) {
		conf->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
		conf->rx_adv_conf.rss_conf.rss_hf = (RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP) & info->flow_type_rss_offloads;
	}
	return true;
}

static bool open_port(uint16_t id, const struct outside_settings *s)
{
	struct rte_eth_conf conf = {0};
	struct rte_eth_dev_info info;

	if (!has_queues(id, s->queues, s->rx_queues, &info) || !ask_for(id, s->offload, &info, &conf))
		return false;
	int error = rte_eth_dev_configure(id, (uint16_t)s->rx_queues, (uint16_t)s->queues, &conf);
	if (error != 0)
		return refuse(id, "cannot be configured", error);
	if (!set_up_queues(id, s))
		return false;
	error = rte_eth_dev_start(id);
	if (error != 0)
		return refuse(id, "does not start", error);
	(void)rte_eth_promiscuous_enable(id); /* where the port can: the NF takes frames to any address */
	return true;
}

bool outside_open(struct outside *o, const struct outside_settings *s)
{
	uint16_t id;

	*o = (struct outside){.stop = s->stop, .limit = s->limit, .rx_queues = s->rx_queues};
	RTE_ETH_FOREACH_DEV(id) {
		if (o->ports == OUTSIDE_MAX_PORTS)
			break;
		if (!open_port(id, s))
			return false;
		o->ids[o->ports++] = id;
	}
	if (o->ports == 0)
		fprintf(stderr, "[io] port = eal: EAL has no port; give it a NIC (-a ADDRESS) or a virtual one, like "
				"--vdev net_memif0,role=client\n");
	return o->ports != 0;
}

void outside_close(struct outside *o)
{
	for (uint32_t i = 0; i < o->ports; i++) {
		(void)rte_eth_dev_stop(o->ids[i]);
		(void)rte_eth_dev_close(o->ids[i]);
	}
}

static const char *port_name(uint16_t id, char name[RTE_ETH_NAME_MAX_LEN])
{
	return rte_eth_dev_get_name_by_port(id, name) == 0 ? name : "?";
}

void outside_describe(const struct outside *o, char *text, size_t size)
{
	char a[RTE_ETH_NAME_MAX_LEN], b[RTE_ETH_NAME_MAX_LEN];

	if (o->ports == 1)
		snprintf(text, size, "from and to port %s", port_name(o->ids[0], a));
	else
		snprintf(text, size, "between ports %s and %s", port_name(o->ids[0], a), port_name(o->ids[1], b));
}

uint16_t outside_receive(struct outside *o, uint16_t queue, struct rte_mbuf *mbufs[], uint16_t count)
{
	uint16_t *next = &o->queues[queue].port, id = o->ids[*next];
	_Atomic uint64_t *received = &o->queues[queue].received;
	uint64_t left = outside_left(o);

	if (stop_flag_is_set(o->stop) || left == 0)
		return 0;
	*next = (uint16_t)(*next + 1 == o->ports ? 0 : *next + 1);
	count = rte_eth_rx_burst(id, queue, mbufs, left < count ? (uint16_t)left : count);
	atomic_store_explicit(received, atomic_load_explicit(received, memory_order_relaxed) + count, memory_order_relaxed);
	return count;
}

static inline uint16_t send_by(uint16_t id, uint16_t queue, struct rte_mbuf *mbufs[], uint16_t count)
{
	uint16_t sent = count == 0 ? 0 : rte_eth_tx_burst(id, queue, mbufs, count);

	if (sent < count)
		rte_pktmbuf_free_bulk(mbufs + sent, count - sent);
	return sent;
}

static bool came_by_one_port(struct rte_mbuf *const mbufs[], uint32_t count)
{
	uint32_t others = 0;

	for (uint32_t i = 1; i < count; i++)
		others |= (uint32_t)(mbufs[i]->port ^ mbufs[0]->port);
	return others == 0;
}

uint16_t outside_send(const struct outside *o, uint16_t queue, struct rte_mbuf *mbufs[], uint16_t count)
{
	struct rte_mbuf *by[OUTSIDE_MAX_PORTS][BATCH_MAX];
	uint16_t counts[OUTSIDE_MAX_PORTS] = {0};

	if (o->ports == 1)
		return send_by(o->ids[0], queue, mbufs, count);
	if (count != 0 && came_by_one_port(mbufs, count))
		return send_by(o->ids[mbufs[0]->port == o->ids[0] ? 1 : 0], queue, mbufs, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t to = mbufs[i]->port == o->ids[0] ? 1 : 0;
		by[to][counts[to]++] = mbufs[i];
	}
	return (uint16_t)(send_by(o->ids[0], queue, by[0], counts[0]) + send_by(o->ids[1], queue, by[1], counts[1]));
}

void outside_print(FILE *out, const struct outside *o)
{
	fprintf(out, ",\"ports\":[");
	for (uint32_t i = 0; i < o->ports; i++) {
		char name[RTE_ETH_NAME_MAX_LEN];
		struct rte_eth_stats stats = {0};
		(void)rte_eth_stats_get(o->ids[i], &stats);
		fprintf(out, "%s{\"name\":\"%s\",\"received\":%" PRIu64 ",\"missed\":%" PRIu64 ",\"receive_errors\":%" PRIu64
			     ",\"no_buffer\":%" PRIu64 ",\"transmitted\":%" PRIu64 ",\"transmit_errors\":%" PRIu64 "}",
			i == 0 ? "" : ",", port_name(o->ids[i], name), stats.ipackets, stats.imissed, stats.ierrors,
			stats.rx_nombuf, stats.opackets, stats.oerrors);
	}
	fprintf(out, "]");
}
