/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the file of rules says: flow entries, their instructions, groups and meters. docs/behaviour.md, openflow.
 */
#ifndef OPENFLOW_SETTINGS_H
#define OPENFLOW_SETTINGS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define OPENFLOW_TABLES 16u
#define OPENFLOW_PORTS 64u /* numbers from 1 */
#define OPENFLOW_QUEUES 8u
#define OPENFLOW_APPLY_MAX 8u
#define OPENFLOW_ENTRIES_MAX 2000000u
#define OPENFLOW_ID_MAX 65535u	   /* of groups and meters */
#define OPENFLOW_RATE_MAX 1000000000u /* of a meter, packets/s or kbit/s; and of its burst */
#define OPENFLOW_NONE UINT32_MAX

/* In the order in which an entry is compared: what makes a field be there stands before it. An address of IPv6 is two
 * of 64 bits. Ports of TCP and UDP are one field: ip_proto tells them apart. */
enum openflow_field {
	OPENFLOW_IN_PORT,
	OPENFLOW_METADATA,
	OPENFLOW_ETH_DST,
	OPENFLOW_ETH_SRC,
	OPENFLOW_ETH_TYPE,
	OPENFLOW_IP_DSCP,
	OPENFLOW_IP_PROTO,
	OPENFLOW_IPV4_SRC,
	OPENFLOW_IPV4_DST,
	OPENFLOW_IPV6_SRC,
	OPENFLOW_IPV6_SRC_LOW,
	OPENFLOW_IPV6_DST,
	OPENFLOW_IPV6_DST_LOW,
	OPENFLOW_L4_SRC,
	OPENFLOW_L4_DST,
	OPENFLOW_FIELDS
};

/* A port that is not there, of a fragment for instance, is no number of 16 bits, and masks of ports have this bit. */
#define OPENFLOW_NO_L4 0x10000u

/* The field's bits under mask are value. Numbers as a person reads them: the first byte in the frame is the highest. */
struct openflow_term {
	uint64_t value, mask;
	uint32_t field, unused;
};

/* In the order in which the standard executes an action set (OpenFlow 1.3, 5.10). */
enum openflow_action_kind {
	OPENFLOW_DEC_TTL,
	OPENFLOW_SET_ETH_DST,
	OPENFLOW_SET_ETH_SRC,
	OPENFLOW_SET_DSCP,
	OPENFLOW_SET_IPV4_SRC,
	OPENFLOW_SET_IPV4_DST,
	OPENFLOW_QUEUE,
	OPENFLOW_GROUP,
	OPENFLOW_OUTPUT,
	OPENFLOW_ACTIONS
};

/* value: of a set-field the new one, of a group its number (not its id), of the others the port or queue. */
struct openflow_action {
	uint64_t value;
	uint32_t kind, unused;
};

/* An action set: at most one action of each kind. */
struct openflow_action_set {
	uint64_t values[OPENFLOW_ACTIONS]; /* 0 where not present */
	uint32_t present;		   /* bit set of kinds */
	uint32_t unused;
};

/* Executed in this order: meter, apply, clear, write, metadata, next. Without holes: compared and hashed as bytes. */
struct openflow_instructions {
	struct openflow_action apply[OPENFLOW_APPLY_MAX];
	struct openflow_action_set write;
	uint64_t metadata, metadata_mask;
	uint32_t apply_count;
	uint32_t meter; /* its number, or OPENFLOW_NONE */
	uint32_t next;	/* table, or OPENFLOW_NONE */
	uint32_t clear; /* 1: clears the action set */
};
static_assert(sizeof(struct openflow_instructions) ==
		       OPENFLOW_APPLY_MAX * 16 + (OPENFLOW_ACTIONS + 1) * 8 + 2 * 8 + 4 * 4, "no holes");

struct openflow_entry {
	uint32_t first_term;
	uint32_t instructions; /* number */
	uint16_t priority;
	uint8_t table, term_count;
};

/* A group of type indirect: one bucket. */
struct openflow_group {
	uint32_t id;
	struct openflow_action_set actions;
};

/* One band. */
struct openflow_meter {
	uint32_t id;
	bool by_packets;      /* rate in packets/s, else kbit/s */
	uint8_t remark;	      /* drop precedences to go up; 0: drop */
	uint64_t rate, burst; /* of all instances together */
};

enum openflow_mode { OPENFLOW_INTERPRETED, OPENFLOW_SPECIALISED };

/* Written by openflow_configure(), then read only. */
struct openflow_settings {
	enum openflow_mode mode;
	bool changeable; /* single entries change while packets pass */
	char *control;	 /* path of the socket that they change by; NULL: none */
	struct openflow_entry *entries; /* by table, then by falling priority, then as added */
	struct openflow_term *terms;
	struct openflow_instructions *instructions; /* each different */
	struct openflow_group *groups;
	struct openflow_meter *meters;
	uint32_t entry_count, term_count, instructions_count, group_count, meter_count;
	uint32_t *index; /* of instructions by their hash: number + 1 */
	uint32_t index_size;
};

/* The number of equal instructions, which are added if there are none yet; OPENFLOW_NONE: no memory. */
uint32_t openflow_add_instructions(struct openflow_settings *settings, const struct openflow_instructions *instructions);
/* Terms by rising field. false: no memory. */
bool openflow_add_entry(struct openflow_settings *settings, const struct openflow_entry *entry,
			const struct openflow_term terms[]);
bool openflow_add_group(struct openflow_settings *settings, const struct openflow_group *group);
bool openflow_add_meter(struct openflow_settings *settings, const struct openflow_meter *meter);
/* By id; OPENFLOW_NONE: there is none. */
uint32_t openflow_find_group(const struct openflow_settings *settings, uint32_t id);
uint32_t openflow_find_meter(const struct openflow_settings *settings, uint32_t id);
/* Of two entries of one priority the one that was added first decides. false: no memory. */
bool openflow_sort_entries(struct openflow_settings *settings);
void openflow_release(void *settings);

#endif
