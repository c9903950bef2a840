/* SPDX-License-Identifier: BSD-3-Clause */
#define ALLOW_EXPERIMENTAL_API /* of rte_ip_frag: expiry, and cutting into packet buffers of one segment */

#include <stdio.h>

#include <rte_lcore.h>
#include <rte_mbuf.h>

#include "io/fragments.h"
#include "packet/batch.h"

#define NS_PER_MS UINT64_C(1000000)
#define AT_FRAGMENT (ETHER_BYTES + 6u)
#define BUCKET_ENTRIES 4u
#define PREFETCH_FREED 3u

struct fragments_settings fragments_configure(struct config *config)
{
	static const char *const ways[] = {"pass", "reassemble", NULL};
	bool reassembles = config_choice(config, "io", "fragments", "pass", ways) == 1;
	struct fragments_settings s = {
		.datagrams = (uint32_t)config_u64(config, "io", "fragment_datagrams", 256, 1, 1u << 16),
		.timeout_ns = config_u64(config, "io", "fragment_timeout_ms", 30000, 1, 3600000) * NS_PER_MS,
	};

	if (!reassembles)
		s.datagrams = 0;
	else if (strcmp(config_text(config, "hop", "buffers", "none"), "none") != 0)
		config_mistake(config, "io", "fragments", "reassemble does not go with [hop] buffers: a datagram may be longer "
							  "than a slot");
	return s;
}

struct fragments *fragments_open(const struct fragments_settings *settings, struct rte_mempool *pool)
{
	struct fragments *f = rte_zmalloc("fragments", sizeof(*f), 64);

	if (f != NULL) {
		f->pool = pool;
		f->table = rte_ip_frag_table_create(settings->datagrams, BUCKET_ENTRIES, settings->datagrams,
						    settings->timeout_ns, (int)rte_socket_id());
		if (f->table != NULL)
			return f;
	}
	fprintf(stderr, "io: no memory for %u incomplete datagrams; give EAL more (-m)\n", settings->datagrams);
	rte_free(f);
	return NULL;
}

void fragments_close(struct fragments *f)
{
	rte_ip_frag_table_destroy(f->table);
	rte_free(f);
}

static inline bool is_fragment(struct rte_mbuf *m)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	struct packet packet;

	if (m->data_len < ETHER_BYTES + IPV4_MIN_BYTES || load_be16(frame + 12) != RTE_ETHER_TYPE_IPV4 ||
	    (load_be16(frame + AT_FRAGMENT) & 0x3fff) == 0)
		return false;
	packet_parse(frame, m->data_len, &packet);
	return packet.kind == PACKET_FRAGMENT;
}

/* Frees what the table gave up. Returns how many fragments. */
static uint32_t free_gone(struct fragments *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->gone.cnt; i++) /* some are chained already */
		n += f->gone.row[i]->nb_segs;
	if (n != 0)
		rte_ip_frag_free_death_row(&f->gone, PREFETCH_FREED);
	return n;
}

static void write_sum(struct rte_ipv4_hdr *ip)
{
	ip->hdr_checksum = 0;
	ip->hdr_checksum = rte_ipv4_cksum(ip);
}

/* One segment, a right header, and nothing of what a NIC said of the first fragment. */
static bool make_whole(struct rte_mbuf *m)
{
	if (m->pkt_len > FRAGMENTS_FRAME_BYTES || rte_pktmbuf_linearize(m) != 0)
		return false;
	m->ol_flags = 0;
	m->tx_offload = 0;
	m->hash.usr = 0;
	write_sum(packet_ipv4(rte_pktmbuf_mtod(m, uint8_t *)));
	return true;
}

/* The datagram that this fragment completes, or NULL. */
static struct rte_mbuf *add(struct fragments *f, struct rte_mbuf *m, uint64_t now_ns)
{
	struct rte_ipv4_hdr *ip = packet_ipv4(rte_pktmbuf_mtod(m, uint8_t *));

	m->l2_len = ETHER_BYTES;
	m->l3_len = rte_ipv4_hdr_len(ip);
	struct rte_mbuf *whole = rte_ipv4_frag_reassemble_packet(f->table, &f->gone, m, now_ns, ip);
	f->received++;
	f->refused += free_gone(f);
	if (whole == NULL)
		return NULL;
	uint32_t parts = whole->nb_segs;
	if (!make_whole(whole)) {
		batch_free(&whole, 1);
		f->refused += parts;
		return NULL;
	}
	f->merged += parts;
	f->datagrams++;
	return whole;
}

uint32_t fragments_gather(struct fragments *f, struct rte_mbuf *mbufs[], uint32_t n, uint64_t now_ns)
{
	uint32_t kept = 0, expired;

	do { /* a call gives up no more than there is room for */
		rte_ip_frag_table_del_expired_entries(f->table, &f->gone, now_ns);
		expired = free_gone(f);
		f->expired += expired;
	} while (expired != 0);
	for (uint32_t i = 0; i < n; i++) {
		struct rte_mbuf *m = is_fragment(mbufs[i]) ? add(f, mbufs[i], now_ns) : mbufs[i];
		if (m != NULL)
			mbufs[kept++] = m;
	}
	return kept;
}

/* Gives a part the frame's Ethernet header, and its own header's sum. */
static void finish_part(struct rte_mbuf *part, const uint8_t *ethernet, uint16_t unbroken)
{
	struct rte_ipv4_hdr *ip = rte_pktmbuf_mtod(part, struct rte_ipv4_hdr *);

	ip->fragment_offset |= unbroken;
	write_sum(ip);
	memcpy(rte_pktmbuf_prepend(part, ETHER_BYTES), ethernet, ETHER_BYTES);
	part->ol_flags = 0;
	part->hash.usr = 0;
}

uint32_t fragments_cut(struct fragments *f, uint32_t queue, struct rte_mbuf *m, struct rte_mbuf *parts[FRAGMENTS_PARTS])
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	struct rte_ipv4_hdr *ip = packet_ipv4(rte_pktmbuf_mtod(m, uint8_t *));
	uint16_t unbroken = ip->fragment_offset & rte_cpu_to_be_16(RTE_IPV4_HDR_DF_FLAG);
	int32_t n = -1;

	if (load_be16(frame + 12) == RTE_ETHER_TYPE_IPV4) {
		ip->fragment_offset &= (uint16_t)~rte_cpu_to_be_16(RTE_IPV4_HDR_DF_FLAG); /* which came in fragments */
		rte_pktmbuf_adj(m, ETHER_BYTES);
		n = rte_ipv4_fragment_copy_nonseg_packet(m, parts, FRAGMENTS_PARTS, FRAGMENTS_MTU, f->pool);
	}
	for (int32_t i = 0; i < n; i++)
		finish_part(parts[i], frame, unbroken);
	batch_free(&m, 1);
	if (n <= 0)
		return 0;
	f->added[queue].frames += (uint32_t)n - 1;
	return (uint32_t)n;
}

void fragments_reset(struct fragments *f)
{
	f->received = fragments_held(f);
	f->merged = f->expired = f->refused = f->datagrams = 0;
	memset(f->added, 0, sizeof(f->added));
}

uint64_t fragments_added(const struct fragments *f)
{
	uint64_t sum = 0;

	for (uint32_t q = 0; q < FRAGMENTS_QUEUES; q++)
		sum += f->added[q].frames;
	return sum;
}
