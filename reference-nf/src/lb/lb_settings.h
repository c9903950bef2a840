/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SETTINGS_H
#define LB_SETTINGS_H

#include <stdint.h>

#include "config/config.h"

/* Kinds of connections by idle time, in the order in which expiry checks them. */
enum lb_age { LB_AGE_TCP, LB_AGE_TCP_OPENING, LB_AGE_TCP_CLOSING, LB_AGE_UDP, LB_AGES };

enum lb_backend_state {
	LB_BACKEND_UP,
	LB_BACKEND_DRAIN, /* takes no new connection, keeps those it has */
	LB_BACKEND_DOWN,  /* dead: its connections end */
};

/* Addresses and ports in host byte order. */
struct lb_backend {
	uint32_t address;
	uint16_t port;
	uint16_t weight;
	uint8_t state; /* enum lb_backend_state */
};

struct lb_service {
	uint32_t address;
	uint16_t port;
	uint8_t protocol; /* IP's number */
	uint32_t line;	  /* in the file */
	uint32_t backend_count;
	struct lb_backend *backends; /* sorted by address and port after reading */
};

struct lb_settings {
	struct lb_service *services;
	uint32_t service_count;
	uint32_t maglev_size; /* slots of each service's table; a prime */
	uint32_t entries;     /* connections at most */
	bool any_opens;	      /* of TCP: any segment but RST opens a connection, not only SYN */
	uint64_t timeout_s[LB_AGES];
};

#endif
