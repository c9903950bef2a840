/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages of PFCP, the protocol between SMF and UPF (N4; 3GPP TS 29.244, 7.2 and 8): what is read lies within the
 * message, what is written within its buffer.
 */
#ifndef PFCP_H
#define PFCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PFCP_PORT 8805u
#define PFCP_MESSAGE_MAX 8192u

enum pfcp_type {
	PFCP_HEARTBEAT_REQUEST = 1,
	PFCP_HEARTBEAT_RESPONSE = 2,
	PFCP_ASSOCIATION_SETUP_REQUEST = 5,
	PFCP_ASSOCIATION_SETUP_RESPONSE = 6,
	PFCP_ASSOCIATION_RELEASE_REQUEST = 9,
	PFCP_ASSOCIATION_RELEASE_RESPONSE = 10,
	PFCP_VERSION_NOT_SUPPORTED = 11,
	PFCP_SESSION_ESTABLISHMENT_REQUEST = 50,
	PFCP_SESSION_ESTABLISHMENT_RESPONSE = 51,
	PFCP_SESSION_MODIFICATION_REQUEST = 52,
	PFCP_SESSION_MODIFICATION_RESPONSE = 53,
	PFCP_SESSION_DELETION_REQUEST = 54,
	PFCP_SESSION_DELETION_RESPONSE = 55,
	PFCP_SESSION_REPORT_REQUEST = 56,
	PFCP_SESSION_REPORT_RESPONSE = 57,
};

enum pfcp_ie_type {
	PFCP_CREATE_PDR = 1,
	PFCP_PDI = 2,
	PFCP_CREATE_FAR = 3,
	PFCP_FORWARDING_PARAMETERS = 4,
	PFCP_CREATE_URR = 6,
	PFCP_CREATE_QER = 7,
	PFCP_CREATED_PDR = 8,
	PFCP_UPDATE_PDR = 9,
	PFCP_UPDATE_FAR = 10,
	PFCP_UPDATE_FORWARDING_PARAMETERS = 11,
	PFCP_UPDATE_URR = 13,
	PFCP_UPDATE_QER = 14,
	PFCP_REMOVE_PDR = 15,
	PFCP_REMOVE_FAR = 16,
	PFCP_REMOVE_URR = 17,
	PFCP_REMOVE_QER = 18,
	PFCP_CAUSE = 19,
	PFCP_SOURCE_INTERFACE = 20,
	PFCP_F_TEID = 21,
	PFCP_SDF_FILTER = 23,
	PFCP_APPLICATION_ID = 24,
	PFCP_GATE_STATUS = 25,
	PFCP_MBR = 26,
	PFCP_PRECEDENCE = 29,
	PFCP_VOLUME_THRESHOLD = 31,
	PFCP_REPORTING_TRIGGERS = 37,
	PFCP_REPORT_TYPE = 39,
	PFCP_OFFENDING_IE = 40,
	PFCP_DESTINATION_INTERFACE = 42,
	PFCP_UP_FUNCTION_FEATURES = 43,
	PFCP_APPLY_ACTION = 44,
	PFCP_SM_REQUEST_FLAGS = 49,
	PFCP_PDR_ID = 56,
	PFCP_F_SEID = 57,
	PFCP_NODE_ID = 60,
	PFCP_USAGE_REPORT_TRIGGER = 63,
	PFCP_VOLUME_MEASUREMENT = 66,
	PFCP_VOLUME_QUOTA = 73,
	PFCP_QUERY_URR = 77,
	PFCP_USAGE_REPORT_MODIFICATION = 78,
	PFCP_USAGE_REPORT_DELETION = 79,
	PFCP_USAGE_REPORT_REQUEST = 80,
	PFCP_URR_ID = 81,
	PFCP_DOWNLINK_DATA_REPORT = 83,
	PFCP_OUTER_HEADER_CREATION = 84,
	PFCP_UE_IP_ADDRESS = 93,
	PFCP_OUTER_HEADER_REMOVAL = 95,
	PFCP_RECOVERY_TIME_STAMP = 96,
	PFCP_UR_SEQN = 104,
	PFCP_ACTIVATE_PREDEFINED_RULES = 106,
	PFCP_DEACTIVATE_PREDEFINED_RULES = 107,
	PFCP_FAR_ID = 108,
	PFCP_QER_ID = 109,
	PFCP_FAILED_RULE_ID = 114,
	PFCP_QFI = 124,
};

enum pfcp_cause {
	PFCP_ACCEPTED = 1,
	PFCP_REJECTED = 64,
	PFCP_NO_SESSION = 65,
	PFCP_MANDATORY_IE_MISSING = 66,
	PFCP_CONDITIONAL_IE_MISSING = 67,
	PFCP_INVALID_LENGTH = 68,
	PFCP_MANDATORY_IE_INCORRECT = 69,
	PFCP_NO_ASSOCIATION = 72,
	PFCP_RULE_FAILURE = 73,
	PFCP_NO_RESOURCES = 75,
	PFCP_NOT_SUPPORTED = 76,
};

struct pfcp_header {
	uint8_t version, type;
	bool has_seid;
	uint64_t seid;
	uint32_t sequence;
	const uint8_t *body;
	uint32_t body_bytes;
};

/* false: it is cut short, or its lengths contradict each other. Of another version only that is told. */
bool pfcp_read_header(const uint8_t *data, size_t bytes, struct pfcp_header *header);

/* Information elements one after another. */
struct pfcp_reader {
	const uint8_t *at, *end;
	bool broken; /* an element reaches beyond the end */
};

struct pfcp_ie {
	uint16_t type, bytes;
	const uint8_t *value;
};

static inline struct pfcp_reader pfcp_reader(const uint8_t *data, uint32_t bytes)
{
	return (struct pfcp_reader){data, data + bytes, false};
}

/* false: there is none left, or broken. */
bool pfcp_next(struct pfcp_reader *reader, struct pfcp_ie *ie);

static inline uint64_t pfcp_number(const uint8_t *at, uint32_t bytes)
{
	uint64_t number = 0;

	for (uint32_t i = 0; i < bytes; i++)
		number = number << 8 | at[i];
	return number;
}

struct pfcp_writer {
	uint8_t data[PFCP_MESSAGE_MAX];
	uint32_t bytes;
	bool full; /* something was left out */
};

/* A message begins; it ends with its length. */
void pfcp_begin(struct pfcp_writer *writer, uint8_t type, bool has_seid, uint64_t seid, uint32_t sequence);
void pfcp_end(struct pfcp_writer *writer);
void pfcp_put(struct pfcp_writer *writer, uint16_t type, const void *value, uint32_t bytes);
void pfcp_put_number(struct pfcp_writer *writer, uint16_t type, uint64_t number, uint32_t bytes);
/* A grouped element: what is put between its begin, which returns its place, and its end. */
uint32_t pfcp_open_group(struct pfcp_writer *writer, uint16_t type);
void pfcp_close_group(struct pfcp_writer *writer, uint32_t place);

#endif
