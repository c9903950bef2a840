/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>

#include "check.h"
#include "traffic/traffic_config.h"
#include "stage_fixture.h"

/* Mistakes of lines of [traffic]. The capture is missing, which is one mistake unless frames are generated. */
static uint32_t mistakes_of(const char *lines)
{
	char text[1024];
	snprintf(text, sizeof(text), "[traffic]\n%s", lines);
	struct config *config = fixture_config(text);
	struct traffic_settings *s = traffic_configure(config);
	CHECK(s != NULL);
	config_check_unknown(config);
	uint32_t mistakes = config_mistakes(config);
	traffic_release(s);
	config_free(config);
	return mistakes;
}

static void takes_what_is_good(void)
{
	CHECK_EQUAL(mistakes_of("profile = 64\n"), 0);
	CHECK_EQUAL(mistakes_of("profile = imix\ncopies = 64\ncapture = none.pcap\nunfit = skip\n"), 0);
	CHECK_EQUAL(mistakes_of("profile = 1500\nflows = 1000000\nskew = zipf\nzipf_exponent = 0.9\n"), 0);
	CHECK_EQUAL(mistakes_of("profile = 256\nrate_pps = 1000\nburst = 32\nlate_after_us = 0\nmeter = latency\n"), 0);
	CHECK_EQUAL(mistakes_of("profile = 64\nrate_pps = 1000\narrivals = nbinom:0.5\n"), 0);
	CHECK_EQUAL(mistakes_of("profile = 64\nnew_flows_per_second = 10000000\n"), 0);
	CHECK_EQUAL(mistakes_of("profile = 64\nns_per_packet = 0\nrate_pps = 10\nnew_flows_per_second = 10\n"), 0);
}

static void names_what_is_not(void)
{
	CHECK_EQUAL(mistakes_of("profile = 65\n"), 2); /* and the capture of the first profile is missing */
	CHECK_EQUAL(mistakes_of("profile = http\n"), 2); /* both captures */
	CHECK_EQUAL(mistakes_of("profile = 64\nloop = once\n"), 1);
	CHECK_EQUAL(mistakes_of("profile = 64\nburst = 2\nlate_after_us = 3\n"), 2);
	CHECK_EQUAL(mistakes_of("profile = 64\nrate_pps = 1000\narrivals = nbinom:9\n"), 1);
	CHECK_EQUAL(mistakes_of("profile = 64\nrate_pps = 10\nburst = 11\n"), 1);
	CHECK_EQUAL(mistakes_of("profile = 64\nnew_flows_per_second = 10000001\n"), 1);
	CHECK_EQUAL(mistakes_of("profile = 64\nns_per_packet = 0\nnew_flows_per_second = 1\n"), 1);
	CHECK_EQUAL(mistakes_of("profile = 64\nrate_pps = 10\nnew_flows_per_second = 11\n"), 1);
	CHECK_EQUAL(mistakes_of("profile = 64\nzipf_exponent = steep\n"), 1);
	CHECK_EQUAL(mistakes_of("profile = 64\nzipf_exponent = 0\n"), 1);
	CHECK_EQUAL(mistakes_of("profile = 64\nclients = 10.0.0.1/32\nflows = 64513\n"), 1);
	/* without effect with captures: three, and the capture */
	CHECK_EQUAL(mistakes_of("flows = 10\nskew = zipf\nmeter = order\n"), 4);
}

static void reads_targets(void)
{
	struct config *config = fixture_config("[traffic]\nprofile = 64\ntarget = 198.51.100.80:80, 192.0.2.1:65535\n");
	struct traffic_settings *s = traffic_configure(config);

	CHECK_EQUAL(config_mistakes(config), 0);
	CHECK_EQUAL(s->target_count, 2);
	CHECK_EQUAL(s->targets[0].address, htonl(IP(198, 51, 100, 80)));
	CHECK_EQUAL(s->targets[0].port, htons(80));
	CHECK_EQUAL(s->targets[1].address, htonl(IP(192, 0, 2, 1)));
	CHECK_EQUAL(s->targets[1].port, htons(65535));
	CHECK_EQUAL(s->clients.address, IP(198, 18, 0, 0)); /* from outside */
	traffic_release(s);
	config_free(config);
}

static void names_wrong_targets(void)
{
	static const char *const wrong[] = {"1.2.3.4",	 "1.2.3.4:",  "1.2.3.4:0",   "1.2.3.4:65536", "1.2.3:4",
					    "1.2.3.4:5x", "1.2.3.4:5,", "1.2.3.4:-5", ",1.2.3.4:5"};
	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char line[64];
		snprintf(line, sizeof(line), "profile = 64\ntarget = %s\n", wrong[i]);
		CHECK_EQUAL(mistakes_of(line), 1);
	}
}

int main(int argc, char **argv)
{
	(void)argc;
	fixture_eal(argv[0]);
	RUN(takes_what_is_good);
	RUN(names_what_is_not);
	RUN(reads_targets);
	RUN(names_wrong_targets);
	return 0;
}
