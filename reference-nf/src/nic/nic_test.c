/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "io/offload.h"
#include "packet/flow_id.h"
#include "stage_fixture.h"
#include "nic/nic.h"
#include "upf/upf_tunnel.h"

#define N3 IP(192, 0, 2, 254)
enum { GTP = 8, TEID = 0x01020304 };

static struct rte_mempool *pool;
static struct nic nic;

static void open_nic(uint32_t offload, uint32_t marks)
{
	struct traffic_settings s = {.offload = offload, .marks = marks, .n3 = rte_cpu_to_be_32(N3)};
	CHECK(nic_open(&nic, &s, 4));
}

static struct rte_mbuf *handed_in(const struct frame *f)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

	CHECK(m != NULL);
	memcpy(rte_pktmbuf_mtod(m, uint8_t *), f->data, f->bytes);
	m->data_len = (uint16_t)f->bytes;
	m->pkt_len = f->bytes;
	nic_process(&nic, &m, 1);
	return m;
}

static uint64_t flags_of(const struct frame *f)
{
	struct rte_mbuf *m = handed_in(f);
	uint64_t flags = m->ol_flags;

	rte_pktmbuf_free(m);
	return flags;
}

static struct frame of_flow(uint16_t port)
{
	return make_frame(17, IP(10, 0, 0, 1), port, IP(192, 0, 2, 1), 9, "x", 1);
}

static void sums(void)
{
	struct frame f = of_flow(1);

	open_nic(OFFLOAD_CHECKSUM, 0);
	CHECK_EQUAL(flags_of(&f), RTE_MBUF_F_RX_IP_CKSUM_GOOD);
	f.data[AT_IP + 10] ^= 1;
	CHECK_EQUAL(flags_of(&f), RTE_MBUF_F_RX_IP_CKSUM_BAD);
	f.data[AT_IP] = 0x4f; /* longer than the frame */
	CHECK_EQUAL(flags_of(&f), 0);
	f.data[AT_IP] = 0x41;
	CHECK_EQUAL(flags_of(&f), 0);
	f.bytes = 33;
	CHECK_EQUAL(flags_of(&f), 0);
	put16(f.data + AT_TYPE, 0x86dd);
	CHECK_EQUAL(flags_of(&f), 0);
	nic_close(&nic);
}

static void hashes(void)
{
	struct frame f = of_flow(1);
	struct packet p;

	open_nic(OFFLOAD_HASH, 0);
	struct rte_mbuf *m = handed_in(&f);
	packet_parse(f.data, f.bytes, &p);
	CHECK_EQUAL(m->ol_flags, RTE_MBUF_F_RX_RSS_HASH);
	CHECK_EQUAL(m->hash.rss, flow_id_spread(f.data, &p));
	rte_pktmbuf_free(m);
	nic_close(&nic);
}

/* A flow's first packet opens it, the others have its number; the last flow has no place. */
static void marks(void)
{
	const uint64_t marked = RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_ID;

	open_nic(OFFLOAD_MARK, 3);
	for (uint32_t round = 0; round < 3; round++)
		for (uint16_t port = 0; port < 4; port++) {
			struct frame f = of_flow((uint16_t)(port + 1));
			struct rte_mbuf *m = handed_in(&f);
			CHECK_EQUAL(m->ol_flags, round == 0 || port == 3 ? 0 : marked);
			CHECK(m->ol_flags == 0 || m->hash.fdir.hi == port);
			rte_pktmbuf_free(m);
		}
	struct frame f = of_flow(1);
	put16(f.data + AT_FRAGMENT, 0x2000);
	fix_checksums(&f);
	CHECK_EQUAL(flags_of(&f), 0);
	nic_close(&nic);
}

/* A G-PDU with the packet of `inner` in it. */
static struct frame tunnelled(const struct frame *inner, uint32_t n3, uint8_t type)
{
	uint8_t payload[256] = {0x30, type};
	uint32_t bytes = inner->bytes - AT_IP;

	put16(payload + 2, (uint16_t)bytes);
	put32(payload + 4, TEID);
	memcpy(payload + GTP, inner->data + AT_IP, bytes);
	return make_frame(17, IP(192, 0, 2, 1), 2152, n3, 2152, (const char *)payload, GTP + bytes);
}

static void takes_out_of_tunnels(void)
{
	struct frame inner = of_flow(1), f = tunnelled(&inner, N3, 255);

	open_nic(OFFLOAD_DECAP | OFFLOAD_CHECKSUM, 0);
	struct rte_mbuf *m = handed_in(&f);
	CHECK_EQUAL(m->ol_flags, upf_decapsulated | RTE_MBUF_F_RX_IP_CKSUM_GOOD);
	CHECK_EQUAL(m->data_len, inner.bytes);
	CHECK_EQUAL(m->pkt_len, inner.bytes);
	CHECK(memcmp(rte_pktmbuf_mtod(m, uint8_t *) + AT_IP, inner.data + AT_IP, inner.bytes - AT_IP) == 0);
	CHECK_EQUAL(upf_mark(m)->teid, TEID);
	CHECK_EQUAL(upf_mark(m)->side, UPF_ACCESS);
	rte_pktmbuf_free(m);
	nic_close(&nic);
}

static void leaves_other_packets_alone(void)
{
	struct frame inner = of_flow(1), none = inner, frames[5];

	none.data[AT_IP] = 0x75;
	frames[0] = tunnelled(&inner, N3 + 1, 255);
	frames[1] = tunnelled(&inner, N3, 1);
	frames[2] = tunnelled(&none, N3, 255);
	frames[3] = tunnelled(&inner, N3, 255);
	put16(frames[3].data + AT_L4 + 2, 2153);
	frames[4] = tunnelled(&inner, N3, 255);
	put16(frames[4].data + AT_L4 + 8 + 2, 999);
	open_nic(OFFLOAD_DECAP, 0);
	for (uint32_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		struct rte_mbuf *m = handed_in(&frames[i]);
		CHECK_EQUAL(m->ol_flags, 0);
		CHECK_EQUAL(m->data_len, frames[i].bytes);
		CHECK(memcmp(rte_pktmbuf_mtod(m, uint8_t *), frames[i].data, frames[i].bytes) == 0);
		rte_pktmbuf_free(m);
	}
	nic_close(&nic);
}

static uint32_t mistakes_of(const char *text)
{
	struct config *config = fixture_config(text);

	offload_check(config);
	uint32_t mistakes = config_mistakes(config);
	config_free(config);
	return mistakes;
}

static void mistakes_are_counted(void)
{
	struct config *config = fixture_config("[io]\noffload = checksum, decap ,hash\n");

	CHECK_EQUAL(offload_read(config), OFFLOAD_CHECKSUM | OFFLOAD_DECAP | OFFLOAD_HASH);
	config_free(config);
	CHECK_EQUAL(mistakes_of("[io]\noffload = checksum\n"), 0);
	CHECK_EQUAL(mistakes_of("[io]\noffload = checksums\n"), 1);
	CHECK_EQUAL(mistakes_of("[io]\noffload = checksum,,checksum\n"), 1);
	CHECK_EQUAL(mistakes_of("[io]\noffload = mark\n"), 1);
	CHECK_EQUAL(mistakes_of("[io]\noffload = mark\n[chain]\nflow_cache = on\n"), 0);
	CHECK_EQUAL(mistakes_of("[io]\noffload = decap\n[chain]\nstages = nat,l3fwd\n"), 1);
	CHECK_EQUAL(mistakes_of("[io]\noffload = decap\nport = eal\n[chain]\nstages = gtp_decap,pdr\n"), 1);
	CHECK_EQUAL(mistakes_of("[io]\noffload = hash\n"), 1);
	CHECK_EQUAL(mistakes_of("[io]\noffload = hash\n[traffic]\nreplies = as_is\n"), 0);
	CHECK_EQUAL(mistakes_of("[io]\noffload = hash\n[traffic]\nprofile = 64\n"), 0);
}

int main(int argc, char **argv)
{
	(void)argc;
	fixture_eal(argv[0]);
	pool = rte_pktmbuf_pool_create("nic", 63, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, (int)rte_socket_id());
	CHECK(pool != NULL);
	RUN(sums);
	RUN(hashes);
	RUN(marks);
	RUN(takes_out_of_tunnels);
	RUN(leaves_other_packets_alone);
	RUN(mistakes_are_counted);
	return 0;
}
