/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nalm probe: hardware events per stage, by PAPI. An NF that links libpapi includes this header as well and calls
 * nalm_probe_papi_open() between nalm_probe_open() and its lcores' start.
 *
 * $NALM_PROBE_EVENTS names the events, at most NALM_PROBE_MAX_EVENTS, by PAPI's names ("PAPI_TOT_CYC,PAPI_TOT_INS").
 * Without it no event is read and PAPI is not started. Each thread has an event set of its own, for user space only,
 * read at every mark (PAPI reads by rdpmc where the kernel allows it). Events are never multiplexed: an event for which
 * the events named before it leave no counter is not counted, and the probe's header has PAPI's reason.
 */
#ifndef NALM_PROBE_PAPI_H
#define NALM_PROBE_PAPI_H

#include "nalm_probe.h"

#include <papi.h>
#include <pthread.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline unsigned long nalm_papi_thread(void)
{
	return (unsigned long)pthread_self();
}

static inline void nalm_papi_read(const struct nalm_lcore *lc, uint64_t values[NALM_PROBE_MAX_EVENTS])
{
	long long read[NALM_PROBE_MAX_EVENTS] = {0};
	uint32_t mask = lc->block->counters.event_mask;

	(void)PAPI_read(lc->event_set, read); /* in the header's order, without events that are not counted */
	for (uint32_t e = 0, n = 0; e < lc->event_count; e++)
		if (mask & (1u << e))
			values[e] = (uint64_t)read[n++];
}

static inline bool nalm_papi_counted(const struct nalm_event_name *event)
{
	return strcmp(event->state, NALM_PROBE_COUNTED) == 0;
}

/* Starts an event set of the calling thread. If this fails, its event_mask stays 0. */
static inline void nalm_papi_attach(struct nalm_lcore *lc)
{
	const struct nalm_header *h = lc->probe->header;
	uint32_t mask = 0;
	int set = PAPI_NULL, code;

	if (PAPI_create_eventset(&set) != PAPI_OK)
		return;
	for (uint32_t e = 0; e < h->event_count; e++) {
		if (!nalm_papi_counted(&h->events[e]))
			continue;
		if (PAPI_event_name_to_code(h->events[e].name, &code) != PAPI_OK || PAPI_add_event(set, code) != PAPI_OK)
			return;
		mask |= 1u << e;
	}
	if (mask == 0 || PAPI_start(set) != PAPI_OK)
		return;
	lc->event_set = set;
	lc->event_count = h->event_count;
	lc->read_events = nalm_papi_read;
	lc->block->counters.event_mask = mask;
}

static inline void nalm_papi_say(struct nalm_event_name *event, int error, const char *more)
{
	const char *text = PAPI_strerror(error);
	bool details = more != NULL && *more != '\0';
	char state[2 * PAPI_MAX_STR_LEN];

	snprintf(state, sizeof(state), "%s%s%s", text != NULL ? text : "PAPI failed", details ? ": " : "",
		 details ? more : "");
	nalm_copy_name(event->state, sizeof(event->state), state);
}

/* Adds an event to test it, and stores in its state whether it can be counted together with those added before. */
static inline void nalm_papi_try(struct nalm_event_name *event, int set)
{
	int code, err = PAPI_event_name_to_code(event->name, &code);
	const PAPI_component_info_t *component;

	if (err != PAPI_OK) {
		nalm_papi_say(event, err, NULL);
		return;
	}
	err = PAPI_add_event(set, code);
	if (err == PAPI_OK) {
		nalm_copy_name(event->state, sizeof(event->state), NALM_PROBE_COUNTED);
		return;
	}
	component = PAPI_get_component_info(PAPI_get_event_component(code));
	nalm_papi_say(event, err, component != NULL && component->disabled ? component->disabled_reason : NULL);
}

/* Writes the events of a list into the header. Returns their number, or -E2BIG. */
static inline int nalm_papi_names(struct nalm_header *h, const char *list)
{
	uint32_t count = 0;

	for (const char *at = list; *at != '\0';) {
		size_t length = strcspn(at, ",");
		if (length != 0) {
			if (count == NALM_PROBE_MAX_EVENTS || length >= NALM_PROBE_NAME)
				return -E2BIG;
			memcpy(h->events[count].name, at, length);
			h->events[count++].name[length] = '\0';
		}
		at += length + (at[length] == ',');
	}
	return (int)count;
}

/* Starts the events of $NALM_PROBE_EVENTS. An event that cannot be counted is no error; the probe's header has the
 * reason. Returns 0, or -E2BIG for more events, or longer names, than the layout holds. */
static inline int nalm_probe_papi_open(struct nalm_probe *probe)
{
	struct nalm_header *h = probe->header;
	const char *list = getenv("NALM_PROBE_EVENTS");
	int count = list == NULL ? 0 : nalm_papi_names(h, list), set = PAPI_NULL, err;

	if (count <= 0)
		return count;
	err = PAPI_library_init(PAPI_VER_CURRENT);
	if (err == PAPI_VER_CURRENT)
		err = PAPI_thread_init(nalm_papi_thread);
	else if (err >= 0)
		err = PAPI_EINVAL; /* another version than at compile time */
	if (err == PAPI_OK)
		err = PAPI_create_eventset(&set);
	for (int e = 0; e < count; e++) {
		if (err == PAPI_OK)
			nalm_papi_try(&h->events[e], set);
		else
			nalm_papi_say(&h->events[e], err, NULL);
	}
	if (err == PAPI_OK && PAPI_num_events(set) > 0) {
		err = PAPI_start(set);
		for (int e = 0; err != PAPI_OK && e < count; e++)
			if (nalm_papi_counted(&h->events[e]))
				nalm_papi_say(&h->events[e], err, "at start");
		(void)PAPI_stop(set, NULL);
	}
	if (set != PAPI_NULL) {
		(void)PAPI_cleanup_eventset(set);
		(void)PAPI_destroy_eventset(&set);
	}
	probe->attach_events = nalm_papi_attach;
	__atomic_store_n(&h->event_count, (uint32_t)count, __ATOMIC_RELEASE);
	return 0;
}

#ifdef __cplusplus
}
#endif
#endif /* NALM_PROBE_PAPI_H */
