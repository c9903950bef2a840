/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meter/dump.h"
#include "capture/pcap_format.h"

static void put(struct dump *d, const void *from, uint64_t bytes)
{
	memcpy(d->data + d->bytes, from, bytes);
	d->bytes += bytes;
}

bool dump_open(struct dump *d, const char *path, uint64_t packets, uint64_t packet_bytes)
{
	const uint32_t header[6] = {PCAP_MAGIC_NS, 4u << 16 | 2u, 0, 0, 65535, PCAP_LINKTYPE_ETHERNET};

	*d = (struct dump){.path = path};
	d->room = PCAP_FILE_HEADER_BYTES + packets * PCAP_RECORD_HEADER_BYTES + packet_bytes;
	d->data = malloc(d->room);
	if (d->data == NULL)
		return false;
	put(d, header, sizeof(header));
	return true;
}

void dump_add(struct dump *d, const uint8_t *frame, uint32_t bytes, uint64_t now_ns)
{
	const uint32_t header[4] = {(uint32_t)(now_ns / 1000000000u), (uint32_t)(now_ns % 1000000000u), bytes, bytes};

	if (d->room - d->bytes < sizeof(header) + bytes)
		return;
	put(d, header, sizeof(header));
	put(d, frame, bytes);
}

uint64_t dump_digest(const struct dump *d)
{
	uint64_t digest = 0xcbf29ce484222325u;
	for (uint64_t i = 0; i < d->bytes; i++)
		digest = (digest ^ d->data[i]) * 0x100000001b3u;
	return digest;
}

bool dump_write(const struct dump *d)
{
	FILE *file = fopen(d->path, "wb");
	if (file == NULL)
		return false;
	bool ok = fwrite(d->data, 1, d->bytes, file) == d->bytes;
	return fclose(file) == 0 && ok;
}

void dump_close(struct dump *d)
{
	free(d->data);
	*d = (struct dump){.path = NULL};
}
