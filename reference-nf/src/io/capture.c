/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/capture.h"
#include "io/pcap_format.h"

#define MAX_FILE_BYTES (1u << 30)

static uint32_t word(const uint8_t *at, bool swapped)
{
	uint32_t value;
	memcpy(&value, at, sizeof(value));
	return swapped ? __builtin_bswap32(value) : value;
}

static uint8_t *read_file(const char *path, size_t *bytes, char *reason, size_t size)
{
	struct stat st;
	uint8_t *data = NULL;
	FILE *file = fopen(path, "rb");

	if (file == NULL || fstat(fileno(file), &st) != 0) {
		snprintf(reason, size, "cannot read %s: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode) || st.st_size > MAX_FILE_BYTES) {
		snprintf(reason, size, "%s is not a file of at most 1 GiB", path);
	} else {
		*bytes = (size_t)st.st_size;
		data = malloc(*bytes + 1);
		if (data == NULL || fread(data, 1, *bytes, file) != *bytes) {
			snprintf(reason, size, "cannot read %s whole", path);
			free(data);
			data = NULL;
		}
	}
	if (file != NULL)
		fclose(file);
	return data;
}

static bool add_frames(struct capture *c, const char *path, size_t bytes, bool swapped, uint32_t max_frame_bytes,
		       char *reason, size_t size)
{
	size_t at = PCAP_FILE_HEADER_BYTES;

	while (at < bytes) {
		uint32_t frame = bytes - at < PCAP_RECORD_HEADER_BYTES ? UINT32_MAX : word(c->file + at + 8, swapped);
		at += PCAP_RECORD_HEADER_BYTES;
		if (frame == UINT32_MAX || frame > bytes - at) {
			snprintf(reason, size, "%s ends within frame %u", path, c->count + 1);
			return false;
		}
		if (frame > max_frame_bytes) {
			snprintf(reason, size, "%s: frame %u has %u bytes, a packet buffer holds %u", path,
				 c->count + 1, frame, max_frame_bytes);
			return false;
		}
		if ((c->count & (c->count - 1)) == 0) { /* grows at powers of two */
			size_t room = c->count == 0 ? 1 : (size_t)c->count * 2;
			struct capture_frame *grown = realloc(c->frames, room * sizeof(*grown));
			if (grown == NULL) {
				snprintf(reason, size, "no memory for the frames of %s", path);
				return false;
			}
			c->frames = grown;
		}
		c->frames[c->count++] = (struct capture_frame){c->file + at, frame};
		at += frame;
	}
	if (c->count == 0)
		snprintf(reason, size, "%s holds no frame", path);
	return c->count != 0;
}

bool capture_load(struct capture *c, const char *path, uint32_t max_frame_bytes, char *reason, size_t size)
{
	size_t bytes = 0;

	memset(c, 0, sizeof(*c));
	c->file = read_file(path, &bytes, reason, size);
	if (c->file == NULL)
		return false;
	uint32_t magic = bytes < PCAP_FILE_HEADER_BYTES ? 0 : word(c->file, false);
	bool swapped = magic == __builtin_bswap32(PCAP_MAGIC_US) || magic == __builtin_bswap32(PCAP_MAGIC_NS);
	bool ok = false;
	if (!swapped && magic != PCAP_MAGIC_US && magic != PCAP_MAGIC_NS)
		snprintf(reason, size, "%s is not a pcap file (pcapng is converted by: editcap -F pcap IN OUT)", path);
	else if (word(c->file + 20, swapped) != PCAP_LINKTYPE_ETHERNET)
		snprintf(reason, size, "%s has link type %u, expected Ethernet (1)", path, word(c->file + 20, swapped));
	else
		ok = add_frames(c, path, bytes, swapped, max_frame_bytes, reason, size);
	if (!ok)
		capture_free(c);
	return ok;
}

void capture_free(struct capture *c)
{
	free(c->file);
	free(c->frames);
	memset(c, 0, sizeof(*c));
}
