/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sessions in force: records of fixed places that lcores read while one control thread changes them (RCU).
 *
 * A PDR and a FAR are never changed: a session that is changed gets new ones, which are put in place of the old by one
 * store for each key, and the old ones' places are given anew when no lcore can hold them any more (rte_rcu_qsbr). QERs
 * and URRs stay, so that credit and counts do; their terms are single words.
 *
 * A packet on its way from lcore to lcore outlives an lcore's quiescent state: a stage behind the lookup compares the
 * record's epoch with the packet's mark, and looks up again where they differ (upf_match.h).
 */
#ifndef UPF_STORE_H
#define UPF_STORE_H

#include <pthread.h>
#include <stdatomic.h>

#include <rte_hash.h>
#include <rte_rcu_qsbr.h>
#include <rte_ring.h>

#include "stage.h"
#include "table/hashing.h"
#include "session/upf_rules.h"

#define UPF_NONE UINT32_MAX

/* Written by the control thread before it is published; then read only, but for the epoch. */
struct upf_pdr {
	_Atomic uint32_t epoch; /* odd: in force; rises when it is taken and when it is not in force any more */
	uint32_t next;		/* of the same key, by precedence; UPF_NONE */
	struct upf_ue ue;
	uint32_t filter; /* UPF_NONE: none */
	uint32_t far;
	uint32_t qers[UPF_OF_PDR], urrs[UPF_OF_PDR]; /* UPF_NONE */
	uint64_t match_qfis; /* bit set of those that packets may have; all: any */
	uint8_t side;
	uint8_t predefined;
	uint8_t qfi; /* that packets to the access side are sent with; 0: none */
	uint32_t home; /* the session's IPv4 address, by which its IPv6 packets, too, find their instance; 0: none */
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct upf_pdr) == 64, "one line");

struct upf_far {
	uint32_t teid, peer; /* network byte order */
	uint8_t action, to;
	uint8_t notify;
	_Atomic uint8_t notified; /* an lcore writes: once is enough */
	uint32_t id, sibling;
	uint32_t reserved[3];
};
_Static_assert(sizeof(struct upf_far) == 32, "two in a line");

/* Credit: whoever runs the stage writes. Terms: the control thread writes. Units: docs/behaviour.md. */
struct upf_qer {
	uint64_t credit[UPF_DIRECTIONS];
	uint64_t since_ns[UPF_DIRECTIONS];
	_Atomic uint32_t kbit[UPF_DIRECTIONS];
	_Atomic uint8_t closed[UPF_DIRECTIONS];
	uint8_t qfi;
	uint32_t id, sibling;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct upf_qer) == 64, "one line");

/* Bytes: whoever runs the stage writes, others read. */
struct upf_urr {
	_Atomic uint64_t bytes[UPF_DIRECTIONS];
	_Atomic uint64_t due[UPF_VOLUMES]; /* bytes at which a report is due; UPF_NO_VOLUME */
	_Atomic uint64_t quota;		   /* bytes at which it is used up; UPF_NO_VOLUME */
	uint32_t id, sibling;
	_Atomic uint32_t epoch; /* odd: in force */
	_Atomic uint16_t grant;	   /* rises with each grant of a quota; odd: its end is to be reported */
	_Atomic uint16_t reported; /* the grant whose end was reported last: whoever runs the stage writes */
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct upf_urr) == 64, "one line");

/* What only the control thread looks at. */
struct upf_pdr_origin {
	uint32_t id, precedence, teid, session, sibling;
	uint8_t key, filter; /* of the PDR's keys and filters: it has a record for each pair */
};

/* Of a URR: its quota as it was granted. */
struct upf_quota {
	uint64_t bytes;
	bool reported;
};

/* Of a URR: what its reports have told. */
struct upf_reported {
	uint64_t bytes[UPF_DIRECTIONS];
	uint32_t reports;
	uint32_t session;
};

struct upf_session {
	uint32_t pdrs, fars, qers, urrs; /* the first of each; UPF_NONE */
	uint32_t generation;
	bool used;
	struct upf_ue ue; /* the subscriber's addresses; where it has several of a version, one of them */
};

struct upf_filter {
	struct dpi_tuple tuple;
	uint32_t uses, next; /* next: of the same hash, or free */
};

/* Numbers that can be taken. */
struct upf_places {
	uint32_t *free;
	uint32_t count, all;
};

/* A place that waits until no lcore can hold it. */
struct upf_retired {
	uint64_t token;
	uint32_t number;
	uint8_t kind; /* enum upf_kind, UPF_RETIRED_KEY */
};

#define UPF_RETIRED_KEY UPF_KINDS
#define UPF_RETIRED_MAX 65536u
#define UPF_FILTER_BUCKETS 4096u

struct upf_store_settings {
	uint32_t sessions, rules, filters; /* how many there may be; rules: of each kind */
};

struct upf_store {
	/* The lcores read. */
	struct rte_hash *keys; /* value: number of the first PDR */
	struct upf_pdr *pdrs;
	struct upf_far *fars;
	struct upf_qer *qers;
	struct upf_urr *urrs;
	struct upf_filter *filters;
	/* What lcores tell the control thread, an instance's stages each in a ring: URRs whose reports are due, and PDRs that
	 * packets came by which would have to be kept. */
	struct rte_ring *reports[STAGE_MAX_INSTANCES], *arrivals[STAGE_MAX_INSTANCES];
	/* The control thread's. */
	struct upf_store_settings settings;
	bool divided; /* several instances have QERs and URRs, each those of its own sessions */
	pthread_mutex_t lock; /* who looks at sessions and is no lcore holds it */
	struct rte_rcu_qsbr *readers; /* NULL: there are none yet */
	struct upf_pdr_origin *origins;
	uint64_t (*thresholds)[UPF_VOLUMES]; /* of URRs; an lcore reads them when one is crossed */
	struct upf_quota *quotas;	     /* of URRs */
	struct upf_reported *reported;	     /* of URRs */
	struct upf_session *sessions;
	struct upf_places free_pdrs, free_fars, free_qers, free_urrs, free_sessions, free_filters;
	uint32_t filter_buckets[UPF_FILTER_BUCKETS];
	struct upf_retired *retired;
	uint32_t retired_first, retired_count;
};

/* NULL: said on stderr. */
struct upf_store *upf_store_create(const struct upf_store_settings *settings, const struct stage_place *place);
void upf_store_destroy(struct upf_store *store);

/* What a packet is looked up by: the tunnel's TEID, or the subscriber's address. */
enum upf_key_kind { UPF_KEY_TEID = 1, UPF_KEY_IPV4, UPF_KEY_IPV6 };

static inline struct flow_key upf_key(enum upf_key_kind kind, uint64_t value)
{
	return (struct flow_key){{value, kind}};
}

static inline hash_sig_t upf_key_hash(const struct flow_key *key)
{
	return (hash_sig_t)(mix64(key->words[0] ^ key->words[1] << 56) >> 32);
}

/* The first PDR of a key; UPF_NONE: there is none. For whoever is no lcore. */
uint32_t upf_store_find(const struct upf_store *store, const struct flow_key *key);
/* Where a session is in store->sessions; UPF_NONE: there is none of that SEID. */
uint32_t upf_store_place(const struct upf_store *store, uint64_t seid);
/* How many there are. */
uint32_t upf_store_sessions(const struct upf_store *store);

/* A record that is told of: with its epoch, since another one may have its place by then. */
static inline void *upf_reference(uint32_t number, uint32_t epoch)
{
	return (void *)(uintptr_t)((uint64_t)epoch << 32 | number);
}

static inline uint32_t upf_reference_number(const void *what)
{
	return (uint32_t)(uintptr_t)what;
}

#define UPF_QUOTA_USED (UINT32_C(1) << 31) /* in the number of a URR that is told of: its quota's end is what is told */

static inline uint32_t upf_reference_epoch(const void *what)
{
	return (uint32_t)((uint64_t)(uintptr_t)what >> 32);
}

/* The SEID of the session at a place of store->sessions. */
static inline uint64_t upf_store_seid(const struct upf_store *s, uint32_t session)
{
	return (uint64_t)s->sessions[session].generation << 32 | (session + 1);
}
bool upf_store_has_teid(const struct upf_store *store, uint32_t teid);

/* The store of this process, for the stages behind the one that makes it. NULL: none. */
struct upf_store *upf_store_running(void);

#endif
