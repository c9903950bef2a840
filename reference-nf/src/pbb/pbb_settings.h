/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PBB_SETTINGS_H
#define PBB_SETTINGS_H

#include <stdint.h>

#define PBB_CUSTOMERS_MAX (1u << 22)

/* Addresses lie in numbers as a frame's bytes lie in memory: the first byte is the lowest. */
struct pbb_customer {
	uint64_t address, bridge; /* the bridge of the backbone behind which it is */
};

struct pbb_settings {
	struct pbb_customer *customers; /* each address once */
	uint32_t count;
	uint64_t bridge;  /* this one's address in the backbone */
	uint32_t service; /* I-SID */
	uint32_t vlan;    /* B-VID */
};

#endif
