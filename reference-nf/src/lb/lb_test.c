/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>

#include "check.h"
#include "lb/lb_maglev.h"
#include "lb/lb_table.h"
#include "stage_fixture.h"

#define WEB IP(198, 51, 100, 80)
#define CLIENT IP(192, 0, 2, 1)
#define BACKEND(n) IP(10, 20, 0, n)
#define SECOND 1000000000ull
#define FIN 1
#define SYN 2
#define RST 4
#define ACK 16
#define RUNS(frame, now, outcome) CHECK(strcmp(fixture_run_one(&lb, frame, now), outcome) == 0)

static struct fixture lb;

static const char *lb_config_text(const char *services, const char *keys)
{
	static char text[512];
	snprintf(text, sizeof(text), "[lb]\nservices = %s\nmaglev_size = 251\n%s\n", fixture_file(services), keys);
	return text;
}

static void open_lb(const char *services, const char *keys)
{
	fixture_open(&lb, &lb_stage, lb_config_text(services, keys));
}

/* Acts like a reload: new settings, new tables, the old ones destroyed. */
static void reload(const char *services)
{
	struct config *config = fixture_config(lb_config_text(services, ""));
	const struct stage_place place = {.count = 1, .socket = (int)rte_socket_id()};
	void *settings = lb_stage.hooks.configure(config), *old = rcu_tables_get(&lb.rcu);

	CHECK_EQUAL(config_mistakes(config), 0);
	config_free(config);
	atomic_store(&lb.rcu.tables, lb_stage.hooks.build(settings, &place));
	CHECK(rcu_tables_get(&lb.rcu) != NULL);
	lb_stage.hooks.destroy(old);
	lb_stage.hooks.release(lb.settings);
	lb.settings = settings;
}

/* The instance starts again, as another variant. */
static void restart(struct stage_place place)
{
	place.socket = (int)rte_socket_id();
	lb_stage.fini(lb.state);
	lb.state = lb_stage.init(lb.settings, &lb.rcu, &place);
	CHECK(lb.state != NULL);
}

static struct frame segment(uint16_t port, uint8_t flags)
{
	struct frame f = make_frame(6, CLIENT, port, WEB, 80, "", 0);
	f.data[AT_L4 + 13] = flags;
	fix_checksums(&f);
	return f;
}

/* The back end that a client's segment goes to: the last byte of its address. */
static uint8_t sent_to(uint16_t port, uint8_t flags, uint64_t now, const char *outcome)
{
	struct frame f = segment(port, flags);
	RUNS(&f, now, outcome);
	CHECK(checksums_right(f.data, f.bytes));
	CHECK_EQUAL(get16(f.data + AT_L4), port);
	return f.data[AT_DESTINATION + 3];
}

static struct frame answer_of(uint8_t backend, uint16_t port, uint8_t flags)
{
	struct frame f = make_frame(6, BACKEND(backend), 8080, CLIENT, port, "", 0);
	f.data[AT_L4 + 13] = flags;
	fix_checksums(&f);
	return f;
}

#define TWO "service 198.51.100.80:80 tcp\nbackend 10.20.0.1:8080 1\nbackend 10.20.0.2:8080 1\n"
#define TWO_AND(state) TWO "backend 10.20.0.3:8080 1 " state "\n"

static void back_ends_leave_and_come_back(void)
{
	uint8_t first[64];

	open_lb(TWO_AND("up"), "");
	for (uint16_t n = 0; n < 64; n++)
		first[n] = sent_to(1000 + n, SYN, 0, "opened");
	reload(TWO_AND("drain"));
	for (uint16_t n = 0; n < 64; n++) {
		CHECK_EQUAL(sent_to(1000 + n, ACK, 0, "forwarded"), first[n]);
		CHECK(sent_to(2000 + n, SYN, 0, "opened") != 3);
	}
	reload(TWO); /* removed without a state: also drained */
	for (uint16_t n = 0; n < 64; n++)
		CHECK_EQUAL(sent_to(1000 + n, ACK, 0, "forwarded"), first[n]);
	reload(TWO_AND("up"));
	for (uint16_t n = 0; n < 64; n++) {
		CHECK_EQUAL(sent_to(1000 + n, ACK, 0, "forwarded"), first[n]);
		uint8_t now = sent_to(3000 + n, SYN, 0, "opened");
		CHECK(now >= 1 && now <= 3);
	}
	fixture_close(&lb);
}

/* Of a dead back end's connections, only those continue that start again. */
static void connections_of_a_dead_back_end_end(void)
{
	uint32_t dead = 0;
	uint8_t first[64];

	open_lb(TWO_AND("up"), "");
	for (uint16_t n = 0; n < 64; n++)
		first[n] = sent_to(1000 + n, SYN, 0, "opened");
	reload(TWO_AND("down"));
	for (uint16_t n = 0; n < 64; n++) {
		struct frame f = segment(1000 + n, ACK);
		RUNS(&f, 0, first[n] == 3 ? "not_opening" : "forwarded");
		dead += first[n] == 3;
		if (first[n] == 3) {
			struct frame late = answer_of(3, 1000 + n, ACK);
			RUNS(&late, 0, "no_service");
			CHECK(sent_to(1000 + n, SYN, 0, "opened") != 3);
		}
	}
	CHECK(dead > 5 && dead < 40);
	fixture_close(&lb);
}

static void a_service_takes_its_connections_with_it(void)
{
	open_lb(TWO, "");
	uint8_t backend = sent_to(1000, SYN, 0, "opened");
	reload("service 198.51.100.81:80 tcp\nbackend 10.20.0.1:8080 1\n");
	struct frame f = segment(1000, ACK);
	RUNS(&f, 0, "no_service");
	CHECK_EQUAL(get32(f.data + AT_DESTINATION), WEB);
	struct frame last = answer_of(backend, 1000, ACK);
	RUNS(&last, 0, "replied"); /* until it has been idle */
	reload(TWO);
	CHECK_EQUAL(sent_to(1000, ACK, 0, "forwarded"), backend);
	fixture_close(&lb);
}

/* One record: opening it again takes the record that the same batch has just returned. */
static void records_run_out_and_come_back(void)
{
	open_lb(TWO, "entries = 1\ntcp_opening_timeout_s = 10\ntcp_closing_timeout_s = 20");
	uint8_t backend = sent_to(1, SYN, 0, "opened");
	struct frame f = segment(2, SYN);
	RUNS(&f, 11 * SECOND - 1, "table_full");
	sent_to(2, SYN, 11 * SECOND, "opened");
	sent_to(2, RST, 11 * SECOND, "forwarded");
	struct frame both[4] = {segment(2, SYN), segment(2, ACK), segment(3, SYN), segment(2, SYN)};
	CHECK_EQUAL(fixture_run(&lb, both, 4, 20 * SECOND), 3);
	CHECK_EQUAL(lb.batch.outcomes[1], 1);
	f = segment(3, SYN);
	RUNS(&f, 31 * SECOND - 1, "table_full");
	struct frame stray = answer_of(backend, 1, ACK);
	RUNS(&stray, 31 * SECOND - 1, "no_service");
	sent_to(3, SYN, 31 * SECOND, "opened");
	fixture_close(&lb);
}

/* Batches of workers that share a table do not come in the order of their times. */
static void time_does_not_go_back(void)
{
	open_lb(TWO, "tcp_opening_timeout_s = 10");
	uint8_t backend = sent_to(1, SYN, 20 * SECOND, "opened");
	sent_to(1, SYN, 9 * SECOND, "forwarded");
	struct frame back = answer_of(backend, 1, 0);
	RUNS(&back, 31 * SECOND - 1, "replied");
	sent_to(1, SYN, 22 * SECOND, "forwarded");
	struct frame late = answer_of(backend, 1, 0);
	RUNS(&late, 41 * SECOND - 1, "replied");
	fixture_close(&lb);
}

/* Many connections with three kinds of table, looked up in bulk and one by one, against the tables' own results. */
static void churn_of(enum flow_table_kind hash, bool prefetch)
{
	uint64_t random = 88172645463325252u;
	static uint8_t backend_of[3000];

	memset(backend_of, 0, sizeof(backend_of));
	open_lb(TWO_AND("up"), "entries = 2000\ntcp_timeout_s = 10\ntcp_opening_timeout_s = 10");
	restart((struct stage_place){.count = 1, .hash = hash, .prefetch = prefetch});
	for (uint64_t step = 0; step < 20000; step++) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		uint16_t flow = (uint16_t)((random >> 20) % 3000);
		struct frame f = segment(1000 + flow, SYN);
		const char *outcome = fixture_run_one(&lb, &f, step * (SECOND / 100));
		CHECK(strcmp(outcome, "opened") == 0 || strcmp(outcome, "forwarded") == 0);
		uint8_t backend = f.data[AT_DESTINATION + 3];
		CHECK(backend_of[flow] == 0 || backend_of[flow] == backend);
		backend_of[flow] = backend;
		struct frame back = answer_of(backend, 1000 + flow, ACK);
		RUNS(&back, step * (SECOND / 100), "replied");
		CHECK_EQUAL(get32(back.data + AT_SOURCE), WEB);
		CHECK_EQUAL(get16(back.data + AT_L4), 80);
	}
	fixture_close(&lb);
}

static void churn(void)
{
	for (enum flow_table_kind hash = FLOW_TABLE_SIGNATURE; hash <= FLOW_TABLE_RTE_HASH; hash++) {
		churn_of(hash, true);
		churn_of(hash, false);
	}
}

/* Notes lead to the connection without a lookup, and never to another one that now has its record. */
static void notes_of_the_flow_cache(void)
{
	struct flow_path path = {0}, *paths[2] = {&path, &path};

	open_lb(TWO, "entries = 1\ntcp_opening_timeout_s = 10");
	lb.batch.flow_cached = true;
	memcpy(lb.batch.paths, paths, sizeof(paths));
	uint8_t backend = sent_to(1, SYN, 0, "opened");
	uint64_t note = path.notes[0];
	CHECK(note != 0);
	CHECK_EQUAL(sent_to(1, SYN, 0, "forwarded"), backend);
	CHECK_EQUAL(path.notes[0], note);
	path.notes[0] = 0;
	sent_to(2, SYN, 11 * SECOND, "opened"); /* takes the only record */
	CHECK(path.notes[0] != note);
	path.notes[0] = note;
	struct frame f = segment(1, ACK);
	RUNS(&f, 11 * SECOND, "not_opening");
	lb.batch.flow_cached = false;
	fixture_close(&lb);
}

static struct stage_owner owner_of(const struct frame *frame)
{
	struct batch *b = &lb.batch;
	struct rte_mbuf mbuf = {.buf_addr = (void *)(uintptr_t)frame->data};
	struct stage_owner owner;

	b->mbufs[0] = &mbuf;
	b->count = 1;
	packet_parse(frame->data, frame->bytes, &b->packets[0]);
	lb_stage.hooks.owners(lb.settings, &lb.rcu, b, 4, &owner);
	return owner;
}

/* Both directions, and errors about them, have the client's end as their key. */
static void owners(void)
{
	struct frame there = segment(1000, SYN), back = answer_of(1, 1000, ACK);
	struct frame ping = make_frame(1, CLIENT, 7, WEB, 0, "x", 1);
	struct frame error = make_frame(1, IP(10, 20, 9, 9), 0, CLIENT, 0, (const char *)there.data + AT_IP, 40);

	open_lb(TWO, "");
	struct stage_owner owner = owner_of(&there);
	CHECK_EQUAL(owner.instance, OWNER_BY_KEY);
	CHECK_EQUAL(owner.key.words[0], (uint64_t)6 << 48 | (uint64_t)htons(1000) << 32 | htonl(CLIENT));
	struct stage_owner answer = owner_of(&back);
	CHECK_EQUAL(answer.instance, OWNER_BY_KEY);
	CHECK_EQUAL(answer.key.words[0], owner.key.words[0]);
	set_icmp_type(&error, 11);
	answer = owner_of(&error);
	CHECK_EQUAL(answer.instance, OWNER_BY_KEY);
	CHECK_EQUAL(answer.key.words[0], owner.key.words[0]);
	CHECK_EQUAL(owner_of(&ping).instance, OWNER_ANY);
	fixture_close(&lb);
}

static void entries_are_shared_out(void)
{
	open_lb(TWO, "entries = 5");
	restart((struct stage_place){.index = 1, .count = 2});
	for (uint16_t n = 0; n < 3; n++)
		sent_to(1000 + n, SYN, 0, "opened");
	struct frame f = segment(2000, SYN);
	RUNS(&f, 0, "table_full");
	restart((struct stage_place){.index = 0, .count = 2});
	for (uint16_t n = 0; n < 2; n++)
		sent_to(1000 + n, SYN, 0, "opened");
	f = segment(2000, SYN);
	RUNS(&f, 0, "table_full");
	const struct stage_place too_many = {.index = 0, .count = 6};
	CHECK(lb_stage.init(lb.settings, &lb.rcu, &too_many) == NULL);
	fixture_close(&lb);
}

/* Every back end alone in a table, among others, or not at all. */
static void maglev_shares(void)
{
	static uint16_t slots[65537];
	struct lb_backend backends[50];
	uint32_t count[50] = {0};

	for (uint32_t i = 0; i < 50; i++)
		backends[i] = (struct lb_backend){BACKEND(i), 80, (uint16_t)(i % 5 + 1), LB_BACKEND_UP};
	backends[7].state = LB_BACKEND_DOWN;
	backends[8].state = LB_BACKEND_DRAIN;
	CHECK(lb_maglev_fill(slots, 65537, backends, 50));
	for (uint32_t i = 0; i < 65537; i++) {
		CHECK(slots[i] < 50);
		count[slots[i]]++;
	}
	CHECK_EQUAL(count[7], 0);
	CHECK_EQUAL(count[8], 0);
	for (uint32_t i = 10; i < 50; i++) { /* within a turn or two of its weight's share; 143: all weights together */
		uint32_t share = 65537 * backends[i].weight / 143;
		CHECK(count[i] + 3 > share && count[i] < share + 3);
	}
	CHECK(lb_maglev_fill(slots, 2, backends, 1));
	CHECK_EQUAL(slots[0] + slots[1], 0);
	CHECK(lb_maglev_fill(slots, 251, backends + 7, 2));
	CHECK_EQUAL(slots[0], LB_MAGLEV_EMPTY);
}

static void refused(const char *services, const char *keys, uint32_t mistakes)
{
	struct config *config = fixture_config(lb_config_text(services, keys));
	void *settings = lb_stage.hooks.configure(config);

	CHECK(settings != NULL);
	CHECK_EQUAL(config_mistakes(config), mistakes);
	lb_stage.hooks.release(settings);
	config_free(config);
}

/* One run reports each line except the valid ones. */
static void mistakes(void)
{
	refused(TWO, "maglev_size = 250", 1);
	refused("", "services = nowhere.txt", 1);
	refused(TWO_AND("up"), "maglev_size = 2", 1);
	refused("backend 10.20.0.1:80 1\n"
		"service 198.51.100.80 tcp\n"
		"backend 10.20.0.1:80 0\n" /* of a service that is wrong: ignored */
		"service 198.51.100.80:0 tcp\n"
		"service 198.51.100.80:65536 tcp\n"
		"service 198.51.100.80:80 sctp\n"
		"service 198.51.100.80:80 tcp now\n" TWO TWO "service 198.51.100.80:81 tcp\n"
		"backend 10.20.0.1:8080 1\n"
		"backend 10.20.0.1:8080 1\n"
		"backend 10.20.0.9:8080 0\n"
		"backend 10.20.0.9:8080 65536\n"
		"backend 10.20.0.9:8080 4294967297\n"
		"backend 10.20.0.9:8080 -4294967295\n"
		"backend 10.20.0.9:8080 4294967297 drain\n"
		"backend 10.20.0.9:8080 1 dead\n"
		"backend 10.20.0.9 1\n"
		"back end\n"
		"backend 198.51.100.80:80 1 # a service\n",
		"", 17);
}

int main(int argc, char **argv)
{
	(void)argc;
	fixture_eal(argv[0]);
	RUN(back_ends_leave_and_come_back);
	RUN(connections_of_a_dead_back_end_end);
	RUN(a_service_takes_its_connections_with_it);
	RUN(records_run_out_and_come_back);
	RUN(time_does_not_go_back);
	RUN(churn);
	RUN(notes_of_the_flow_cache);
	RUN(owners);
	RUN(entries_are_shared_out);
	RUN(maglev_shares);
	RUN(mistakes);
	return 0;
}
