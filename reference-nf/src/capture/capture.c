/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "capture/capture.h"
#include "capture/pcap.h"
#include "capture/pcap_format.h"
#include "capture/pcapng.h"

#define MAX_FILE_BYTES (1u << 30)

/* A file that is being loaded into memory. */
struct loading {
	struct capture_reader reader; /* first: the sink receives a pointer to it */
	const char *path;
	struct capture *capture;
	const struct capture_terms *terms;
	char *reason;
	size_t reason_size;
};

static bool __attribute__((format(printf, 2, 3))) refuse(struct capture_reader *reader, const char *format, ...)
{
	struct loading *l = (struct loading *)reader;
	va_list arguments;

	int used = snprintf(l->reason, l->reason_size, "%s", l->path);
	if (used < 0 || (size_t)used >= l->reason_size)
		return false;
	va_start(arguments, format);
	vsnprintf(l->reason + used, l->reason_size - (size_t)used, format, arguments);
	va_end(arguments);
	return false;
}

static uint8_t *read_file(struct loading *l)
{
	struct stat st;
	uint8_t *data = NULL;
	FILE *file = fopen(l->path, "rb");

	if (file == NULL || fstat(fileno(file), &st) != 0) {
		snprintf(l->reason, l->reason_size, "cannot read %s: %s", l->path, strerror(errno));
	} else if (!S_ISREG(st.st_mode) || st.st_size > MAX_FILE_BYTES) {
		(void)refuse(&l->reader, " is not a file of at most 1 GiB");
	} else {
		l->reader.bytes = (size_t)st.st_size;
		data = malloc(l->reader.bytes + 1);
		if (data == NULL || fread(data, 1, l->reader.bytes, file) != l->reader.bytes) {
			snprintf(l->reason, l->reason_size, "cannot read all of %s", l->path);
			free(data);
			data = NULL;
		}
	}
	if (file != NULL)
		fclose(file);
	return data;
}

static bool keep(struct loading *l, const struct capture_record *record)
{
	struct capture *c = l->capture;

	if ((c->count & (c->count - 1)) == 0) { /* grows at powers of two */
		size_t room = c->count == 0 ? 1 : (size_t)c->count * 2;
		struct capture_frame *grown = realloc(c->frames, room * sizeof(*grown));
		if (grown == NULL)
			return refuse(&l->reader, ": no memory for its frames");
		c->frames = grown;
	}
	c->frames[c->count++] = (struct capture_frame){record->data, record->captured};
	return true;
}

static bool add(struct capture_reader *r, const struct capture_record *record)
{
	struct loading *l = (struct loading *)r;
	uint32_t max = l->terms->max_frame_bytes;
	bool fits = record->link_type == PCAP_LINKTYPE_ETHERNET && record->captured == record->original &&
		    record->captured <= max;

	r->number++;
	if (fits)
		return keep(l, record);
	l->capture->skipped++;
	if (l->terms->unfit == UNFIT_SKIP)
		return true;
	if (record->link_type != PCAP_LINKTYPE_ETHERNET)
		return refuse(r, ": frame %u has link type %u, expected Ethernet (1)", r->number,
				      record->link_type);
	if (record->captured > max)
		return refuse(r, ": frame %u has %u bytes, but a packet buffer holds %u", r->number,
				      record->captured, max);
	return refuse(r, ": frame %u was cut to %u of %u bytes when it was captured; capture with -s 0",
			      r->number, record->captured, record->original);
}

static bool read_frames(struct loading *l)
{
	struct capture_reader *r = &l->reader;
	bool ok;

	if (pcap_recognise(r))
		ok = pcap_read(r);
	else if (pcapng_recognise(r))
		ok = pcapng_read(r);
	else
		return refuse(r, " is not a pcap or pcapng file; decompress it if it is compressed");
	if (ok && l->capture->count == 0)
		return refuse(r, " has no frame%s", l->capture->skipped == 0 ? "" : " that could be sent");
	return ok;
}

bool capture_load(struct capture *c, const char *path, const struct capture_terms *terms, char *reason, size_t size)
{
	static const struct capture_sink sink = {.add = add, .refuse = refuse};
	struct loading l = {.reader = {.sink = &sink},
			    .path = path,
			    .capture = c,
			    .terms = terms,
			    .reason = reason,
			    .reason_size = size};

	*c = (struct capture){0};
	c->file = read_file(&l);
	l.reader.data = c->file;
	if (c->file != NULL && read_frames(&l))
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
