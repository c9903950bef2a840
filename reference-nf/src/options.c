/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

void options_usage(const char *program)
{
	printf("usage: %s [EAL options] -- --config FILE [--set SECTION.KEY=VALUE]... [--packets N] [--dump OUT.pcap]\n"
	       "       %s --check-config --config FILE [--set SECTION.KEY=VALUE]...\n"
	       "Sends [traffic] through [chain] stages. One lcore: generator, NF and sink share it; two: the\n"
	       "NF has the main lcore, the traffic the other.\n"
	       "  --config FILE     INI file, see conf/\n"
	       "  --set S.K=VALUE   replaces a value of it\n"
	       "  --packets N       ends after N packets; with [io] port = eal, received ones\n"
	       "  --dump FILE       writes what was sent; needs --packets or [traffic] loop = once\n"
	       "  --check-config    only checks the configuration and every file it names\n"
	       "SIGHUP reads the configuration again: routes, rules and back ends change while packets pass; with a mistake in\n"
	       "it nothing changes. SIGINT and SIGTERM end the program with its totals.\n"
	       "Exit status: 0 ended as asked, totals add up; 1 failed while running; 2 usage or configuration.\n",
	       program, program);
}

static bool parse_packets(const char *text, uint64_t *packets)
{
	char *end;
	errno = 0;
	*packets = strtoull(text, &end, 10);
	if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *packets != 0)
		return true;
	fprintf(stderr, "--packets %s: expected a whole number above 0\n", text);
	return false;
}

static bool take(struct options *o, int option)
{
	switch (option) {
	case 'c':
		o->config = optarg;
		return true;
	case 's':
		if (o->set_count == OPTIONS_MAX_SETS) {
			fprintf(stderr, "--set: at most %d times\n", OPTIONS_MAX_SETS);
			return false;
		}
		o->sets[o->set_count++] = optarg;
		return true;
	case 'd':
		o->dump = optarg;
		return true;
	case 'p':
		return parse_packets(optarg, &o->packets);
	case 'k':
		o->check_config = true;
		return true;
	case 'h':
		o->help = true;
		return true;
	default:
		return false; /* getopt has said it */
	}
}

bool options_parse(struct options *o, int argc, char **argv)
{
	static const struct option known[] = {
		{"config", required_argument, NULL, 'c'}, {"set", required_argument, NULL, 's'},
		{"dump", required_argument, NULL, 'd'},	  {"packets", required_argument, NULL, 'p'},
		{"check-config", no_argument, NULL, 'k'}, {"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option;

	memset(o, 0, sizeof(*o));
	optind = 1;
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
		if (!take(o, option))
			return false;
	if (optind < argc) {
		fprintf(stderr, "%s: not an option\n", argv[optind]);
		return false;
	}
	if (o->config == NULL && !o->help) {
		fprintf(stderr, "--config FILE is missing; --help says more\n");
		return false;
	}
	return true;
}
