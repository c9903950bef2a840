/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What generated code has to know of structures and functions that a C++ compiler does not read: where members lie, and
 * what it may call.
 */
#ifndef OPENFLOW_LAYOUT_H
#define OPENFLOW_LAYOUT_H

#include "openflow/openflow_meter.h"
#include "openflow/openflow_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

struct openflow_row;
struct packet;

/* Offsets in bytes, but for the second part. */
struct openflow_layout {
	uint32_t batch_count, batch_mbufs, batch_packets, batch_outcome;
	uint32_t packet_kind, packet_version, packet_protocol, packet_l4;
	uint32_t mbuf_buffer, mbuf_data, mbuf_bytes, mbuf_port;

	uint32_t packet_bytes; /* of a struct packet */
	uint32_t kind_l4, kind_malformed, kind_vlan;
	uint32_t sent, missed, dropped, metered, ttl_expired, malformed, vlan; /* outcomes */

	/* Functions of openflow_actions.h, openflow_interpret.h and openflow_meter.h. An outcome 0: it goes on. */
	uint32_t (*change)(uint8_t *frame, const struct packet *parsed, uint32_t kind, uint64_t value);
	uint32_t (*execute)(const struct openflow_settings *settings, struct openflow_row *row,
			    const struct openflow_action_set *set, uint8_t *frame, const struct packet *parsed);
	void (*remark)(uint8_t *frame, const struct packet *parsed, uint32_t levels);
	void (*fill)(const struct openflow_limit *limit, struct openflow_bucket *bucket, uint64_t now_ns);
};

extern const struct openflow_layout openflow_layout;

#ifdef __cplusplus
}
#endif

#endif
