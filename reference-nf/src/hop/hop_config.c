/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hop/hop_config.h"

#define FIELDS_FILE_BYTES 65536u
#define PACKETS_MIN 32u
#define PACKETS_MAX 32768u

static const char *const buffers[] = {"none", "mbuf", "fdt", "fdt_aggregated", "memif", "vhost", NULL};
static const char *const sides[] = {"both", "switch", "nf", "first", NULL};

struct place {
	struct config *config;
	const char *path;
};

static void mistake_in_fields(void *arg, uint32_t line, const char *format, va_list values)
{
	const struct place *place = arg;
	char text[256];

	vsnprintf(text, sizeof(text), format, values);
	config_mistake_in_file(place->config, place->path, line, "%s", text);
}

/* Returns bytes read; SIZE_MAX: the file cannot be read, or is larger. */
static size_t read_file(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "r");
	size_t bytes = file == NULL ? 0 : fread(text, 1, size, file);
	bool whole = file != NULL && ferror(file) == 0 && bytes < size;

	if (file != NULL)
		fclose(file);
	return whole ? bytes : SIZE_MAX;
}

static void check_fields(struct hop_settings *s, struct config *config)
{
	if (field_table_find(&s->fields, "len").bytes == 0) {
		config_mistake(config, "hop", "fields", "has no field `len`: both ends need the length of a packet");
		return;
	}
	const struct field *homeless = s->buffers == HOP_MBUF ? field_table_place_in_mbuf(&s->fields) : NULL;
	if (homeless != NULL)
		config_mistake(config, "hop", "fields", "DPDK's packet buffer has no room for field %s: choose buffers fdt",
			       homeless->name);
}

static void read_fields(struct hop_settings *s, struct config *config)
{
	char *path = config_path(config, "hop", "fields"), *text = malloc(FIELDS_FILE_BYTES);
	bool needed = hop_shares_memory(s) && s->side != HOP_NF;

	if (path == NULL && needed)
		config_mistake(config, "hop", "fields", "expected the name of a field definition file");
	else if (path != NULL && !needed)
		config_mistake(config, "hop", "fields", "only the switch's side of buffers mbuf, fdt and fdt_aggregated reads it");
	else if (path != NULL) {
		size_t bytes = text == NULL ? SIZE_MAX : read_file(path, text, FIELDS_FILE_BYTES);
		if (bytes == SIZE_MAX)
			config_mistake(config, "hop", "fields", "cannot read %s, or it has %u bytes or more", path,
				       FIELDS_FILE_BYTES);
		else if (field_table_parse(&s->fields, text, bytes, mistake_in_fields, &(struct place){config, path}))
			check_fields(s, config);
	}
	free(text);
	free(path);
}

/* Beside the probe's file, which an agent removes also after a kill. */
static char *own_path(void)
{
	const char *probe = getenv("NALM_PROBE_FILE");
	char *path = NULL;
	int bytes = probe != NULL ? asprintf(&path, "%s.hop", probe) :
				    asprintf(&path, "/dev/shm/nalm-nf-%d.hop", (int)getpid());

	return bytes < 0 ? NULL : path;
}

static void read_next(struct hop_settings *s, struct config *config)
{
	s->next = config_path(config, "hop", "next");
	if (s->next != NULL && s->side != HOP_FIRST)
		config_mistake(config, "hop", "next", "goes with side first: the NF before it starts it");
	else if (s->next != NULL && access(s->next, R_OK) != 0)
		config_mistake(config, "hop", "next", "cannot read %s: %s", s->next, strerror(errno));
}

static void read_path(struct hop_settings *s, struct config *config)
{
	s->path = config_path(config, "hop", "path");
	if (s->path == NULL && s->next != NULL)
		s->path = own_path();
	if (s->buffers != HOP_NONE && s->side != HOP_BOTH && s->path == NULL)
		config_mistake(config, "hop", "path", "expected the file that both processes name");
	if (s->side == HOP_BOTH && s->path != NULL)
		config_mistake(config, "hop", "path", "with both sides in one process there is none");
	if (s->side == HOP_BOTH && hop_has_port(s))
		config_mistake(config, "hop", "side", "buffers %s join two processes: one has side switch, one nf",
			       buffers[s->buffers]);
	if (s->buffers == HOP_NONE && s->side != HOP_BOTH)
		config_mistake(config, "hop", "side", "needs buffers");
}

/* Who sends answers what came back, and what comes back of a flow's first packet is known only where the NF is. */
static void check_traffic(const struct hop_settings *s, struct config *config)
{
	const char *port = config_text(config, "io", "port", "generator");

	if ((s->side == HOP_SWITCH || s->side == HOP_FIRST) &&
	    strcmp(config_text(config, "traffic", "replies", "learned"), "as_is") != 0)
		config_mistake(config, "hop", "side", "side %s needs [traffic] replies = as_is", sides[s->side]);
	if (s->buffers != HOP_NONE && strcmp(port, "generator") != 0)
		config_mistake(config, "hop", "buffers", "does not go with [io] port = %s", port);
}

static void read_packets(struct hop_settings *s, struct config *config)
{
	s->packets = (uint32_t)config_u64(config, "hop", "packets", 256, PACKETS_MIN, PACKETS_MAX);
	if ((s->packets & (s->packets - 1)) != 0)
		config_mistake(config, "hop", "packets", "expected a power of two");
}

const char *hop_buffers_name(enum hop_buffers which)
{
	return buffers[which];
}

enum hop_side hop_side_of(struct config *config)
{
	return config_choice(config, "hop", "side", "both", sides);
}

struct hop_settings *hop_configure(struct config *config)
{
	struct hop_settings *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->buffers = config_choice(config, "hop", "buffers", "none", buffers);
	s->side = hop_side_of(config);
	read_packets(s, config);
	read_next(s, config);
	read_path(s, config);
	read_fields(s, config);
	check_traffic(s, config);
	return s;
}

void hop_release(struct hop_settings *s)
{
	if (s == NULL)
		return;
	free(s->path);
	free(s->next);
	free(s);
}
