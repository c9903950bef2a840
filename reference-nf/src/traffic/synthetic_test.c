/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include <rte_mbuf.h>

#include "check.h"
#include "traffic/synthetic.h"
#include "stage_fixture.h"

#define BATCH 64u
#define REPLY_AFTER 100u

static struct rte_mempool *pool;

static struct traffic_settings make_settings(void)
{
	struct traffic_settings s = {
		.profile = PROFILE_IMIX,
		.inside = {IP(10, 0, 0, 0), 8},
		.clients = {IP(10, 0, 0, 0), 8},
		.replies = REPLIES_LEARNED,
		.seed = 1,
		.ns_per_packet = 100,
		.flows = 100,
		.reply_percent = 50,
	};
	return s;
}

/* The network: changes the packets of a batch as a network function would. */
typedef void (*network)(uint8_t *frame);

static void nothing(uint8_t *frame)
{
	(void)frame;
}

/* Clients' packets come from one address, at a port of their own; servers' go back. */
static void translate(uint8_t *frame)
{
	if (frame[AT_SOURCE] == 10) {
		put32(frame + AT_SOURCE, IP(203, 0, 113, frame[AT_SOURCE + 3]));
		put16(frame + AT_L4, (uint16_t)(get16(frame + AT_L4) ^ 1));
	} else {
		CHECK_EQUAL(get32(frame + AT_DESTINATION) >> 8, IP(0, 203, 0, 113)); /* the reply goes to the sender */
	}
}

#define BACK_END IP(192, 0, 2, 77)

static void balance(uint8_t *frame)
{
	if (get32(frame + AT_DESTINATION) == IP(198, 51, 100, 80)) {
		CHECK_EQUAL(get16(frame + AT_L4 + 2), 53);
		put32(frame + AT_DESTINATION, BACK_END);
		put16(frame + AT_L4 + 2, 5353);
	} else {
		CHECK_EQUAL(get32(frame + AT_SOURCE), BACK_END); /* the back end answers */
		CHECK_EQUAL(get16(frame + AT_L4), 5353);
	}
}

struct run {
	struct synthetic synthetic;
	struct tx_stats tx_stats;
	struct meter meter;
	uint64_t sent;
};

static struct run run;

static void begin(const struct traffic_settings *s)
{
	run = (struct run){.sent = 0};
	CHECK(synthetic_open(&run.synthetic, s, REPLY_AFTER));
}

static void check_frame(const struct rte_mbuf *m)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);

	CHECK_EQUAL(m->pkt_len, m->data_len);
	CHECK_EQUAL(get16(frame + AT_IP + 2), m->data_len - AT_IP);
	CHECK_EQUAL(get16(frame + AT_L4 + 4), m->data_len - AT_L4);
	CHECK(get16(frame + AT_L4 + 6) != 0);
	CHECK(checksums_right(frame, m->data_len));
}

/* Sends a batch through the network once; see, which may be NULL, checks every packet. */
static void pass(network change, void (*see)(const uint8_t *frame, uint32_t bytes))
{
	struct rte_mbuf *mbufs[BATCH];
	const struct synthetic_times times = {NULL, run.sent * 100, 100};

	CHECK(rte_pktmbuf_alloc_bulk(pool, mbufs, BATCH) == 0);
	synthetic_fill(&run.synthetic, mbufs, BATCH, &times, &run.tx_stats);
	for (uint32_t i = 0; i < BATCH; i++) {
		uint8_t *frame = rte_pktmbuf_mtod(mbufs[i], uint8_t *);
		check_frame(mbufs[i]);
		if (see != NULL)
			see(frame, mbufs[i]->data_len);
		change(frame);
		synthetic_arrive(&run.synthetic, mbufs[i], &run.meter, 0);
	}
	rte_pktmbuf_free_bulk(mbufs, BATCH);
	run.sent += BATCH;
}

static void end(void)
{
	CHECK_EQUAL(run.meter.received, run.sent);
	CHECK_EQUAL(run.meter.reordered + run.meter.duplicates + run.meter.damaged, 0);
	CHECK_EQUAL(rte_mempool_in_use_count(pool), 0);
	synthetic_close(&run.synthetic);
}

static void replies_go_where_the_flow_came_from(void)
{
	struct traffic_settings s = make_settings();

	begin(&s);
	for (uint32_t i = 0; i < 100; i++)
		pass(translate, NULL);
	CHECK(run.tx_stats.packets[TX_INBOUND] > run.sent * 4 / 10);
	end();
}

static void back_ends_answer_for_a_target(void)
{
	struct traffic_settings s = make_settings();

	s.target_count = 1;
	s.targets[0] = (struct traffic_target){htonl(IP(198, 51, 100, 80)), htons(53)};
	begin(&s);
	for (uint32_t i = 0; i < 100; i++)
		pass(balance, NULL);
	CHECK(run.tx_stats.packets[TX_INBOUND] > run.sent * 4 / 10);
	end();
}

static uint64_t replies_seen;

static void count_replies(const uint8_t *frame, uint32_t bytes)
{
	replies_seen += (frame[bytes - STAMP_BYTES + 2] & 0x80) != 0;
}

static void shares_are_as_configured(void)
{
	static const uint32_t of_12[TX_STATS_SIZES] = {7, 0, 0, 0, 4, 1, 0};
	struct traffic_settings s = make_settings();

	s.reply_percent = 25;
	s.replies = REPLIES_AS_IS;
	begin(&s);
	replies_seen = 0;
	for (uint32_t i = 0; i < 12 * 25; i++)
		pass(nothing, count_replies);
	CHECK_EQUAL(replies_seen, run.sent / 4);
	CHECK_EQUAL(run.tx_stats.packets[TX_INBOUND], run.sent / 4);
	for (uint32_t d = TX_OUTBOUND; d <= TX_INBOUND; d++)
		for (uint32_t size = 0; size < TX_STATS_SIZES; size++)
			CHECK_EQUAL(run.tx_stats.sizes[d][size], run.tx_stats.packets[d] / 12 * of_12[size]);
	CHECK_EQUAL(run.tx_stats.bytes[TX_INBOUND], run.sent / 4 / 12 * (7 * 60 + 4 * 590 + 1514));
	end();
}

/* Flows end in order of age, and no two existing ones have the same addresses and ports. */
static void new_flows_take_the_place_of_the_oldest(void)
{
	struct traffic_settings s = make_settings();

	s.clients = (struct ipv4_prefix){IP(10, 1, 2, 248), 29}; /* few addresses: the ports differ */
	s.new_flows_per_second = 1000000; /* one in ten packets */
	begin(&s);
	for (uint32_t i = 0; i < 1000; i++)
		pass(translate, NULL);
	CHECK_EQUAL(run.synthetic.born, s.flows + run.sent / 10 - 1); /* 0.1 in binary is a little less */
	for (uint32_t a = 0; a < s.flows; a++)
		for (uint32_t b = 0; b < a; b++) {
			const struct synthetic_flow *x = &run.synthetic.flows[a], *y = &run.synthetic.flows[b];
			CHECK(x->client != y->client || x->client_port != y->client_port);
		}
	end();
}

/* Exact numbers: a rate and new flows whose ratio is a power of two have no rounding. */
static void new_flows_follow_the_rate(void)
{
	struct traffic_settings s = make_settings();

	begin(&s);
	run.synthetic.new_flows_per_second = 1000;
	synthetic_set_rate(&run.synthetic, 16000);
	for (uint32_t i = 0; i < 100; i++)
		pass(translate, NULL);
	CHECK_EQUAL(run.synthetic.born - s.flows, run.sent / 16);
	uint64_t born = run.synthetic.born, sent = run.sent;
	synthetic_set_rate(&run.synthetic, 64000);
	for (uint32_t i = 0; i < 100; i++)
		pass(translate, NULL);
	CHECK_EQUAL(run.synthetic.born - born, (run.sent - sent) / 64);
	end();
}

static uint64_t last_birth, early_replies;

/* Packets in a network of one flow, numbered in the order in which they were made. */
static void watch_replies(const uint8_t *frame, uint32_t bytes)
{
	static uint8_t generation;
	static uint64_t number;
	const uint8_t *stamp = frame + bytes - STAMP_BYTES;

	if (stamp[1] != generation)
		last_birth = number;
	generation = stamp[1];
	if ((stamp[2] & 0x80) != 0 && generation != 1 && number - last_birth < REPLY_AFTER)
		early_replies++;
	replies_seen += (stamp[2] & 0x80) != 0;
	number++;
}

/* The packets do not depend on how soon the far side gets a new flow's first packet. */
static void nobody_replies_to_a_new_flow_early(void)
{
	struct traffic_settings s = make_settings();

	s.flows = 1;
	s.new_flows_per_second = 20000; /* one in 500 packets */
	begin(&s);
	replies_seen = early_replies = 0;
	for (uint32_t i = 0; i < 100; i++)
		pass(translate, watch_replies);
	CHECK_EQUAL(early_replies, 0);
	CHECK(replies_seen > run.sent * 35 / 100);
	end();
}

static void time_goes_on_for_packets_given_up(void)
{
	struct traffic_settings s = make_settings();

	s.rate_pps = 1000;
	s.new_flows_per_second = 1;
	begin(&s);
	synthetic_skip(&run.synthetic, 2001);
	pass(nothing, NULL);
	CHECK_EQUAL(run.synthetic.born, s.flows + 2);
	end();
}

static void packets_of_flows_that_have_ended_disturb_nothing(void)
{
	struct traffic_settings s = make_settings();
	struct rte_mbuf *m[2];
	const struct synthetic_times times = {0};

	s.flows = 1;
	s.reply_percent = 0;
	s.ns_per_packet = 1000000000;
	s.new_flows_per_second = 1; /* every packet is a flow's first */
	begin(&s);
	CHECK(rte_pktmbuf_alloc_bulk(pool, m, 2) == 0);
	synthetic_fill(&run.synthetic, m, 2, &times, &run.tx_stats);
	synthetic_arrive(&run.synthetic, m[0], &run.meter, 0);
	CHECK(!run.synthetic.flows[0].known);
	synthetic_arrive(&run.synthetic, m[1], &run.meter, 0);
	CHECK(run.synthetic.flows[0].known);
	rte_pktmbuf_free_bulk(m, 2);
	run.sent = 2;
	end();
}

static void what_has_no_stamp_is_damaged(void)
{
	struct traffic_settings s = make_settings();
	struct rte_mbuf *m;
	const struct synthetic_times times = {0};

	begin(&s);
	CHECK(rte_pktmbuf_alloc_bulk(pool, &m, 1) == 0);
	synthetic_fill(&run.synthetic, &m, 1, &times, &run.tx_stats);
	uint8_t *stamp = rte_pktmbuf_mtod_offset(m, uint8_t *, m->data_len - STAMP_BYTES);
	stamp[0] ^= 1;
	synthetic_arrive(&run.synthetic, m, &run.meter, 0);
	stamp[0] ^= 1;
	stamp[3] ^= 1; /* a flow that does not exist */
	synthetic_arrive(&run.synthetic, m, &run.meter, 0);
	m->data_len = 40;
	synthetic_arrive(&run.synthetic, m, &run.meter, 0);
	CHECK_EQUAL(run.meter.damaged, 3);
	CHECK_EQUAL(run.meter.received, 0);
	rte_pktmbuf_free(m);
	synthetic_close(&run.synthetic);
}

/* Draws against Zipf's law, by rank. */
static void check_skew(uint32_t flows, double exponent)
{
	static uint32_t drawn[1000];
	struct flow_pick pick;
	double sum = 0;
	const uint32_t draws = 1000000;

	memset(drawn, 0, sizeof(drawn));
	CHECK(flow_pick_open(&pick, flows, exponent, 7));
	for (uint32_t i = 0; i < draws; i++)
		drawn[flow_pick_next(&pick)]++;
	for (uint32_t i = 0; i < flows; i++)
		sum += pow(i + 1, -exponent);
	for (uint32_t i = 0; i < flows; i++) {
		double expected = draws * pow(i + 1, -exponent) / sum;
		CHECK(fabs(drawn[i] - expected) < 5 * sqrt(expected) + 1); /* 5 standard deviations */
	}
	flow_pick_close(&pick);
}

static void flows_are_drawn_by_their_skew(void)
{
	check_skew(1, 1);
	check_skew(2, 0.5);
	check_skew(1000, 0);
	check_skew(1000, 1);
	check_skew(1000, 2);
}

int main(int argc, char **argv)
{
	(void)argc;
	fixture_eal(argv[0]);
	pool = rte_pktmbuf_pool_create("traffic", 255, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	CHECK(pool != NULL);
	RUN(replies_go_where_the_flow_came_from);
	RUN(back_ends_answer_for_a_target);
	RUN(shares_are_as_configured);
	RUN(new_flows_take_the_place_of_the_oldest);
	RUN(new_flows_follow_the_rate);
	RUN(nobody_replies_to_a_new_flow_early);
	RUN(time_goes_on_for_packets_given_up);
	RUN(packets_of_flows_that_have_ended_disturb_nothing);
	RUN(what_has_no_stamp_is_damaged);
	RUN(flows_are_drawn_by_their_skew);
	rte_mempool_free(pool);
	return 0;
}
