/* SPDX-License-Identifier: BSD-3-Clause
 *
 * After every flow-mod the tables must do what tables made of the same entries do. With the argument `threads`
 * only the tests in which threads meet, for ThreadSanitizer.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_malloc.h>

#include "check.h"
#include "flow_mod/flow_control.h"
#include "openflow/openflow_config.h"
#include "stage_fixture.h"

#define ENTRIES 3000u
#define FRAMES 64u
#define ROUNDS 300u
#define LINE 192u

static const char *mode; /* every test runs in both */

/* The entries as the file would have them, in the order in which they came. */
static struct {
	char lines[ENTRIES][LINE];
	uint32_t count;
} model;

static struct fixture changed;
static char control_path[64];

/* One file each for the rules and the configuration of tables that change, and of those that are made anew. */
static const char *rules_path[2], *config_path_of[2];

static void make_files(void)
{
	char text[512];

	for (uint32_t changeable = 0; changeable < 2; changeable++) {
		rules_path[changeable] = fixture_file("");
		snprintf(text, sizeof(text), "[openflow]\nrules = %s\nmode = %s\nnext_hops_generated = 3\n", rules_path[changeable], mode);
		if (changeable)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "control = %s\n", control_path);
		config_path_of[changeable] = fixture_file(text);
	}
}

static void open_tables(struct fixture *f, const char *rules, bool changeable)
{
	FILE *file = fopen(rules_path[changeable], "w");

	CHECK(file != NULL && fputs(rules, file) >= 0 && fclose(file) == 0);
	fixture_open_file(f, &openflow_stage, config_path_of[changeable]);
}

static bool apply(const char *line, char why[OPENFLOW_WHY_BYTES])
{
	char text[LINE + 16];

	snprintf(text, sizeof(text), "%s", line);
	return openflow_control_line(rcu_tables_get(&changed.rcu), text, NULL, why);
}

static void must(const char *line)
{
	char why[OPENFLOW_WHY_BYTES] = "";

	if (!apply(line, why))
		fprintf(stderr, "%s: %s\n", line, why);
	CHECK(why[0] == '\0');
}

/* `flow TABLE PRIORITY MATCH`: how much of a line names an entry. */
static size_t name_length(const char *line)
{
	const char *at = line;

	for (uint32_t blanks = 0; *at != '\0' && (*at != ' ' || ++blanks < 4);)
		at++;
	return (size_t)(at - line);
}

static uint32_t find(const char *line)
{
	uint32_t i = 0;
	size_t n = name_length(line);

	while (i < model.count && (name_length(model.lines[i]) != n || memcmp(model.lines[i], line, n) != 0))
		i++;
	return i;
}

static void add_or_modify(const char *line)
{
	char text[LINE + 8];
	uint32_t at = find(line);

	snprintf(text, sizeof(text), "%s %s", at < model.count && at % 2 != 0 ? "modify" : "add", line);
	must(text);
	CHECK(model.count < ENTRIES);
	memcpy(model.lines[at], line, strlen(line) + 1);
	model.count += at == model.count;
}

static void take_away(uint32_t at)
{
	char text[LINE + 8];

	snprintf(text, sizeof(text), "delete %.*s", (int)name_length(model.lines[at]), model.lines[at]);
	must(text);
	memmove(model.lines[at], model.lines[at + 1], (--model.count - at) * sizeof(model.lines[0]));
}

static struct frame frame_of(uint32_t i, unsigned int *seed)
{
	uint32_t to = IP(10, rand_r(seed) % 3, rand_r(seed) % 3, rand_r(seed) % 12);
	struct frame f = make_frame(rand_r(seed) % 2 == 0 ? 17 : 6, IP(10, 0, 0, 1 + i % 5), (uint16_t)(1 + i % 3), to, 53,
				    "payload payload pay", 19);

	put16(f.data, 0x0200);
	put32(f.data + 2, rand_r(seed) % 24);
	return f;
}

static void compare(unsigned int seed)
{
	static struct frame are[FRAMES], expected[FRAMES];
	static char rules[ENTRIES * LINE];
	struct fixture fresh = {0};
	size_t end = 0;

	rules[0] = '\0';
	for (uint32_t i = 0; i < model.count; i++)
		end += (size_t)snprintf(rules + end, sizeof(rules) - end, "%s\n", model.lines[i]);
	open_tables(&fresh, rules, false);
	for (uint32_t i = 0; i < FRAMES; i++)
		are[i] = expected[i] = frame_of(i, &seed);
	uint32_t n = fixture_run(&changed, are, FRAMES, 1);
	CHECK_EQUAL(fixture_run(&fresh, expected, FRAMES, 1), n);
	CHECK(memcmp(changed.batch.outcome, fresh.batch.outcome, FRAMES) == 0);
	for (uint32_t i = 0; i < n; i++)
		CHECK(are[i].bytes == expected[i].bytes && memcmp(are[i].data, expected[i].data, are[i].bytes) == 0);
	fixture_close(&fresh);
}

static const char *instructions_of(unsigned int *seed, uint32_t table)
{
	static char text[80];
	uint32_t n = rand_r(seed) % 40;

	switch (rand_r(seed) % 5) {
	case 0:
		return "drop";
	case 1:
		snprintf(text, sizeof(text), "write:group=%u", 1 + n % 3);
		break;
	case 2:
		snprintf(text, sizeof(text), "write:queue=%u,output=%u goto=%u", n % 8, 1 + n, table + 1 + n % 2);
		break;
	case 3:
		snprintf(text, sizeof(text), "apply:ip_dscp=%u write:output=%u", n, 1 + n);
		break;
	default:
		snprintf(text, sizeof(text), "write:eth_dst=02:00:00:00:09:%02x,dec_ttl,output=%u", n, 1 + n);
	}
	return text;
}

/* An entry of the table: of MAC addresses in table 0, of prefixes in 1, of all kinds behind them; now and then another. */
static void make_line(char line[LINE], unsigned int *seed)
{
	uint32_t table = rand_r(seed) % 4, odd = rand_r(seed) % 60, length = rand_r(seed) % 25 + 8;
	uint32_t to = IP(10, rand_r(seed) % 3, rand_r(seed) % 3, rand_r(seed) % 12) & ipv4_mask(length);
	char match[64];
	uint32_t priority = 5;

	if (odd == 0 || (table > 1 && odd % 3 == 0)) {
		snprintf(match, sizeof(match), "any");
		priority = odd % 2;
	} else if (odd == 1 || (table > 1 && odd % 3 == 1)) {
		snprintf(match, sizeof(match), "eth_type=0x0800,ip_proto=%u", odd % 2 == 0 ? 6 : 17);
		priority = rand_r(seed) % 40;
	} else if (table == 0) {
		snprintf(match, sizeof(match), "eth_dst=02:00:00:00:00:%02x", rand_r(seed) % 24);
		priority += rand_r(seed) % 2;
	} else {
		snprintf(match, sizeof(match), "eth_type=0x0800,ipv4_dst=%u.%u.%u.%u/%u", to >> 24, to >> 16 & 255, to >> 8 & 255,
			 to & 255, length);
		priority = length * 2 + rand_r(seed) % 2;
	}
	snprintf(line, LINE, "flow %u %u %s %s", table, priority, match, instructions_of(seed, table));
}

/* Entries come, change and go, until few are left again. */
static void random_mods(void)
{
	unsigned int seed = 7;
	char line[LINE];

	model.count = 0;
	open_tables(&changed, "\n", true);
	for (uint32_t round = 0; round < ROUNDS || model.count > 3; round++) {
		if (model.count != 0 && (round >= ROUNDS || rand_r(&seed) % 4 == 0)) {
			take_away(rand_r(&seed) % model.count);
		} else if (round < ROUNDS) {
			make_line(line, &seed);
			add_or_modify(line);
		}
		compare(seed);
	}
	fixture_close(&changed);
}

/* Groups of prefixes longer than 24 bits come and go; a shorter one shines through where a longer one leaves. */
static void nested_prefixes(void)
{
	static const uint32_t lengths[] = {8, 16, 22, 24, 25, 28, 31, 32};

	model.count = 0;
	open_tables(&changed, "\n", true);
	for (uint32_t turn = 0; turn < 3; turn++) {
		for (uint32_t i = 0; i < RTE_DIM(lengths) * 4; i++) {
			uint32_t length = lengths[(i * 5 + turn) % RTE_DIM(lengths)], to = IP(10, i / 16, 1, i) & ipv4_mask(length);
			char line[LINE];
			snprintf(line, sizeof(line), "flow 0 %u eth_type=0x0800,ipv4_dst=%u.%u.%u.%u/%u write:eth_src=02:00:00:00:%02x:%02x,output=3",
				 length, to >> 24, to >> 16 & 255, to >> 8 & 255, to & 255, length, turn, i);
			add_or_modify(line);
			compare(i);
		}
		add_or_modify("flow 0 0 eth_type=0x0800 write:output=9");
		compare(turn);
		while (model.count > 12) {
			take_away(model.count * 7 % 11);
			compare(model.count);
		}
	}
	CHECK_EQUAL(((struct openflow_tables *)rcu_tables_get(&changed.rcu))->tables[0]->kind, OPENFLOW_PREFIXES);
	fixture_close(&changed);
}

/* More keys and different instructions than there was room for. */
static void tables_grow(void)
{
	model.count = 0;
	open_tables(&changed, "\n", true);
	for (uint32_t i = 0; i < 2500; i++) {
		char line[LINE];
		snprintf(line, sizeof(line), "flow 0 4 eth_dst=02:00:00:00:%02x:%02x write:ipv4_src=192.0.%u.%u,output=2", i >> 8, i & 255,
			 i >> 8, i & 255);
		memcpy(model.lines[model.count++], line, LINE);
		char text[LINE + 8];
		snprintf(text, sizeof(text), "add %s", line);
		must(text);
		if (i % 100 == 0 || i < 20)
			compare(i);
	}
	while (model.count > 2000)
		take_away(model.count % 97);
	compare(1);
	char why[OPENFLOW_WHY_BYTES] = "";
	CHECK(!apply("add flow 0 9 in_port=1 drop", why));
	CHECK(strstr(why, "only a reload") != NULL);
	compare(2);
	fixture_close(&changed);
}

static void mistakes_change_nothing(void)
{
	static const struct {
		const char *line, *why;
	} wrong[] = {
		{"", "expected `add flow`"},
		{"remove flow 0 1 any", "expected `add flow`"},
		{"add group 1 indirect output=1", "groups and meters"},
		{"add flow", "expected `flow TABLE"},
		{"add flow 0 1 any", "expected instructions"},
		{"add flow 0 1 any write:group=9", "no group 9"},
		{"add flow 0 1 any meter=9", "no meter 9"},
		{"add flow 3 1 any goto=3", "expected a table behind"},
		{"add flow 0 1 colour=red drop", "expected a field"},
		{"modify flow 0 1 any drop", "no entry"},
		{"delete flow 0 1 any", "no entry"},
		{"delete flow 0 5 eth_dst=02:00:00:00:00:01 drop", "nothing follows"},
	};
	model.count = 0;
	open_tables(&changed, "\n", true);
	add_or_modify("flow 0 5 eth_dst=02:00:00:00:00:01 write:output=1");
	add_or_modify("flow 0 0 any write:output=2");
	for (uint32_t i = 0; i < RTE_DIM(wrong); i++) {
		char why[OPENFLOW_WHY_BYTES] = "";
		CHECK(!apply(wrong[i].line, why));
		if (strstr(why, wrong[i].why) == NULL)
			fprintf(stderr, "%s: %s\n", wrong[i].line, why);
		CHECK(strstr(why, wrong[i].why) != NULL);
		compare(i);
	}
	fixture_close(&changed);
}

/* The socket, while another thread forwards. */

static struct {
	struct rte_rcu_qsbr *readers;
	_Atomic bool stop;
	uint64_t packets;
} forwarding;

static void *forward(void *arg)
{
	static struct frame frames[FRAMES];

	(void)arg;
	(void)rte_rcu_qsbr_thread_register(forwarding.readers, 0);
	rte_rcu_qsbr_thread_online(forwarding.readers, 0);
	while (!forwarding.stop) {
		unsigned int seed = 1;
		for (uint32_t i = 0; i < FRAMES; i++)
			frames[i] = frame_of(i, &seed);
		(void)fixture_run(&changed, frames, FRAMES, 1);
		CHECK_EQUAL(fixture_outcome(&changed, "output"), FRAMES); /* no entry is ever away */
		forwarding.packets += FRAMES;
		rte_rcu_qsbr_quiescent(forwarding.readers, 0);
	}
	rte_rcu_qsbr_thread_offline(forwarding.readers, 0);
	return NULL;
}

static void expect_answer(int client, const char *line, const char *expected)
{
	char answer[OPENFLOW_WHY_BYTES + 16] = "";
	size_t bytes = 0;

	CHECK(send(client, line, strlen(line), 0) == (ssize_t)strlen(line));
	while (memchr(answer, '\n', bytes) == NULL) {
		ssize_t n = recv(client, answer + bytes, sizeof(answer) - 1 - bytes, 0);
		CHECK(n > 0);
		bytes += (size_t)n;
	}
	CHECK(strncmp(answer, expected, strlen(expected)) == 0);
}

static int connect_to_control(void)
{
	const struct timeval patience = {.tv_sec = 20};
	struct sockaddr_un there = {.sun_family = AF_UNIX};
	int client = socket(AF_UNIX, SOCK_STREAM, 0);

	CHECK(client >= 0 && setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0);
	snprintf(there.sun_path, sizeof(there.sun_path), "%s", control_path);
	CHECK(connect(client, (const struct sockaddr *)&there, sizeof(there)) == 0);
	return client;
}

static void by_socket_while_packets_pass(void)
{
	static const uint32_t entries[] = {3, 40};
	pthread_t thread;
	char line[LINE];

	open_tables(&changed, "flow 0 0 any write:output=1\n", true);
	forwarding.readers = rte_zmalloc("readers", rte_rcu_qsbr_get_memsize(1), 64);
	CHECK(forwarding.readers != NULL && rte_rcu_qsbr_init(forwarding.readers, 1) == 0);
	CHECK(openflow_control_start(changed.settings, &changed.rcu, forwarding.readers));
	forwarding.stop = false;
	CHECK(pthread_create(&thread, NULL, forward, NULL) == 0);
	int client = connect_to_control(), other = connect_to_control();
	for (uint32_t turn = 0; turn < RTE_DIM(entries); turn++)
		for (uint32_t i = 0; i < entries[turn] * 3; i++) {
			snprintf(line, sizeof(line), "%s flow 0 5 eth_dst=02:00:00:00:00:%02x%s\n", i % 3 == 2 ? "delete" : "add",
				 i / 3 % 24, i % 3 == 2 ? "" : i % 3 == 1 ? " write:group=2" : " write:output=4");
			expect_answer(i % 2 == 0 ? client : other, line, "ok\n");
		}
	expect_answer(client, "add flow 0 5 any goto=0\n", "refused: goto=0");
	expect_answer(other, "delete flow 0 5 in_port=1\n", "refused: table 0 has no entry");
	close(other);
	expect_answer(client, "add flow 0 5 in_port=1 write:output=2\r\n", "ok\n");
	forwarding.stop = true;
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(forwarding.packets != 0);
	openflow_control_stop();
	CHECK(access(control_path, F_OK) != 0);
	close(client);
	rte_free(forwarding.readers);
	fixture_close(&changed);
}

/* Sends lines until nothing more is taken, and reads no answer. Returns how many. */
static uint32_t send_until_full(int client)
{
	static const char line[] = "modify flow 0 0 any write:output=1\n";
	uint32_t lines = 0;

	for (uint32_t idle = 0; idle < 20; idle++) /* control may be at it still */
		if (send(client, line, sizeof(line) - 1, MSG_DONTWAIT) == sizeof(line) - 1) {
			lines++;
			idle = 0;
		} else {
			rte_delay_us_sleep(10000);
		}
	return lines;
}

/* It holds up itself, but neither the other clients nor the end. */
static void a_client_that_reads_no_answers(void)
{
	char answers[4096];

	open_tables(&changed, "flow 0 0 any write:output=1\n", true);
	forwarding.readers = rte_zmalloc("readers", rte_rcu_qsbr_get_memsize(1), 64);
	CHECK(forwarding.readers != NULL && rte_rcu_qsbr_init(forwarding.readers, 1) == 0);
	CHECK(openflow_control_start(changed.settings, &changed.rcu, forwarding.readers));
	int greedy = connect_to_control(), other = connect_to_control();
	uint32_t lines = send_until_full(greedy);
	expect_answer(other, "add flow 0 5 in_port=1 write:output=2\n", "ok\n");
	for (size_t left = lines * 3; left > 0;) { /* each is answered, once it reads */
		ssize_t n = recv(greedy, answers, RTE_MIN(left, sizeof(answers)), 0);
		CHECK(n > 0);
		left -= (size_t)n;
	}
	expect_answer(greedy, "delete flow 0 5 in_port=1\n", "ok\n");
	CHECK(send_until_full(greedy) != 0);
	openflow_control_stop();
	close(greedy);
	close(other);
	rte_free(forwarding.readers);
	fixture_close(&changed);
}

int main(int argc, char **argv)
{
	static const char *const modes[] = {"interpreted", "specialised"};

	bool alone = argc == 1;

	CHECK(alone || strcmp(argv[1], "threads") == 0);
	fixture_eal(argv[0]);
	snprintf(control_path, sizeof(control_path), "/tmp/flow_mod_test.%d", (int)getpid());
	for (uint32_t i = 0; i < 2; i++) {
		mode = modes[i];
		make_files();
		if (alone) {
			RUN(random_mods);
			RUN(nested_prefixes);
			RUN(tables_grow);
			RUN(mistakes_change_nothing);
		}
		RUN(by_socket_while_packets_pass);
		RUN(a_client_that_reads_no_answers);
	}
	return 0;
}
