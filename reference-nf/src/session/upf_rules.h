/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rules of a session as a message or a file states them: by their numbers, before they are in force.
 */
#ifndef UPF_RULES_H
#define UPF_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "dpi/dpi_settings.h"
#include "upf/upf_mark.h"

#define UPF_RULES_MAX 32u /* of each kind, in a session */
#define UPF_OF_PDR 2u	  /* QERs, and URRs, that one PDR names */
#define UPF_FILTERS_OF_PDR 4u
#define UPF_UNLIMITED UINT32_MAX
#define UPF_NO_VOLUME UINT64_MAX

enum upf_action { UPF_DROP, UPF_FORWARD, UPF_BUFFER };
enum upf_direction { UPF_UPLINK, UPF_DOWNLINK, UPF_DIRECTIONS };
enum upf_volume { UPF_VOLUME_UPLINK, UPF_VOLUME_DOWNLINK, UPF_VOLUME_TOTAL, UPF_VOLUMES };

/* A subscriber's addresses, as they lie in packets. */
struct upf_ue {
	uint64_t ipv6; /* the first 8 bytes: a prefix of 64 bits */
	uint32_t ipv4;
	uint8_t versions; /* bit set of DPI_IPV4, DPI_IPV6; 0: any address */
};

/* Adds addresses of other versions. false: there is one of this version. */
static inline bool upf_ue_add(struct upf_ue *ue, const struct upf_ue *more)
{
	if ((ue->versions & more->versions) != 0)
		return false;
	ue->versions |= more->versions;
	ue->ipv4 |= more->ipv4; /* what has no version is 0 */
	ue->ipv6 |= more->ipv6;
	return true;
}

struct upf_pdr_terms {
	uint32_t id, precedence; /* the least is looked at first */
	uint32_t teid;		 /* of side UPF_ACCESS */
	uint8_t side;		 /* enum upf_side */
	bool predefined;	 /* matches what a static policy knows */
	uint64_t qfis;		 /* of side UPF_ACCESS: bit set of the flows of its packets; 0: any */
	uint8_t qer_count, urr_count, filter_count;
	struct upf_ue ue;
	/* As packets of that side have source and destination; protocol 0: any. Where there are some, one has to fit. */
	struct dpi_tuple filters[UPF_FILTERS_OF_PDR];
	uint32_t far;
	uint32_t qers[UPF_OF_PDR], urrs[UPF_OF_PDR];
};

struct upf_far_terms {
	uint32_t id;
	uint8_t action; /* enum upf_action */
	uint8_t to;	/* enum upf_side */
	bool notify;	/* the session's owner, of packets that would have to be kept */
	uint32_t teid;	/* of the tunnel to send into, for UPF_ACCESS */
	uint32_t peer;	/* its end, as in a packet; 0: no tunnel is known */
};

struct upf_qer_terms {
	uint32_t id;
	uint32_t kbit[UPF_DIRECTIONS]; /* a second; UPF_UNLIMITED */
	bool closed[UPF_DIRECTIONS];
	uint8_t qfi; /* 0: none */
};

struct upf_urr_terms {
	uint32_t id;
	uint64_t threshold[UPF_VOLUMES]; /* bytes from report to report; UPF_NO_VOLUME */
	uint64_t quota;			 /* bytes from its grant on; UPF_NO_VOLUME */
	bool granted;	  /* the quota counts from now on, also if it is as large as the one before */
	bool reports_quota; /* its end is reported */
};

struct upf_rules {
	uint32_t pdr_count, far_count, qer_count, urr_count;
	struct upf_pdr_terms pdrs[UPF_RULES_MAX];
	struct upf_far_terms fars[UPF_RULES_MAX];
	struct upf_qer_terms qers[UPF_RULES_MAX];
	struct upf_urr_terms urrs[UPF_RULES_MAX];
};

/* Kinds of rules, as messages about mistakes name them. */
enum upf_kind { UPF_PDR, UPF_FAR, UPF_QER, UPF_URR, UPF_KINDS };
extern const char *const upf_kind_names[];

/* What is wrong with rules, and with which. */
struct upf_refusal {
	const char *reason; /* NULL: nothing */
	enum upf_kind kind;
	uint32_t id; /* 0: with none of them */
};

#define UPF_REFUSAL_BYTES 320u
/* In words: `PDR 1: reason`. */
void upf_say_refusal(const struct upf_refusal *refusal, char text[UPF_REFUSAL_BYTES]);

/* The place of the rule of that number; count of them if there is none. */
uint32_t upf_find_pdr(const struct upf_rules *rules, uint32_t id);
uint32_t upf_find_far(const struct upf_rules *rules, uint32_t id);
uint32_t upf_find_qer(const struct upf_rules *rules, uint32_t id);
uint32_t upf_find_urr(const struct upf_rules *rules, uint32_t id);

/* Looks at the rules as a whole: numbers that stand twice, or name nothing. false: *refusal says why. */
bool upf_rules_check(const struct upf_rules *rules, struct upf_refusal *refusal);

/* `permit out PROTOCOL from ADDRESS [PORTS] to ADDRESS [PORTS]`, a subset of RFC 6733's IPFilterRule (4.3.1), as it is
 * for downlink; of UPF_ACCESS the ends are exchanged (3GPP TS 29.244, 5.2.1A.2A). NULL, or what is wrong. */
const char *upf_parse_filter(const char *text, enum upf_side side, struct dpi_tuple *filter);

#endif
