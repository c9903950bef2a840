/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sections [gtp_decap], [pdr], [qer], [urr], [far]; [network] n3.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "dpi/dpi_rules.h"
#include "io/offload.h"
#include "upf/upf_config.h"
#include "upf/upf_settings.h"

/* Whether the chain runs the stage; *before: and another one at any place before it. */
static bool runs(struct config *config, const char *stage, const char *other, bool *before)
{
	const char *at = config_text(config, "chain", "stages", "");

	for (*before = false;;) {
		size_t length = strcspn(at, ",");
		if (length == strlen(stage) && strncmp(at, stage, length) == 0)
			return true;
		if (length == strlen(other) && strncmp(at, other, length) == 0)
			*before = true;
		if (at[length] == '\0')
			return false;
		at += length + 1;
	}
}

/* Each stage rests on what another one has found out. */
static void check_order(struct config *config, const char *stage, const char *other)
{
	bool before;

	if (runs(config, stage, other, &before) && !before)
		config_mistake(config, "chain", "stages", "%s needs %s before it", stage, other);
}

/* Tunnels hide the flows, and a flow's path would be that of a whole access node. */
static void refuse_flow_cache(struct config *config)
{
	bool before;

	if (runs(config, "gtp_decap", "", &before) && strcmp(config_text(config, "chain", "flow_cache", "off"), "on") == 0)
		config_mistake(config, "chain", "flow_cache", "does not go with gtp_decap: it knows packets by what is outside of the tunnel");
}

void *gtp_decap_configure(struct config *config)
{
	struct upf_tunnel_settings *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->n3 = upf_read_n3(config);
	s->handed_in = (offload_read(config) & OFFLOAD_DECAP) != 0;
	refuse_flow_cache(config);
	return s;
}

/* Static policies are rules as dpi has them, without patterns. */
static struct dpi_settings *read_policies(struct config *config)
{
	struct dpi_settings *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->rules_path = config_path(config, "pdr", "policies");
	if (s->rules_path != NULL)
		dpi_read_rules(config, "pdr", "policies", s);
	for (uint32_t i = 0; i < s->rule_count; i++) {
		const struct dpi_rule *rule = &s->rules[i];
		if (rule->pattern != NULL)
			config_mistake_in_file(config, rule->path, rule->line, "a policy has no pattern");
		if (rule->action == DPI_MARK)
			config_mistake_in_file(config, rule->path, rule->line, "a policy's action is pass or drop");
	}
	return s;
}

static void read_amounts(struct config *config, struct upf_store_settings *s, uint32_t sessions)
{
	s->sessions = (uint32_t)config_u64(config, "pdr", "sessions_max", sessions, 1, 1u << 24);
	s->rules = (uint32_t)config_u64(config, "pdr", "rules_max", s->sessions * UINT64_C(5), 1, 1u << 26);
	s->filters = (uint32_t)config_u64(config, "pdr", "filters_max", 4096, 1, 1u << 24);
	if (s->filters < UPF_RULES_MAX || s->rules < UPF_RULES_MAX * 2)
		config_mistake(config, "pdr", s->filters < UPF_RULES_MAX ? "filters_max" : "rules_max",
			       "must have room for one session's rules: %u", UPF_RULES_MAX * 2);
}

/* Where SMFs reach this UPF. */
static uint32_t read_n4(struct config *config)
{
	const char *text = config_text(config, "pdr", "n4", NULL);
	uint32_t address = 0;

	if (text != NULL && (inet_pton(AF_INET, text, &address) != 1 || address == 0))
		config_mistake(config, "pdr", "n4", "expected the IPv4 address that SMFs reach this UPF by");
	return address;
}

void *pdr_configure(struct config *config)
{
	static const char *const switched[] = {"off", "on", NULL};
	struct pdr_settings *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	check_order(config, "pdr", "gtp_decap");
	s->policies = read_policies(config);
	s->sessions_path = config_path(config, "pdr", "sessions");
	s->sessions = upf_read_sessions(config, "pdr", "sessions", &s->session_count);
	s->messages = config_path(config, "pdr", "messages");
	s->n3 = upf_read_n3(config);
	s->n4 = read_n4(config);
	s->generated = config_choice(config, "pdr", "sessions_generated", "off", switched) == 1;
	upf_subscribers_configure(&s->subscribers, config);
	if (s->generated)
		upf_subscribers_check(&s->subscribers, config);
	s->churn = (uint32_t)config_u64(config, "pdr", "churn_per_second", 0, 0, 100000);
	if (s->churn != 0 && !s->generated)
		config_mistake(config, "pdr", "churn_per_second", "needs sessions_generated = on: these come and go");
	uint32_t there = s->session_count + (s->generated ? s->subscribers.count : 0);
	read_amounts(config, &s->store, there < 1024 ? 1024 : there + there / 16);
	if (s->policies == NULL) {
		pdr_release(s);
		return NULL;
	}
	return s;
}

void pdr_release(void *settings)
{
	struct pdr_settings *s = settings;

	if (s->policies != NULL)
		dpi_release(s->policies);
	free(s->sessions);
	free(s->sessions_path);
	free(s->messages);
	free(s);
}

void *qer_configure(struct config *config)
{
	struct qer_settings *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	check_order(config, "qer", "pdr");
	s->n3 = upf_read_n3(config);
	s->burst_ms = config_u64(config, "qer", "burst_ms", 100, 1, 1000);
	return s;
}

/* As qer's, of which a packet's owner needs n3. */
void *urr_configure(struct config *config)
{
	struct qer_settings *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	check_order(config, "urr", "pdr");
	s->n3 = upf_read_n3(config);
	return s;
}

void *far_configure(struct config *config)
{
	struct upf_tunnel_settings *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	check_order(config, "far", "pdr");
	s->n3 = upf_read_n3(config);
	return s;
}
