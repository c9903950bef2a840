/* SPDX-License-Identifier: BSD-3-Clause */
#define ALLOW_EXPERIMENTAL_API /* of rte_ip_frag: expiry, cutting into buffers of one segment; of rte_ip: next header */

#include <stdio.h>

#include <rte_bitops.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include "io/fragments.h"
#include "packet/batch.h"
#include "upf/upf_mark.h"

#define NS_PER_MS UINT64_C(1000000)
#define AT_FRAGMENT (ETHER_BYTES + 6u)
#define BUCKET_ENTRIES 4u
#define PREFETCH_FREED 3u
#define UNIT 8u /* of offsets */
#define FRAGMENT_HEADER_BYTES ((uint32_t)sizeof(struct rte_ipv6_fragment_ext))
#define IDENTIFIED (UINT64_C(1) << 32) /* in tx_offload, which no NIC reads without flags: the identification follows */
#define EXTENSIONS                                                                                                         \
	(RTE_BIT64(IPPROTO_HOPOPTS) | RTE_BIT64(IPPROTO_ROUTING) | RTE_BIT64(IPPROTO_FRAGMENT) | RTE_BIT64(IPPROTO_AH) |   \
	 RTE_BIT64(IPPROTO_DSTOPTS))

const char *const fragments_refusals[FRAGMENTS_REFUSALS] = {
	[FRAGMENTS_EMPTY] = "empty",	     [FRAGMENTS_UNEVEN] = "uneven",	  [FRAGMENTS_TOO_LONG] = "too_long",
	[FRAGMENTS_NO_ROOM] = "no_room", [FRAGMENTS_CONTRADICTS] = "contradicts",
};

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

/* Where version 4 has flags and offset, version 6 has the next header. May be true for others: the parser decides. */
static inline bool may_be_fragment(const uint8_t *frame, uint32_t bytes)
{
	if (bytes < ETHER_BYTES + IPV4_MIN_BYTES)
		return false;
	uint16_t type = load16(frame + 12);
	if (likely(type == RTE_BE16(RTE_ETHER_TYPE_IPV4)))
		return (load16(frame + AT_FRAGMENT) & RTE_BE16(0x3fff)) != 0;
	return type == RTE_BE16(RTE_ETHER_TYPE_IPV6) && (EXTENSIONS >> (frame[AT_FRAGMENT] & 63) & 1) != 0;
}

/* The version of IP, or 0: it is no fragment, or a NIC took it out of a tunnel. Such a one stays as it is, as without
 * the NIC's help: the mark of its tunnel is its own, and no datagram is made of packets of two tunnels. */
static inline uint8_t fragment_version(struct rte_mbuf *m)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	struct packet packet;

	if (likely(!may_be_fragment(frame, m->data_len)) || (m->ol_flags & upf_decapsulated) != 0)
		return 0;
	packet_parse(frame, m->data_len, &packet);
	return packet.kind == PACKET_FRAGMENT ? packet.version : 0;
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

static struct rte_mbuf *refuse_fragment(struct fragments *f, struct rte_mbuf *m, enum fragments_refusal why)
{
	f->refused[why] += m->nb_segs;
	batch_free(&m, 1);
	return NULL;
}

/* Why a fragment fits into no datagram of at most so many bytes of payload; FRAGMENTS_REFUSALS: it may fit. */
static enum fragments_refusal unfit(uint32_t offset, uint32_t bytes, bool more, uint32_t limit)
{
	if (bytes == 0)
		return FRAGMENTS_EMPTY;
	if (more && bytes % UNIT != 0)
		return FRAGMENTS_UNEVEN;
	return offset + bytes > limit ? FRAGMENTS_TOO_LONG : FRAGMENTS_REFUSALS;
}

/* The library gives up a fragment alone only where its datagram does not wait and cannot. */
static void count_gone(struct fragments *f)
{
	uint32_t n = free_gone(f);

	f->refused[n == 1 ? FRAGMENTS_NO_ROOM : FRAGMENTS_CONTRADICTS] += n;
}

/* One segment, and nothing of what a NIC said of the first fragment. NULL: refused. */
static struct rte_mbuf *make_whole(struct fragments *f, struct rte_mbuf *m)
{
	uint32_t parts = m->nb_segs;

	if (m->pkt_len > FRAGMENTS_FRAME_BYTES || rte_pktmbuf_linearize(m) != 0)
		return refuse_fragment(f, m, FRAGMENTS_TOO_LONG);
	m->ol_flags = 0;
	m->tx_offload = 0;
	m->hash.usr = 0;
	f->merged += parts;
	f->datagrams++;
	return m;
}

/* The datagram that this fragment completes, or NULL. */
static struct rte_mbuf *add_v4(struct fragments *f, struct rte_mbuf *m, uint64_t now_ns)
{
	struct rte_ipv4_hdr *ip = packet_ipv4(rte_pktmbuf_mtod(m, uint8_t *));
	uint32_t place = rte_be_to_cpu_16(ip->fragment_offset), header = rte_ipv4_hdr_len(ip);
	enum fragments_refusal why =
		unfit((place & RTE_IPV4_HDR_OFFSET_MASK) * UNIT, rte_be_to_cpu_16(ip->total_length) - header,
		      (place & RTE_IPV4_HDR_MF_FLAG) != 0, UINT16_MAX - header);

	if (why != FRAGMENTS_REFUSALS)
		return refuse_fragment(f, m, why);
	m->l2_len = ETHER_BYTES;
	m->l3_len = rte_ipv4_hdr_len(ip);
	m = rte_ipv4_frag_reassemble_packet(f->table, &f->gone, m, now_ns, ip);
	count_gone(f);
	if (m != NULL)
		m = make_whole(f, m);
	if (m != NULL)
		write_sum(packet_ipv4(rte_pktmbuf_mtod(m, uint8_t *)));
	return m;
}

/* The byte that announces a fragment's fragment header, and the bytes of headers before that one. */
static uint8_t *find_fragment_header(struct rte_ipv6_hdr *ip, uint32_t *at)
{
	uint8_t *next = &ip->proto;

	*at = IPV6_BYTES;
	while (*next != IPPROTO_FRAGMENT) {
		size_t length = 0;

		(void)rte_ipv6_get_next_ext((uint8_t *)ip + *at, *next, &length);
		next = (uint8_t *)ip + *at;
		*at += (uint32_t)length;
	}
	return next;
}

/* The library knows a fragment header only right behind the IPv6 header. So all before that is left in the headroom:
 * the Ethernet header, and `before` bytes of headers that lay between the two. */
static struct rte_ipv6_hdr *move_up(struct rte_mbuf *m, uint32_t before)
{
	uint8_t *at = rte_pktmbuf_mtod_offset(m, uint8_t *, ETHER_BYTES);
	struct rte_ipv6_hdr ip;

	memcpy(&ip, at, IPV6_BYTES);
	m->hash.fdir.lo = before << 8 | ip.proto;
	ip.payload_len = rte_cpu_to_be_16((uint16_t)(rte_be_to_cpu_16(ip.payload_len) - before));
	memmove(at, at + IPV6_BYTES, before);
	memcpy(at + before, &ip, IPV6_BYTES);
	return (struct rte_ipv6_hdr *)(void *)rte_pktmbuf_adj(m, (uint16_t)(ETHER_BYTES + before));
}

/* Undoes move_up() for the datagram of this first fragment, whose fragment header is gone. */
static void move_back(struct rte_mbuf *m)
{
	uint32_t before = m->hash.fdir.lo >> 8;
	struct rte_ipv6_hdr ip;

	memcpy(&ip, rte_pktmbuf_mtod(m, const uint8_t *), IPV6_BYTES);
	ip.proto = (uint8_t)m->hash.fdir.lo;
	ip.payload_len = rte_cpu_to_be_16((uint16_t)(rte_be_to_cpu_16(ip.payload_len) + before));
	uint8_t *frame = (uint8_t *)rte_pktmbuf_prepend(m, (uint16_t)(ETHER_BYTES + before));
	const uint8_t *was = frame - FRAGMENT_HEADER_BYTES;
	memmove(frame + ETHER_BYTES + IPV6_BYTES, was + ETHER_BYTES, before);
	memmove(frame, was, ETHER_BYTES);
	memcpy(frame + ETHER_BYTES, &ip, IPV6_BYTES);
}

/* An atomic fragment is a datagram of its own, whatever waits (RFC 6946). bytes: of its data. */
static struct rte_mbuf *strip(struct fragments *f, struct rte_mbuf *m, uint32_t bytes)
{
	uint8_t *ip = rte_pktmbuf_mtod(m, uint8_t *);

	((struct rte_ipv6_hdr *)(void *)ip)->payload_len = rte_cpu_to_be_16((uint16_t)bytes);
	rte_pktmbuf_trim(m, (uint16_t)(m->data_len - IPV6_BYTES - FRAGMENT_HEADER_BYTES - bytes));
	memmove(ip + FRAGMENT_HEADER_BYTES, ip, IPV6_BYTES);
	rte_pktmbuf_adj(m, FRAGMENT_HEADER_BYTES);
	f->atomic++;
	return m;
}

static struct rte_mbuf *add_v6(struct fragments *f, struct rte_mbuf *m, uint64_t now_ns)
{
	struct rte_ipv6_hdr *ip = packet_ipv6(rte_pktmbuf_mtod(m, uint8_t *));
	uint32_t at, identification;
	uint8_t *announced = find_fragment_header(ip, &at);
	struct rte_ipv6_fragment_ext header;

	memcpy(&header, (uint8_t *)ip + at, FRAGMENT_HEADER_BYTES);
	uint32_t place = rte_be_to_cpu_16(header.frag_data), before = at - IPV6_BYTES;
	uint32_t bytes = rte_be_to_cpu_16(ip->payload_len) - before - FRAGMENT_HEADER_BYTES;
	bool more = RTE_IPV6_GET_MF(place) != 0, atomic = place >> RTE_IPV6_EHDR_FO_SHIFT == 0 && !more;
	enum fragments_refusal why = unfit(place & RTE_IPV6_EHDR_FO_MASK, bytes, more, UINT16_MAX - before);

	if (!atomic && why != FRAGMENTS_REFUSALS)
		return refuse_fragment(f, m, why);
	*announced = header.next_header;
	ip = move_up(m, before);
	m->hash.fdir.hi = header.id;
	if (atomic) {
		m = strip(f, m, bytes);
	} else {
		m->l2_len = 0;
		m->l3_len = IPV6_BYTES + FRAGMENT_HEADER_BYTES;
		m = rte_ipv6_frag_reassemble_packet(f->table, &f->gone, m, now_ns, ip,
						    (struct rte_ipv6_fragment_ext *)(void *)(ip + 1));
		count_gone(f);
	}
	if (m == NULL)
		return NULL;
	identification = m->hash.fdir.hi;
	move_back(m);
	m = make_whole(f, m);
	if (m != NULL)
		m->tx_offload = IDENTIFIED | identification;
	return m;
}

static __rte_noinline struct rte_mbuf *add_fragment(struct fragments *f, struct rte_mbuf *m, uint8_t version, uint64_t now_ns)
{
	f->received++;
	return version == 4 ? add_v4(f, m, now_ns) : add_v6(f, m, now_ns);
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
		uint8_t version = fragment_version(mbufs[i]);
		struct rte_mbuf *m = version == 0 ? mbufs[i] : add_fragment(f, mbufs[i], version, now_ns);
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

static int32_t cut_v4(struct fragments *f, struct rte_mbuf *m, struct rte_mbuf *parts[])
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	struct rte_ipv4_hdr *ip = packet_ipv4(rte_pktmbuf_mtod(m, uint8_t *));
	uint16_t unbroken = ip->fragment_offset & rte_cpu_to_be_16(RTE_IPV4_HDR_DF_FLAG);

	ip->fragment_offset &= (uint16_t)~rte_cpu_to_be_16(RTE_IPV4_HDR_DF_FLAG); /* which came in fragments */
	rte_pktmbuf_adj(m, ETHER_BYTES);
	int32_t n = rte_ipv4_fragment_copy_nonseg_packet(m, parts, FRAGMENTS_PARTS, FRAGMENTS_MTU, f->pool);
	for (int32_t i = 0; i < n; i++)
		finish_part(parts[i], frame, unbroken);
	return n;
}

/* The bytes of headers that each part has: up to the last one that nodes on the way read (RFC 8200, 4.5). *announced:
 * where the header behind them is named. */
static uint32_t headers_of_parts(const uint8_t *ip, uint32_t end, uint32_t *announced)
{
	uint32_t common = IPV6_BYTES, at = IPV6_BYTES, named = offsetof(struct rte_ipv6_hdr, proto);
	size_t length = 0;

	*announced = named;
	while (at + UNIT <= end && ip[named] != IPPROTO_FRAGMENT &&
	       rte_ipv6_get_next_ext(ip + at, ip[named], &length) >= 0 && at + length <= end) {
		bool on_the_way = ip[named] == IPPROTO_HOPOPTS || ip[named] == IPPROTO_ROUTING;
		named = at;
		at += (uint32_t)length;
		if (on_the_way) {
			common = at;
			*announced = named;
		}
	}
	return common;
}

/* Only what came in fragments has an identification; a router cuts nothing else. */
static int32_t cut_v6(struct fragments *f, const struct rte_mbuf *m, struct rte_mbuf *parts[])
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *), *ip = frame + ETHER_BYTES;

	if ((m->tx_offload & IDENTIFIED) == 0)
		return -1;
	uint32_t announced, end = IPV6_BYTES + load_be16(ip + 4), head = headers_of_parts(ip, end, &announced);
	if (head + FRAGMENT_HEADER_BYTES + UNIT > FRAGMENTS_MTU)
		return -1;
	uint32_t room = (FRAGMENTS_MTU - head - FRAGMENT_HEADER_BYTES) / UNIT * UNIT, n = (end - head + room - 1) / room;
	if (n > FRAGMENTS_PARTS || rte_pktmbuf_alloc_bulk(f->pool, parts, n) != 0)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t from = i * room, bytes = RTE_MIN(room, end - head - from);
		struct rte_ipv6_fragment_ext header = {
			.next_header = ip[announced],
			.frag_data = rte_cpu_to_be_16((uint16_t)(from | (i + 1 < n))),
			.id = (rte_be32_t)m->tx_offload,
		};
		uint8_t *to = (uint8_t *)rte_pktmbuf_append(
			parts[i], (uint16_t)(ETHER_BYTES + head + FRAGMENT_HEADER_BYTES + bytes));
		memcpy(to, frame, ETHER_BYTES + head);
		to[ETHER_BYTES + announced] = IPPROTO_FRAGMENT;
		packet_ipv6(to)->payload_len =
			rte_cpu_to_be_16((uint16_t)(head - IPV6_BYTES + FRAGMENT_HEADER_BYTES + bytes));
		memcpy(to + ETHER_BYTES + head, &header, FRAGMENT_HEADER_BYTES);
		memcpy(to + ETHER_BYTES + head + FRAGMENT_HEADER_BYTES, ip + head + from, bytes);
		parts[i]->hash.usr = 0;
	}
	return (int32_t)n;
}

/* What follows the IP packet in its frame is no part of it. */
uint32_t fragments_cut(struct fragments *f, uint32_t queue, struct rte_mbuf *m, struct rte_mbuf *parts[FRAGMENTS_PARTS])
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	struct packet p;
	int32_t n = -1;

	packet_parse(frame, m->data_len, &p);
	if (p.kind < PACKET_MALFORMED) {
		rte_pktmbuf_trim(m, (uint16_t)(m->data_len - ETHER_BYTES - upf_ip_bytes(frame, &p)));
		if (!fragments_is_long(m)) {
			parts[0] = m;
			return 1;
		}
		n = p.version == 4 ? cut_v4(f, m, parts) : cut_v6(f, m, parts);
	}
	batch_free(&m, 1);
	if (n <= 0)
		return 0;
	f->added[queue].frames += (uint32_t)n - 1;
	return (uint32_t)n;
}

void fragments_reset(struct fragments *f)
{
	f->received = fragments_held(f);
	f->merged = f->expired = f->datagrams = f->atomic = 0;
	memset(f->refused, 0, sizeof(f->refused));
	memset(f->added, 0, sizeof(f->added));
}

uint64_t fragments_held(const struct fragments *f)
{
	uint64_t refused = 0;

	for (uint32_t why = 0; why < FRAGMENTS_REFUSALS; why++)
		refused += f->refused[why];
	return f->received - f->merged - f->expired - refused;
}

uint64_t fragments_added(const struct fragments *f)
{
	uint64_t sum = 0;

	for (uint32_t q = 0; q < FRAGMENTS_QUEUES; q++)
		sum += f->added[q].frames;
	return sum;
}
