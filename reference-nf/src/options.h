/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define OPTIONS_MAX_SETS 64

/* The options after "--" on the command line. */
struct options {
	const char *config;
	const char *sets[OPTIONS_MAX_SETS];
	uint32_t set_count;
	const char *dump;
	uint64_t packets; /* 0: no limit */
	bool check_config;
	bool help;
};

/* false: reported on stderr. */
bool options_parse(struct options *options, int argc, char **argv);
void options_usage(const char *program);

#endif
