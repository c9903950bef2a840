/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>

#include <rte_mempool.h>

#include "check.h"
#include "stage_fixture.h"
#include "traffic/service.h"
#include "upf/gtpu.h"

#define PACKETS 10000u
#define FRAME_CHECK 4u
#define SUBSCRIBERS 1000u

static struct rte_mempool *pool;

static struct traffic_settings settings(uint32_t reply_percent)
{
	return (struct traffic_settings){
		.profile = PROFILE_UPF,
		.seed = 1,
		.reply_percent = reply_percent,
		.subscribers = {
			.count = SUBSCRIBERS,
			.clients = {IP(10, 0, 0, 0), 8},
			.access = {IP(192, 0, 2, 0), 24},
			.n3 = htonl(IP(192, 0, 2, 254)),
		},
	};
}

struct sums {
	uint64_t bytes, udp, packets[TX_DIRECTIONS];
};

/* The subscriber's packet, out of its tunnel. */
static struct frame inside(const uint8_t *data, uint32_t bytes)
{
	struct packet p;
	struct gtpu g;
	struct frame f = {.bytes = bytes};

	packet_parse(data, bytes, &p);
	CHECK_EQUAL(p.kind, PACKET_L4);
	if (get32(data + AT_DESTINATION) != IP(192, 0, 2, 254)) {
		memcpy(f.data, data, bytes);
		return f;
	}
	CHECK(gtpu_parse(data + p.payload, p.payload_bytes, &g) == GTPU_SOUND);
	CHECK(g.type == GTPU_G_PDU && g.teid != 0 && g.teid <= 2 * SUBSCRIBERS && (g.qfi == 1 || g.qfi == 2));
	memcpy(f.data, data, AT_IP);
	memcpy(f.data + AT_IP, data + p.payload + g.payload, g.payload_bytes);
	f.bytes = AT_IP + g.payload_bytes;
	return f;
}

static void look_at(const struct rte_mbuf *m, struct sums *sums)
{
	struct frame f = inside(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len);
	struct stamp stamp;

	CHECK(checksums_right(f.data, f.bytes));
	CHECK(stamp_read(f.data + f.bytes - STAMP_BYTES, &stamp));
	sums->bytes += f.bytes + FRAME_CHECK;
	sums->udp += f.data[AT_IP + 9] == IPPROTO_UDP;
}

static struct sums send_all(struct service *s, uint32_t count, struct meter *meter)
{
	struct sums sums = {0};
	struct tx_stats stats = {0};
	struct rte_mbuf *mbufs[50];

	for (uint32_t i = 0; i < count; i += 50) {
		CHECK(rte_pktmbuf_alloc_bulk(pool, mbufs, 50) == 0);
		service_fill(s, mbufs, 50, &(struct synthetic_times){0}, &stats);
		for (uint32_t k = 0; k < 50; k++) {
			look_at(mbufs[k], &sums);
			service_arrive(s, mbufs[k], meter, 0);
		}
		rte_pktmbuf_free_bulk(mbufs, 50);
	}
	memcpy(sums.packets, stats.packets, sizeof(sums.packets));
	return sums;
}

static void sizes_and_shares(void)
{
	for (uint32_t reply = 0; reply <= 100; reply += 50) {
		const struct traffic_settings t = settings(reply);
		struct service s;
		struct meter meter = {.timing = false};
		CHECK(service_open(&s, &t));
		CHECK_EQUAL(service_flows(&s), 2 * SUBSCRIBERS);
		struct sums sums = send_all(&s, PACKETS, &meter);
		CHECK_EQUAL(sums.bytes, PACKETS * 690ull);
		CHECK_EQUAL(sums.udp, PACKETS / 5);
		CHECK_EQUAL(sums.packets[TX_INBOUND], PACKETS * reply / 100);
		CHECK_EQUAL(meter.received, PACKETS);
		CHECK_EQUAL(meter.reordered + meter.duplicates + meter.damaged, 0);
		service_close(&s);
	}
}

/* Of the whole model: bearers, and what they bring, as the paper has them. */
static void the_whole_model(void)
{
	uint32_t bearers = upf_bearers_before(UPF_SUBSCRIBERS), dedicated = 0;

	CHECK_EQUAL(bearers, 960000);
	for (uint32_t i = 0; i < UPF_SUBSCRIBERS; i++)
		dedicated += upf_has_dedicated(i);
	CHECK_EQUAL(UPF_SUBSCRIBERS + dedicated, bearers);
	for (uint32_t i = 0; i < 12; i++)
		CHECK_EQUAL(upf_bearers_before(i + 1) - upf_bearers_before(i), 1 + upf_has_dedicated(i));
	CHECK_EQUAL(UINT64_C(50000) * UPF_SUBSCRIBERS, UINT64_C(30000000000));
	CHECK_EQUAL(UPF_SUBSCRIBERS * UINT64_C(50000) / (690 * 8) / 1000, 5434); /* kilopackets a second */
	CHECK_EQUAL((UPF_SUBSCRIBERS * 10 + 1800) / 3600, 1667);	       /* attaches, in tenths a second */
}

int main(int argc, char **argv)
{
	(void)argc;
	fixture_eal(argv[0]);
	pool = rte_pktmbuf_pool_create("service", 255, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, (int)rte_socket_id());
	CHECK(pool != NULL);
	RUN(sizes_and_shares);
	RUN(the_whole_model);
	return 0;
}
