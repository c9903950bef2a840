/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nalm loop: passes a capture repeatedly through one function of a C or C++ library. Header only, C11 and C++14;
 * includes the probe.
 *
 *     static bool filter(void *state, const uint8_t *packet, uint32_t length) { ... true: goes on; false: dropped }
 *     int main(int argc, char **argv) { return nalm_loop(argv[1], "filter", filter, NULL); }
 *
 * Packets come in batches, as from a driver, and are not restored between passes: a function that writes into them
 * finds them changed the next time. The stage has the given name, and the outcomes `sent` and `dropped`.
 *
 * Reads pcap (microseconds or nanoseconds, this host's byte order), as tcpdump -w and `editcap -F pcap` write it.
 */
#ifndef NALM_LOOP_H
#define NALM_LOOP_H

#include "nalm_probe.h"

#include <stdio.h>

#define NALM_LOOP_BATCH 32u
#define NALM_LOOP_ETHERNET 1u /* pcap's LINKTYPE_ETHERNET */
#define NALM_LOOP_FAILED 1

typedef bool (*nalm_packet_fn)(void *state, const uint8_t *packet, uint32_t length);

struct nalm_pcap_header {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, accuracy, longest, link_type;
};

struct nalm_pcap_packet {
	uint32_t seconds, fraction, captured, length;
};

struct nalm_loop_packet {
	const uint8_t *data;
	uint32_t length;
};

struct nalm_capture {
	uint8_t *bytes; /* the file's */
	struct nalm_loop_packet *packets;
	size_t count;
};

static inline int nalm_loop_fail(const char *path, const char *what)
{
	fprintf(stderr, "nalm: %s: %s\n", path, what);
	return NALM_LOOP_FAILED;
}

static inline uint8_t *nalm_loop_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;
	long end;

	if (file == NULL)
		return NULL;
	if (fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0) {
		*size = (size_t)end;
		bytes = (uint8_t *)malloc(*size);
		if (bytes != NULL && fread(bytes, 1, *size, file) != *size) {
			free(bytes);
			bytes = NULL;
		}
	}
	fclose(file);
	return bytes;
}

/* Splits a file's content into packets. Returns 0, or NALM_LOOP_FAILED with a line on standard error. */
static inline int nalm_loop_parse(const char *path, size_t size, struct nalm_capture *capture)
{
	struct nalm_pcap_header header;
	struct nalm_pcap_packet one;
	size_t at = sizeof(header);

	if (size < sizeof(header))
		return nalm_loop_fail(path, "not a capture: shorter than a pcap header");
	memcpy(&header, capture->bytes, sizeof(header));
	if (header.magic != 0xa1b2c3d4u && header.magic != 0xa1b23c4du)
		return nalm_loop_fail(path, "not pcap in this host's byte order: `editcap -F pcap` writes it");
	if ((header.link_type & 0xffffu) != NALM_LOOP_ETHERNET)
		return nalm_loop_fail(path, "the link type is not Ethernet: capture on one interface, not on `any`");
	capture->packets = (struct nalm_loop_packet *)calloc(size / sizeof(one) + 1, sizeof(*capture->packets));
	if (capture->packets == NULL)
		return nalm_loop_fail(path, "larger than available memory");
	for (; at + sizeof(one) <= size; at += sizeof(one) + one.captured) {
		memcpy(&one, capture->bytes + at, sizeof(one));
		if (one.captured > size - at - sizeof(one))
			break; /* truncated within a packet */
		capture->packets[capture->count].data = capture->bytes + at + sizeof(one);
		capture->packets[capture->count++].length = one.captured;
	}
	return capture->count != 0 ? 0 : nalm_loop_fail(path, "has no packet");
}

/* Runs until the agent ends the run; without an agent, forever. Returns the program's exit code. */
static inline int nalm_loop(const char *path, const char *stage, nalm_packet_fn process, void *state)
{
	enum { SENT, DROPPED };
	static const struct nalm_outcome_spec outcomes[] = {
		{"sent", NALM_KIND_SENT}, {"dropped", NALM_KIND_POLICY}, {NULL, NALM_KIND_PASS}};
	const struct nalm_stage_spec stages[] = {{stage, 0, outcomes}, {NULL, 0, NULL}};
	struct nalm_capture capture = {NULL, NULL, 0};
	struct nalm_probe probe;
	struct nalm_lcore lc;
	size_t next = 0, size = 0;

	capture.bytes = path != NULL ? nalm_loop_read(path, &size) : NULL;
	if (capture.bytes == NULL)
		return nalm_loop_fail(path != NULL ? path : "(no capture given)", "cannot be read");
	if (nalm_loop_parse(path, size, &capture) != 0)
		return NALM_LOOP_FAILED;
	if (nalm_probe_open(&probe, stage, stages, nalm_tsc_hz(), NULL) != 0)
		return nalm_loop_fail(stage, "cannot create the probe's file");
	nalm_probe_bare_turns(&probe);
	if (nalm_lcore_claim(&probe, 0, &lc) != 0)
		return nalm_loop_fail(stage, "cannot create the probe's file");
	while (nalm_probe_gate(&lc)) {
		uint32_t sent = 0;
		for (uint32_t i = 0; i < NALM_LOOP_BATCH; i++) {
			const struct nalm_loop_packet *packet = &capture.packets[next];
			next = next + 1 < capture.count ? next + 1 : 0;
			sent += process(state, packet->data, packet->length);
		}
		if (nalm_probe_is_bare(&lc)) {
			nalm_probe_commit_bare(&lc, NALM_LOOP_BATCH);
			continue;
		}
		nalm_probe_mark(&lc, 0, NALM_LOOP_BATCH);
		nalm_probe_outcome(&lc, 0, SENT, sent);
		nalm_probe_outcome(&lc, 0, DROPPED, NALM_LOOP_BATCH - sent);
		nalm_probe_commit(&lc, NALM_LOOP_BATCH);
	}
	nalm_probe_close(&probe);
	free(capture.packets);
	free(capture.bytes);
	return 0;
}

#endif /* NALM_LOOP_H */
