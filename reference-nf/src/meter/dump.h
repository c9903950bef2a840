/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What left the NF, in order, as a pcap file. Kept in memory that is set aside before the first packet, written
 * at the end: recording costs no system call and no allocation.
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

/* room: for the packets and their headers. false: no memory. */
bool dump_open(struct dump *dump, const char *path, uint64_t packets, uint64_t packet_bytes);
void dump_add(struct dump *dump, const uint8_t *frame, uint32_t bytes, uint64_t now_ns);
/* FNV-1a (64 bits) over everything recorded: equal for equal bytes in equal order. */
uint64_t dump_digest(const struct dump *dump);
/* false: why is in errno. */
bool dump_write(const struct dump *dump);
void dump_close(struct dump *dump);

#endif
