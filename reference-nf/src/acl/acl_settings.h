/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ACL_SETTINGS_H
#define ACL_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/ipv6_prefix.h"

#define ACL_RULES_MAX 1000000u
#define ACL_PRIORITY_MAX ((1u << 28) - 1) /* rte_acl allows twice that: room for generated rules below */
#define ACL_PROTOCOL_ANY 256u

struct acl_range {
	uint16_t min, max;
};

struct acl_rule {
	uint32_t priority; /* in the file; the highest that matches decides. 0: a generated rule, in order */
	uint32_t line;	   /* in the file */
	bool permit;
	uint8_t version;   /* 4, 6; 0: both */
	uint16_t protocol; /* or ACL_PROTOCOL_ANY */
	struct ipv6_prefix source, destination; /* of IPv4: in the first 4 bytes, length 0..32 */
	struct acl_range source_ports, destination_ports;
};

struct acl_settings {
	struct acl_rule *rules; /* of the file, then generated ones */
	uint32_t rule_count, generated;
	bool permit_default;
};

/* false: no memory. */
bool acl_add_rule(struct acl_settings *settings, const struct acl_rule *rule);
void acl_release(void *settings);

#endif
