/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records packets that left the NF, in order, as a pcap file. Memory is allocated before the first packet and the file
 * is written at the end, so recording costs no system call and no allocation.
 */
#ifndef DUMP_H
#define DUMP_H

#include <stdbool.h>
#include <stdint.h>

struct dump {
	const char *path; /* NULL: nothing is recorded */
	uint8_t *data;
	uint64_t bytes, room;
};

/* room: for packets and their headers. false: no memory. */
bool dump_open(struct dump *dump, const char *path, uint64_t packets, uint64_t packet_bytes);
void dump_add(struct dump *dump, const uint8_t *frame, uint32_t bytes, uint64_t now_ns);
/* FNV-1a (64 bits) of all recorded bytes, in order. */
uint64_t dump_digest(const struct dump *dump);
/* false: errno has the reason. */
bool dump_write(const struct dump *dump);
void dump_close(struct dump *dump);

#endif
