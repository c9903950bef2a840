/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "io/offload.h"

static const struct {
	const char *name;
	enum offload offload;
} names[] = {
	{"checksum", OFFLOAD_CHECKSUM},
	{"hash", OFFLOAD_HASH},
	{"mark", OFFLOAD_MARK},
	{"decap", OFFLOAD_DECAP},
	{"rss", OFFLOAD_RSS},
};

static uint32_t find(const char *name, size_t length)
{
	for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == length && strncmp(names[i].name, name, length) == 0)
			return names[i].offload;
	return 0;
}

/* Calls see for each name of the list. */
static void each(const char *list, void (*see)(void *arg, const char *name, size_t length), void *arg)
{
	for (const char *at = list; *at != '\0';) {
		size_t all = strcspn(at, ","), before = strspn(at, " \t");
		size_t length = before > all ? 0 : strcspn(at + before, " \t,");
		see(arg, at + before, length);
		at += all + (at[all] == ',');
	}
}

static const char *list_of(struct config *config)
{
	return config_text(config, "io", "offload", "");
}

static void add(void *arg, const char *name, size_t length)
{
	*(uint32_t *)arg |= find(name, length);
}

uint32_t offload_read(struct config *config)
{
	uint32_t set = 0;

	each(list_of(config), add, &set);
	return set;
}

static void check_name(void *arg, const char *name, size_t length)
{
	if (find(name, length) == 0)
		config_mistake(arg, "io", "offload", "`%.*s`: expected some of checksum, hash, mark, decap, rss", (int)length, name);
}

static bool is(struct config *config, const char *section, const char *key, const char *value)
{
	return strcmp(config_text(config, section, key, ""), value) == 0;
}

static bool runs(struct config *config, const char *stage)
{
	const char *at = config_text(config, "chain", "stages", "");

	for (;;) {
		size_t length = strcspn(at, ",");
		if (length == strlen(stage) && strncmp(at, stage, length) == 0)
			return true;
		if (at[length] == '\0')
			return false;
		at += length + 1;
	}
}

static bool replays_learned(struct config *config)
{
	const char *profile = config_text(config, "traffic", "profile", "capture");

	return (strcmp(profile, "capture") == 0 || strcmp(profile, "http") == 0) && !is(config, "traffic", "replies", "as_is");
}

void offload_check(struct config *config)
{
	uint32_t set = offload_read(config);

	each(list_of(config), check_name, config);
	if (set != 0 && strcmp(config_text(config, "hop", "buffers", "none"), "none") != 0)
		config_mistake(config, "io", "offload", "does not go with [hop] buffers, which carry nothing handed in");
	if (is(config, "io", "port", "eal") && (set & (OFFLOAD_MARK | OFFLOAD_DECAP)) != 0)
		config_mistake(config, "io", "offload", "port = eal: a NIC is asked for checksum, hash and rss only");
	if ((set & OFFLOAD_MARK) != 0 && !is(config, "chain", "flow_cache", "on"))
		config_mistake(config, "io", "offload", "mark needs [chain] flow_cache = on, which follows it");
	if ((set & OFFLOAD_DECAP) != 0 && !runs(config, "gtp_decap"))
		config_mistake(config, "io", "offload", "decap needs stage gtp_decap, which reads what came out of the tunnel");
	if ((set & OFFLOAD_RSS) != 0 && is(config, "io", "fragments", "reassemble"))
		config_mistake(config, "io", "offload", "rss does not go with fragments = reassemble: a NIC does not bring all "
							"fragments of a datagram to one queue");
	if ((set & OFFLOAD_HASH) != 0 && !is(config, "io", "port", "eal") && replays_learned(config))
		config_mistake(config, "io", "offload",
			       "hash with captures needs [traffic] replies = as_is: a packet's flow is kept in the same field");
}

uint32_t offload_marks(struct config *config)
{
	return (uint32_t)config_u64(config, "io", "marks", 65536, 1, 1u << 24);
}
