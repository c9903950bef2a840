/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DPI_SETTINGS_H
#define DPI_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#define DPI_RULE_NAME 32
#define DPI_RULES_MAX ((1u << 20) - 1) /* limit of a flow cache note: dpi_note.h */
#define DPI_NO_RULE DPI_RULES_MAX
#define DPI_INSPECT_MAX 0xffffu
#define DPI_SERVICES_MAX 32u
#define DPI_OTHER 0u /* the service of packets that no service's rule is charged with */

/* By rising severity: the most severe of the matching rules decides. */
enum dpi_action { DPI_NONE, DPI_PASS, DPI_MARK, DPI_DROP };

enum { DPI_IPV4 = 1, DPI_IPV6 = 2 };

/* A rule's L3/L4 part. Addresses are as in a packet, IPv4 in the first 4 bytes; bits past the prefix are 0. */
struct dpi_tuple {
	uint8_t versions; /* bit set of DPI_IPV4, DPI_IPV6; 0: the rule has no L3/L4 part */
	uint8_t protocol; /* 0: TCP and UDP */
	uint8_t source_bits, destination_bits;
	uint16_t source_ports[2], destination_ports[2]; /* first and last, host byte order */
	uint8_t source[16], destination[16];
};

/* A packet is charged to the first matching rule in dpi_settings.rules. */
struct dpi_rule {
	char id[DPI_RULE_NAME];
	enum dpi_action action;
	char *pattern; /* NULL: none */
	struct dpi_tuple tuple;
	const char *path; /* file of the rule; NULL: generated */
	uint32_t line;
};

/* A group of rules and its share of the rate. */
struct dpi_service {
	char name[DPI_RULE_NAME];
	uint32_t percent;
};

struct dpi_settings {
	char *rules_path, *patterns_path, *services_path; /* NULL: not given */
	char *cache;			  /* folder of compiled patterns; NULL: none */
	struct dpi_rule *rules;
	uint32_t rule_count;
	uint32_t inspect_packets; /* of a flow, with payload; 0: all */
	uint8_t mark_dscp;
	struct dpi_service *services; /* NULL: none; else the first is DPI_OTHER */
	uint32_t service_count;
	uint8_t *service_of;	 /* by rule */
	uint64_t shape_kbit;	 /* of all services and instances together; 0: no limit */
	uint64_t shape_burst_ns; /* after which an empty bucket is full */
};

/* Adds a copy of rule; the settings then own its pattern. false: no memory. */
bool dpi_add_rule(struct dpi_settings *settings, const struct dpi_rule *rule);
void dpi_release(void *settings);

#endif
