/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "io/io.h"
#include "io/traffic_config.h"

static const char *const loops[] = {"forever", "once", NULL};
static const char *const replies[] = {"as_is", "learned", NULL};

static void load_capture(struct config *config, struct traffic_settings *s)
{
	char *path = config_path(config, "traffic", "capture");
	char reason[512];
	static const char *const unfit[] = {"refuse", "skip", NULL};
	const struct capture_terms terms = {
		.max_frame_bytes = IO_MAX_FRAME_BYTES,
		.unfit = config_choice(config, "traffic", "unfit", "refuse", unfit),
	};

	if (path == NULL)
		config_mistake(config, "traffic", "capture", "expected the name of a pcap file");
	else if (!capture_load(&s->capture, path, &terms, reason, sizeof(reason)))
		config_mistake(config, "traffic", "capture", "%s", reason);
	free(path);
}

struct traffic_settings *traffic_configure(struct config *config)
{
	struct traffic_settings *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->inside = config_prefix(config, "network", "inside", "10.0.0.0/8");
	s->copies = (uint32_t)config_u64(config, "traffic", "copies", 1, 1, 65536);
	s->loop = config_choice(config, "traffic", "loop", "forever", loops);
	s->replies = config_choice(config, "traffic", "replies", "learned", replies);
	s->seed = config_u64(config, "traffic", "seed", 1, 0, UINT64_MAX);
	s->ns_per_packet = config_u64(config, "traffic", "ns_per_packet", 100, 0, 1000000000000);
	load_capture(config, s);
	return s;
}

void traffic_release(struct traffic_settings *s)
{
	if (s == NULL)
		return;
	capture_free(&s->capture);
	free(s);
}
