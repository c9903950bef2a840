/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "stage_fixture.h"

static struct fixture dpi;

static const char rules[] = "# rules\n"
			    "get pass ^GET /\n"
			    "video mark Host: [a-z.]*video\n"
			    "blocked drop Host: blocked\\.example\n"
			    "binary drop \\x13BitTorrent\n";

static void open_dpi(void)
{
	char text[256];
	snprintf(text, sizeof(text), "[dpi]\npatterns = %s\nmark_dscp = 8\n", fixture_file(rules));
	fixture_open(&dpi, &dpi_stage, text);
}

static struct frame carrying(uint8_t protocol, const char *payload)
{
	return make_frame(protocol, IP(10, 0, 0, 1), 4000, IP(192, 0, 2, 1), 80, payload, (uint32_t)strlen(payload));
}

#define RUNS(frame, outcome) CHECK(strcmp(fixture_run_one(&dpi, frame, 0), outcome) == 0)

static void each_outcome(void)
{
	static const struct {
		uint8_t protocol;
		const char *payload, *outcome;
	} cases[] = {
		{6, "GET / HTTP/1.1", "matched"},
		{17, "GET / HTTP/1.1", "matched"},
		{6, " GET / HTTP/1.1", "no_match"}, /* ^ is the payload's begin */
		{6, "Host: my.video", "marked"},
		{6, "GET /\r\nHost: my.video", "marked"},
		{6, "GET /\r\nHost: blocked.example", "dropped"},
		{6, "Host: blocked.example Host: video", "dropped"},
		{6, "\x13" "BitTorrent protocol", "dropped"},
		{6, "", "no_payload"},
		{17, "", "no_payload"},
		{1, "GET / HTTP/1.1", "not_inspected"},
	};

	open_dpi();
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct frame f = carrying(cases[i].protocol, cases[i].payload);
		fprintf(stderr, "  %s\n", cases[i].outcome);
		RUNS(&f, cases[i].outcome);
	}
	struct frame f = carrying(6, "GET /");
	put16(f.data + AT_TYPE, 0x8100);
	RUNS(&f, "not_inspected");
	fixture_close(&dpi);
}

static void mark_writes_dscp_and_mends_the_checksum(void)
{
	open_dpi();
	struct frame f = carrying(17, "Host: video");
	f.data[AT_TOS] = 0xb9; /* EF, ECT(1) */
	fix_checksums(&f);
	RUNS(&f, "marked");
	CHECK_EQUAL(f.data[AT_TOS], 8 << 2 | 1);
	CHECK(checksums_right(f.data, f.bytes));
	fixture_close(&dpi);
}

/* Padding behind the IP packet and what is behind UDP's length are not payload. */
static void only_the_payload_is_searched(void)
{
	open_dpi();
	struct frame f = carrying(17, "GETHost: blocked.example");
	put16(f.data + AT_L4 + 4, 8 + 3);
	fix_checksums(&f);
	RUNS(&f, "no_match");
	f = carrying(6, "");
	memcpy(f.data + f.bytes, "GET / HTTP/1.1", 14);
	f.bytes += 14;
	RUNS(&f, "no_payload");
	fixture_close(&dpi);
}

static void every_matching_rule_is_counted_once_a_packet(void)
{
	char report[256] = "";

	open_dpi();
	struct frame f = carrying(6, "GET /\r\nHost: video video video\r\nHost: blocked.example");
	RUNS(&f, "dropped");
	FILE *out = fmemopen(report, sizeof(report), "w");
	dpi_stage.report(&dpi.live, &dpi.state, 1, out);
	fclose(out);
	CHECK(strcmp(report, ",\"dpi_rules\":{\"get\":1,\"video\":1,\"blocked\":1}") == 0);
	dpi_stage.reset(&dpi.live, &dpi.state, 1);
	out = fmemopen(report, sizeof(report), "w");
	dpi_stage.report(&dpi.live, &dpi.state, 1, out);
	fclose(out);
	CHECK(strcmp(report, ",\"dpi_rules\":{}") == 0);
	fixture_close(&dpi);
}

static void a_pattern_that_is_none_is_refused(void)
{
	char text[256];
	snprintf(text, sizeof(text), "[dpi]\npatterns = %s\n", fixture_file("good pass a\nbad pass (b\n"));
	struct config *config = fixture_config(text);
	void *settings = dpi_stage.configure(config);
	CHECK_EQUAL(config_mistakes(config), 0);
	CHECK(dpi_stage.init(settings, &dpi.live, &(struct stage_place){.count = 1}) == NULL);
	dpi_stage.release(settings);
	config_free(config);
}

int main(int argc, char **argv)
{
	(void)argc;
	fixture_eal(argv[0]);
	RUN(each_outcome);
	RUN(mark_writes_dscp_and_mends_the_checksum);
	RUN(only_the_payload_is_searched);
	RUN(every_matching_rule_is_counted_once_a_packet);
	RUN(a_pattern_that_is_none_is_refused);
	return 0;
}
