/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "capture/capture_reader.h"
#include "capture/pcap_format.h"

#define MAX_FILE_BYTES (1u << 30)

bool capture_refuse(struct capture_reader *r, const char *format, ...)
{
	va_list arguments;

	int used = snprintf(r->reason, r->reason_size, "%s", r->path);
	if (used < 0 || (size_t)used >= r->reason_size)
		return false;
	va_start(arguments, format);
	vsnprintf(r->reason + used, r->reason_size - (size_t)used, format, arguments);
	va_end(arguments);
	return false;
}

static uint8_t *read_file(struct capture_reader *r)
{
	struct stat st;
	uint8_t *data = NULL;
	FILE *file = fopen(r->path, "rb");

	if (file == NULL || fstat(fileno(file), &st) != 0) {
		snprintf(r->reason, r->reason_size, "cannot read %s: %s", r->path, strerror(errno));
	} else if (!S_ISREG(st.st_mode) || st.st_size > MAX_FILE_BYTES) {
		(void)capture_refuse(r, " is not a file of at most 1 GiB");
	} else {
		r->bytes = (size_t)st.st_size;
		data = malloc(r->bytes + 1);
		if (data == NULL || fread(data, 1, r->bytes, file) != r->bytes) {
			snprintf(r->reason, r->reason_size, "cannot read %s whole", r->path);
			free(data);
			data = NULL;
		}
	}
	if (file != NULL)
		fclose(file);
	return data;
}

static bool keep(struct capture_reader *r, const struct capture_record *record)
{
	struct capture *c = r->capture;

	if ((c->count & (c->count - 1)) == 0) { /* grows at powers of two */
		size_t room = c->count == 0 ? 1 : (size_t)c->count * 2;
		struct capture_frame *grown = realloc(c->frames, room * sizeof(*grown));
		if (grown == NULL)
			return capture_refuse(r, ": no memory for its frames");
		c->frames = grown;
	}
	c->frames[c->count++] = (struct capture_frame){record->data, record->captured};
	return true;
}

bool capture_add(struct capture_reader *r, const struct capture_record *record)
{
	uint32_t max = r->terms->max_frame_bytes;
	bool fits = record->link_type == PCAP_LINKTYPE_ETHERNET && record->captured == record->original &&
		    record->captured <= max;

	r->number++;
	if (fits)
		return keep(r, record);
	r->capture->skipped++;
	if (r->terms->unfit == UNFIT_SKIP)
		return true;
	if (record->link_type != PCAP_LINKTYPE_ETHERNET)
		return capture_refuse(r, ": frame %u has link type %u, expected Ethernet (1)", r->number,
				      record->link_type);
	if (record->captured > max)
		return capture_refuse(r, ": frame %u has %u bytes, a packet buffer holds %u", r->number,
				      record->captured, max);
	return capture_refuse(r, ": frame %u was cut to %u of %u bytes when it was captured; capture with -s 0",
			      r->number, record->captured, record->original);
}

static bool read_frames(struct capture_reader *r)
{
	bool ok;

	if (pcap_recognise(r))
		ok = pcap_read(r);
	else if (pcapng_recognise(r))
		ok = pcapng_read(r);
	else
		return capture_refuse(r, " is not a pcap file, nor pcapng; what is compressed must be unpacked");
	if (ok && r->capture->count == 0)
		return capture_refuse(r, " holds no frame%s", r->capture->skipped == 0 ? "" : " that could be sent");
	return ok;
}

bool capture_load(struct capture *c, const char *path, const struct capture_terms *terms, char *reason, size_t size)
{
	struct capture_reader r = {
		.path = path, .capture = c, .terms = terms, .reason = reason, .reason_size = size};

	*c = (struct capture){0};
	c->file = read_file(&r);
	r.data = c->file;
	if (c->file != NULL && read_frames(&r))
		return true;
	capture_free(c);
	return false;
}

void capture_free(struct capture *c)
{
	free(c->file);
	free(c->frames);
	*c = (struct capture){0};
}
