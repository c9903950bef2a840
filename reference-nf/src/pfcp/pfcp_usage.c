/* SPDX-License-Identifier: BSD-3-Clause */
#include "pfcp/pfcp_usage.h"
#include "pfcp/pfcp_read.h"

#define QUERY_ALL 4u /* QAURR of PFCPSMReq-Flags */

void pfcp_put_usage(struct pfcp_writer *w, uint16_t type, const struct upf_usage *usage,
		    enum pfcp_trigger trigger)
{
	uint64_t up = usage->bytes[UPF_UPLINK], down = usage->bytes[UPF_DOWNLINK], volumes[] = {up + down, up, down};
	uint8_t value[25] = {7}; /* total, uplink and downlink */
	uint32_t group = pfcp_open_group(w, type);

	for (uint32_t v = 0; v < 3; v++)
		for (uint32_t i = 0; i < 8; i++)
			value[1 + v * 8 + i] = (uint8_t)(volumes[v] >> (56 - 8 * i));
	pfcp_put_number(w, PFCP_URR_ID, usage->urr, 4);
	pfcp_put_number(w, PFCP_UR_SEQN, usage->number, 4);
	pfcp_put_number(w, PFCP_USAGE_REPORT_TRIGGER, trigger, 3);
	pfcp_put(w, PFCP_VOLUME_MEASUREMENT, value, sizeof(value));
	pfcp_close_group(w, group);
}

bool pfcp_check_queries(const uint8_t *body, uint32_t bytes, const struct upf_rules *rules,
			struct pfcp_fault *fault)
{
	struct pfcp_request r = {.fault = fault};
	struct pfcp_reader reader = pfcp_reader(body, bytes);
	struct pfcp_ie ie;
	uint32_t id;

	while (pfcp_next(&reader, &ie)) {
		if (ie.type != PFCP_QUERY_URR)
			continue;
		if (!read_id(&r, &ie, PFCP_URR_ID, &id))
			return false;
		if (upf_find_urr(rules, id) == rules->urr_count)
			return refuse_rule(&r, UPF_URR, id, "is queried, and is not there");
	}
	return true;
}

bool pfcp_is_queried(const uint8_t *body, uint32_t bytes, uint32_t urr)
{
	struct pfcp_request r = {.fault = &(struct pfcp_fault){0}};
	struct pfcp_reader reader = pfcp_reader(body, bytes);
	struct pfcp_ie ie;
	uint32_t id;

	while (pfcp_next(&reader, &ie)) {
		if (ie.type == PFCP_SM_REQUEST_FLAGS && ie.bytes != 0 && (ie.value[0] & QUERY_ALL) != 0)
			return true;
		if (ie.type == PFCP_QUERY_URR && read_id(&r, &ie, PFCP_URR_ID, &id) && id == urr)
			return true;
	}
	return false;
}
