/* SPDX-License-Identifier: BSD-3-Clause */
#include "openflow/openflow_interpret.h"
#include "openflow/openflow_layout.h"

_Static_assert(OPENFLOW_GOES_ON == 0, "generated code tests for zero");

static uint32_t change(uint8_t *frame, const struct packet *parsed, uint32_t kind, uint64_t value)
{
	return openflow_change(frame, parsed, kind, value);
}

static uint32_t execute(const struct openflow_settings *settings, struct openflow_row *row,
			const struct openflow_action_set *set, uint8_t *frame, const struct packet *parsed)
{
	return openflow_execute(settings, row, set, frame, parsed);
}

static void remark(uint8_t *frame, const struct packet *parsed, uint32_t levels)
{
	openflow_remark(frame, parsed, (uint8_t)levels);
}

static void fill(const struct openflow_limit *limit, struct openflow_bucket *bucket, uint64_t now_ns)
{
	openflow_bucket_fill(limit, bucket, now_ns);
}

const struct openflow_layout openflow_layout = {
	.batch_count = offsetof(struct batch, count),
	.batch_mbufs = offsetof(struct batch, mbufs),
	.batch_packets = offsetof(struct batch, packets),
	.batch_outcome = offsetof(struct batch, outcome),
	.packet_kind = offsetof(struct packet, kind),
	.packet_version = offsetof(struct packet, version),
	.packet_protocol = offsetof(struct packet, protocol),
	.packet_l4 = offsetof(struct packet, l4),
	.mbuf_buffer = offsetof(struct rte_mbuf, buf_addr),
	.mbuf_data = offsetof(struct rte_mbuf, data_off),
	.mbuf_bytes = offsetof(struct rte_mbuf, data_len),
	.mbuf_port = offsetof(struct rte_mbuf, port),
	.packet_bytes = sizeof(struct packet),
	.kind_l4 = PACKET_L4,
	.kind_malformed = PACKET_MALFORMED,
	.kind_vlan = PACKET_VLAN,
	.sent = OPENFLOW_SENT_OUT,
	.missed = OPENFLOW_MISSED,
	.dropped = OPENFLOW_DROPPED,
	.metered = OPENFLOW_METERED,
	.ttl_expired = OPENFLOW_TTL_EXPIRED,
	.malformed = OPENFLOW_MALFORMED,
	.vlan = OPENFLOW_VLAN,
	.change = change,
	.execute = execute,
	.remark = remark,
	.fill = fill,
};
