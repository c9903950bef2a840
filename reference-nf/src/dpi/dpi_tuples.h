/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rules with an L3/L4 part and no pattern, on rte_acl: finds the first in file order that a packet matches.
 */
#ifndef DPI_TUPLES_H
#define DPI_TUPLES_H

#include <rte_acl.h>

#include "dpi/dpi_settings.h"
#include "packet/packet.h"

/* The fields that rules compare, as in the packet: one layout for both IP versions. */
struct dpi_key {
	uint8_t protocol, version, reserved[2];
	uint8_t ports[4];      /* source, destination */
	uint8_t source[16], destination[16]; /* IPv4: the first 4 bytes; the rest is ignored */
};

/* Of TCP and UDP packets. */
static inline void dpi_key_of(struct dpi_key *key, const uint8_t *frame, const struct packet *p)
{
	key->protocol = p->protocol;
	key->version = p->version;
	memcpy(key->ports, frame + p->l4, 4);
	if (p->version == 4) {
		memcpy(key->source, frame + ETHER_BYTES + 12, 4);
		memcpy(key->destination, frame + ETHER_BYTES + 16, 4);
	} else {
		memcpy(key->source, frame + ETHER_BYTES + 8, 16);
		memcpy(key->destination, frame + ETHER_BYTES + 24, 16);
	}
}

/* Whether the packet matches a rule's L3/L4 part; for rules that also have a pattern. */
bool dpi_tuple_fits(const struct dpi_tuple *tuple, const struct dpi_key *key);

struct dpi_tuples {
	struct rte_acl_ctx *ipv4, *ipv6; /* NULL: no such rule */
};

/* generation: unique among builds. false: reported on stderr. */
bool dpi_tuples_open(struct dpi_tuples *tuples, const struct dpi_settings *settings, uint64_t generation, int socket);
void dpi_tuples_close(struct dpi_tuples *tuples);

static inline bool dpi_tuples_any(const struct dpi_tuples *t)
{
	return t->ipv4 != NULL || t->ipv6 != NULL;
}

#define DPI_TUPLES_BULK 64u

/* Finds for up to DPI_TUPLES_BULK packets the first rule that matches, or DPI_NO_RULE. */
void dpi_tuples_find(const struct dpi_tuples *tuples, const struct dpi_key keys[], uint32_t n, uint32_t rules[]);

#endif
