/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "stage_fixture.h"

#define CLIENT IP(10, 10, 0, 2)
#define SERVER IP(192, 0, 2, 1)
#define SECOND 1000000000ull
#define RUNS(frame, now, outcome) CHECK(strcmp(fixture_run_one(&nat, frame, now), outcome) == 0)

static struct fixture nat;

static void open_nat(const char *keys)
{
	char text[512];
	snprintf(text, sizeof(text), "[network]\ninside = 10.0.0.0/8\n[nat]\n%s\n", keys);
	fixture_open(&nat, &nat_stage, text);
}

/* The outside port that an outbound frame of a client gets. */
static uint16_t open_flow(uint8_t protocol, uint32_t client, uint16_t port, uint64_t now)
{
	struct frame f = make_frame(protocol, client, port, SERVER, 80, "x", 1);
	RUNS(&f, now, "translated_out");
	CHECK(checksums_right(f.data, f.bytes));
	return get16(f.data + AT_L4 + (protocol == 1 ? 4 : 0));
}

static void both_directions(void)
{
	static const uint8_t protocols[] = {6, 17, 1};

	open_nat("pool = 203.0.113.7/32");
	for (uint32_t i = 0; i < 3; i++) {
		struct frame out = make_frame(protocols[i], CLIENT, 5000, SERVER, 80, "hello", 5);
		RUNS(&out, 0, "translated_out");
		CHECK_EQUAL(get32(out.data + AT_SOURCE), IP(203, 0, 113, 7));
		CHECK_EQUAL(get32(out.data + AT_DESTINATION), SERVER);
		CHECK(checksums_right(out.data, out.bytes));
		uint16_t port = get16(out.data + AT_L4 + (protocols[i] == 1 ? 4 : 0));
		CHECK_EQUAL(port, 1024);
		/* of ICMP make_frame's source port is the identifier */
		struct frame in = make_frame(protocols[i], SERVER, protocols[i] == 1 ? port : 80, IP(203, 0, 113, 7), port,
					     "hi", 2);
		if (protocols[i] == 1)
			set_icmp_type(&in, 0);
		RUNS(&in, 0, "translated_in");
		CHECK_EQUAL(get32(in.data + AT_DESTINATION), CLIENT);
		CHECK_EQUAL(get16(in.data + AT_L4 + (protocols[i] == 1 ? 4 : 2)), 5000);
		CHECK(checksums_right(in.data, in.bytes));
	}
	fixture_close(&nat);
}

static void mapping_is_endpoint_independent(void)
{
	open_nat("pool = 203.0.113.7/32");
	struct frame a = make_frame(17, CLIENT, 5000, SERVER, 53, "x", 1);
	struct frame b = make_frame(17, CLIENT, 5000, IP(198, 51, 100, 9), 99, "x", 1);
	RUNS(&a, 0, "translated_out");
	RUNS(&b, 0, "translated_out");
	CHECK_EQUAL(get16(a.data + AT_L4), get16(b.data + AT_L4));
	struct frame stranger = make_frame(17, IP(8, 8, 8, 8), 1, IP(203, 0, 113, 7), get16(a.data + AT_L4), "x", 1);
	RUNS(&stranger, 0, "translated_in");
	CHECK(open_flow(17, CLIENT, 5001, 0) != get16(a.data + AT_L4));
	fixture_close(&nat);
}

static void udp_without_checksum_keeps_none(void)
{
	open_nat("pool = 203.0.113.7/32");
	struct frame f = make_frame(17, CLIENT, 5000, SERVER, 53, "x", 1);
	put16(f.data + AT_L4 + 6, 0);
	RUNS(&f, 0, "translated_out");
	CHECK_EQUAL(get16(f.data + AT_L4 + 6), 0);
	fixture_close(&nat);
}

static void udp_checksum_never_becomes_zero(void)
{
	uint32_t seen = 0;

	open_nat("pool = 203.0.113.7/32\nentries = 1");
	CHECK_EQUAL(open_flow(17, CLIENT, 5000, 0), 1024);
	for (uint32_t x = 0; x < 65536; x++) { /* one payload gives the sum 0 after translation */
		char payload[2] = {(char)(x >> 8), (char)x};
		struct frame f = make_frame(17, CLIENT, 5000, SERVER, 53, payload, 2);
		RUNS(&f, 0, "translated_out");
		CHECK(get16(f.data + AT_L4 + 6) != 0);
		CHECK(checksums_right(f.data, f.bytes));
		seen += get16(f.data + AT_L4 + 6) == 0xffff;
	}
	CHECK(seen >= 1);
	fixture_close(&nat);
}

static void ports_run_out_and_come_back_last(void)
{
	open_nat("pool = 203.0.113.7/32\nport_min = 2000\nport_max = 2002\nudp_timeout_s = 10");
	CHECK_EQUAL(open_flow(17, CLIENT, 1, 0), 2000);
	CHECK_EQUAL(open_flow(17, CLIENT, 2, 5 * SECOND), 2001);
	CHECK_EQUAL(open_flow(17, CLIENT, 3, 5 * SECOND), 2002);
	struct frame f = make_frame(17, CLIENT, 4, SERVER, 80, "x", 1);
	RUNS(&f, 5 * SECOND, "no_port");
	CHECK_EQUAL(open_flow(6, CLIENT, 4, 5 * SECOND), 2000); /* each protocol has ports of its own */
	f = make_frame(17, CLIENT, 5, SERVER, 80, "x", 1);
	RUNS(&f, 11 * SECOND - 1, "no_port");
	CHECK_EQUAL(open_flow(17, CLIENT, 5, 11 * SECOND), 2000);
	CHECK_EQUAL(open_flow(17, CLIENT, 6, 100 * SECOND), 2001);
	CHECK_EQUAL(open_flow(17, CLIENT, 7, 100 * SECOND), 2002);
	CHECK_EQUAL(open_flow(17, CLIENT, 8, 100 * SECOND), 2000);
	fixture_close(&nat);
}

static void table_fills(void)
{
	open_nat("pool = 203.0.113.7/32\nentries = 2\nport_max = 1025");
	open_flow(6, CLIENT, 1, 0);
	open_flow(6, CLIENT, 2, 0);
	struct frame f = make_frame(6, CLIENT, 3, SERVER, 80, "x", 1);
	RUNS(&f, 0, "table_full"); /* not no_port, which would also be true */
	fixture_close(&nat);
}

static void only_outbound_packets_keep_a_mapping(void)
{
	open_nat("pool = 203.0.113.7/32\nudp_timeout_s = 10");
	uint16_t port = open_flow(17, CLIENT, 5000, 0);
	for (uint64_t s = 1; s < 11; s++) {
		struct frame in = make_frame(17, SERVER, 53, IP(203, 0, 113, 7), port, "x", 1);
		RUNS(&in, s * SECOND, "translated_in");
	}
	struct frame late = make_frame(17, SERVER, 53, IP(203, 0, 113, 7), port, "x", 1);
	RUNS(&late, 11 * SECOND, "no_mapping");
	port = open_flow(17, CLIENT, 5000, 20 * SECOND);
	CHECK_EQUAL(open_flow(17, CLIENT, 5000, 30 * SECOND), port);
	struct frame kept = make_frame(17, SERVER, 53, IP(203, 0, 113, 7), port, "x", 1);
	RUNS(&kept, 40 * SECOND, "translated_in");
	fixture_close(&nat);
}

/* The first of several uses within a second decides the order in which ports come back, and none is removed early. */
static void uses_are_noted_to_the_second(void)
{
	open_nat("pool = 203.0.113.7/32\nport_min = 2000\nport_max = 2002\nudp_timeout_s = 10");
	for (uint16_t n = 0; n < 3; n++)
		CHECK_EQUAL(open_flow(17, CLIENT, 1 + n, 0), 2000 + n);
	CHECK_EQUAL(open_flow(17, CLIENT, 3, 5 * SECOND), 2002);
	CHECK_EQUAL(open_flow(17, CLIENT, 1, 5 * SECOND), 2000);
	CHECK_EQUAL(open_flow(17, CLIENT, 3, 6 * SECOND - 1), 2002); /* does not become the most recent */
	struct frame f = make_frame(17, CLIENT, 4, SERVER, 80, "x", 1);
	RUNS(&f, 11 * SECOND - 1, "no_port");
	CHECK_EQUAL(open_flow(17, CLIENT, 4, 11 * SECOND), 2001);
	f = make_frame(17, CLIENT, 5, SERVER, 80, "x", 1);
	RUNS(&f, 16 * SECOND - 1, "no_port"); /* the last use was just 10 s ago */
	CHECK_EQUAL(open_flow(17, CLIENT, 5, 16 * SECOND), 2002);
	CHECK_EQUAL(open_flow(17, CLIENT, 6, 16 * SECOND), 2000);
	fixture_close(&nat);
}

static void refused_packets(void)
{
	open_nat("pool = 203.0.113.7/32");
	struct frame tcp = make_frame(6, CLIENT, 1, SERVER, 80, "x", 1), f;

	f = tcp;
	put16(f.data + AT_FRAGMENT, 0x2000);
	fix_checksums(&f);
	RUNS(&f, 0, "fragment");
	f = tcp;
	f.bytes -= 1; /* cut short */
	RUNS(&f, 0, "malformed");
	f = tcp;
	f.data[AT_L4 + 12] = 0x40;
	RUNS(&f, 0, "malformed");
	f = tcp;
	f.data[AT_IP + 9] = 47;
	put16(f.data + AT_IP + 10, (uint16_t)(get16(f.data + AT_IP + 10) - 41));
	RUNS(&f, 0, "unsupported_protocol");
	f = make_frame(1, CLIENT, 1, SERVER, 0, "", 0);
	set_icmp_type(&f, 13); /* time stamp */
	RUNS(&f, 0, "unsupported_protocol");
	f = tcp;
	put16(f.data + AT_TYPE, 0x86dd);
	struct frame same = f;
	RUNS(&f, 0, "not_ipv4");
	CHECK(memcmp(f.data, same.data, f.bytes) == 0);
	f = make_frame(6, SERVER, 80, IP(203, 0, 113, 7), 1024, "x", 1);
	RUNS(&f, 0, "no_mapping");
	fixture_close(&nat);
}

/* The instance starts again, as another variant or as another of several instances. */
static void restart(struct stage_place place)
{
	place.socket = (int)rte_socket_id();
	nat_stage.fini(nat.state);
	nat.state = nat_stage.init(nat.settings, &nat.rcu, &place);
	CHECK(nat.state != NULL);
}

/* Many flows come and go; every reply reaches its sender and no two flows share an outside endpoint. */
static void churn_of(enum flow_table_kind hash, bool prefetch)
{
	static uint16_t port_of[4096];
	static uint32_t address_of[4096];
	uint64_t random = 88172645463325252u;

	open_nat("pool = 203.0.113.0/30\nport_max = 3000\nentries = 4096\nudp_timeout_s = 20");
	restart((struct stage_place){.count = 1, .hash = hash, .prefetch = prefetch});
	for (uint64_t step = 0; step < 20000; step++) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		uint32_t flow = (uint32_t)(random >> 20) % 4096;
		uint32_t client = IP(10, 0, flow >> 8, flow & 0xff);
		struct frame out = make_frame(17, client, 7000, SERVER, 53, "q", 1);
		RUNS(&out, step * (SECOND / 100), "translated_out");
		CHECK_EQUAL(get32(out.data + AT_SOURCE), IP(203, 0, 113, client % 4));
		port_of[flow] = get16(out.data + AT_L4);
		address_of[flow] = get32(out.data + AT_SOURCE);
		struct frame in = make_frame(17, SERVER, 53, address_of[flow], port_of[flow], "r", 1);
		RUNS(&in, step * (SECOND / 100), "translated_in");
		CHECK_EQUAL(get32(in.data + AT_DESTINATION), client);
	}
	fixture_close(&nat);
}

static void churn(void)
{
	for (enum flow_table_kind hash = FLOW_TABLE_SIGNATURE; hash <= FLOW_TABLE_RTE_HASH; hash++) {
		churn_of(hash, true);
		churn_of(hash, false);
	}
}

/* A batch that opens a mapping, uses it in both directions and looks up a missing one. */
static void a_batch_sees_what_it_has_opened(void)
{
	struct frame query = make_frame(17, CLIENT, 5000, SERVER, 53, "q", 1);
	struct frame reply = make_frame(17, SERVER, 53, IP(203, 0, 113, 7), 1024, "r", 1);
	struct frame stray = make_frame(17, SERVER, 53, IP(203, 0, 113, 7), 1025, "r", 1);

	open_nat("pool = 203.0.113.7/32");
	struct frame frames[6] = {reply, query, reply, query, stray, reply};
	CHECK_EQUAL(fixture_run(&nat, frames, 6, 0), 4); /* the first reply is too early */
	CHECK_EQUAL(get16(frames[0].data + AT_L4), 1024);
	CHECK_EQUAL(get32(frames[1].data + AT_DESTINATION), CLIENT);
	CHECK_EQUAL(get32(frames[3].data + AT_DESTINATION), CLIENT);
	fixture_close(&nat);
}

/* Notes lead to the mapping without a lookup, keep it alive, and never lead to another one that now has its record. */
static void notes_of_the_flow_cache(void)
{
	struct flow_path path = {0};

	open_nat("pool = 203.0.113.7/32\nentries = 1\nudp_timeout_s = 10");
	nat.batch.flow_cached = true;
	nat.batch.paths[0] = &path;
	CHECK_EQUAL(open_flow(17, CLIENT, 5000, 0), 1024);
	uint64_t note = path.notes[0];
	CHECK(note != 0);
	CHECK_EQUAL(open_flow(17, CLIENT, 5000, 9 * SECOND), 1024);
	CHECK_EQUAL(open_flow(17, CLIENT, 5000, 18 * SECOND), 1024);
	CHECK_EQUAL(path.notes[0], note);
	path.notes[0] = 0;
	CHECK_EQUAL(open_flow(17, CLIENT, 6000, 29 * SECOND), 1025); /* takes the only record */
	path.notes[0] = note;
	struct frame f = make_frame(17, CLIENT, 5000, SERVER, 80, "x", 1);
	RUNS(&f, 29 * SECOND, "table_full");
	nat.batch.flow_cached = false;
	fixture_close(&nat);
}

/* A stage before this one may write another address into the flow's packets than when the note was written. */
static void a_note_is_of_one_end(void)
{
	struct flow_path out = {0}, in = {0};

	open_nat("pool = 203.0.113.7/32");
	nat.batch.flow_cached = true;
	nat.batch.paths[0] = &out;
	CHECK_EQUAL(open_flow(17, CLIENT, 5000, 0), 1024);
	CHECK_EQUAL(open_flow(17, CLIENT + 1, 5000, 0), 1025);
	CHECK_EQUAL(open_flow(17, CLIENT + 1, 5000, 0), 1025);
	CHECK_EQUAL(open_flow(17, CLIENT, 5000, 0), 1024);
	nat.batch.paths[0] = &in;
	struct frame first = make_frame(17, SERVER, 53, IP(203, 0, 113, 7), 1024, "x", 1);
	RUNS(&first, 0, "translated_in");
	CHECK_EQUAL(get32(first.data + AT_DESTINATION), CLIENT);
	struct frame second = make_frame(17, SERVER, 53, IP(203, 0, 113, 7), 1025, "x", 1);
	RUNS(&second, 0, "translated_in");
	CHECK_EQUAL(get32(second.data + AT_DESTINATION), CLIENT + 1);
	CHECK_EQUAL(open_flow(17, CLIENT, 5000, 0), 1024); /* the flow's packets come from inside now */
	nat.batch.flow_cached = false;
	fixture_close(&nat);
}

/* Batches of workers that share a table do not come in the order of their times. */
static void time_does_not_go_back(void)
{
	open_nat("pool = 203.0.113.7/32\nudp_timeout_s = 10");
	CHECK_EQUAL(open_flow(17, CLIENT, 5000, 20 * SECOND), 1024);
	CHECK_EQUAL(open_flow(17, CLIENT, 5000, 9 * SECOND), 1024);
	struct frame in = make_frame(17, SERVER, 53, IP(203, 0, 113, 7), 1024, "x", 1);
	RUNS(&in, 30 * SECOND, "translated_in");
	RUNS(&in, 31 * SECOND, "no_mapping");
	fixture_close(&nat);
}

static struct stage_owner owner_of(const struct frame *frame, uint32_t count)
{
	struct batch *b = &nat.batch;
	struct rte_mbuf mbuf = {.buf_addr = (void *)(uintptr_t)frame->data};
	struct stage_owner owner;

	b->mbufs[0] = &mbuf;
	b->count = 1;
	packet_parse(frame->data, frame->bytes, &b->packets[0]);
	nat_stage.hooks.owners(nat.settings, &nat.rcu, b, count, &owner);
	return owner;
}

/* Replies, and errors about outbound packets, belong to the instance that opened the mapping. */
static void an_instance_gets_what_its_ports_get(uint32_t index, uint32_t count, uint32_t ports)
{
	restart((struct stage_place){.index = index, .count = count, .prefetch = true});
	for (uint32_t n = 0; n < ports; n++) {
		uint16_t port = open_flow(17, CLIENT, (uint16_t)(100 + n), 0);
		struct frame reply = make_frame(17, SERVER, 53, IP(203, 0, 113, 7), port, "x", 1);
		struct frame sent = make_frame(17, IP(203, 0, 113, 7), port, SERVER, 53, "x", 1);
		struct frame error = make_frame(1, SERVER, 0, IP(203, 0, 113, 7), 0, (char *)sent.data + AT_IP, 29);
		set_icmp_type(&error, 11);
		CHECK_EQUAL(owner_of(&reply, count).instance, (int)index);
		CHECK_EQUAL(owner_of(&error, count).instance, (int)index);
	}
	struct frame f = make_frame(17, CLIENT, 99, SERVER, 80, "x", 1);
	RUNS(&f, 0, "no_port");
}

static void instances_split_the_ports(void)
{
	open_nat("pool = 203.0.113.7/32\nport_min = 1000\nport_max = 1010\nentries = 64");
	an_instance_gets_what_its_ports_get(0, 3, 3); /* 11 ports: 3, 4 and 4 */
	an_instance_gets_what_its_ports_get(1, 3, 4);
	an_instance_gets_what_its_ports_get(2, 3, 4);
	an_instance_gets_what_its_ports_get(7, 8, 2);
	struct frame out = make_frame(17, CLIENT, 99, SERVER, 80, "x", 1);
	CHECK_EQUAL(owner_of(&out, 3).instance, OWNER_BY_KEY);
	struct frame low = make_frame(17, SERVER, 53, IP(203, 0, 113, 7), 999, "x", 1);
	CHECK_EQUAL(owner_of(&low, 3).instance, OWNER_ANY);
	struct frame high = make_frame(17, SERVER, 53, IP(203, 0, 113, 7), 1011, "x", 1);
	CHECK_EQUAL(owner_of(&high, 3).instance, OWNER_ANY);
	const struct stage_place too_many = {.index = 0, .count = 12};
	CHECK(nat_stage.init(nat.settings, &nat.rcu, &too_many) == NULL);
	fixture_close(&nat);
}

/* The far end of a hairpin may be another instance's: the packet is lost and opens no mapping. */
static void a_hairpin_to_another_instance_is_lost(void)
{
	open_nat("pool = 203.0.113.7/32\nport_min = 1000\nport_max = 1003\nentries = 2");
	restart((struct stage_place){.index = 1, .count = 2, .prefetch = true});
	struct frame there = make_frame(17, CLIENT, 5000, IP(203, 0, 113, 7), 1001, "x", 1);
	RUNS(&there, 0, "hairpin_elsewhere");
	struct frame nobody = make_frame(17, CLIENT, 5000, IP(203, 0, 113, 7), 1003, "x", 1);
	RUNS(&nobody, 0, "no_mapping");
	CHECK_EQUAL(open_flow(17, CLIENT, 6000, 0), 1002); /* the one entry of this instance */
	struct frame self = make_frame(17, CLIENT, 6000, IP(203, 0, 113, 7), 1002, "x", 1);
	RUNS(&self, 0, "hairpinned");
	CHECK_EQUAL(get32(self.data + AT_SOURCE), IP(203, 0, 113, 7));
	CHECK_EQUAL(get32(self.data + AT_DESTINATION), CLIENT);
	CHECK(checksums_right(self.data, self.bytes));
	fixture_close(&nat);
}

int main(int argc, char **argv)
{
	(void)argc;
	fixture_eal(argv[0]);
	RUN(both_directions);
	RUN(mapping_is_endpoint_independent);
	RUN(udp_without_checksum_keeps_none);
	RUN(udp_checksum_never_becomes_zero);
	RUN(ports_run_out_and_come_back_last);
	RUN(table_fills);
	RUN(only_outbound_packets_keep_a_mapping);
	RUN(uses_are_noted_to_the_second);
	RUN(refused_packets);
	RUN(churn);
	RUN(a_batch_sees_what_it_has_opened);
	RUN(notes_of_the_flow_cache);
	RUN(a_note_is_of_one_end);
	RUN(time_does_not_go_back);
	RUN(instances_split_the_ports);
	RUN(a_hairpin_to_another_instance_is_lost);
	return 0;
}
