/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rte_cycles.h>

#include "control_thread.h"
#include "reload/reload.h"
#include "reload/table_reload.h"

static int wake = -1; /* eventfd: counts requests, also the request to end */

/* The control thread's, unless noted. */
static struct {
	struct reload_parts parts;
	struct settings *current; /* what the tables are made of now; NULL: parts.settings */
	struct control_thread thread;
	atomic_bool closing; /* main writes; relaxed: wake orders it */
	_Atomic uint64_t done, refused; /* telemetry reads */
} reload;

bool reload_prepare(void)
{
	wake = eventfd(0, EFD_CLOEXEC);
	if (wake >= 0)
		return true;
	fprintf(stderr, "reload: no eventfd: %s\n", strerror(errno));
	return false;
}

void reload_ask(void)
{
	const uint64_t one = 1;
	int before = errno;

	(void)!write(wake, &one, sizeof(one)); /* fails only if 2^64 - 2 requests wait */
	errno = before;
}

static double as_ms(uint64_t cycles)
{
	return (double)cycles * 1000.0 / (double)rte_get_tsc_hz();
}

static const void *stage_settings(const void *settings, const struct stage_ops *ops)
{
	return settings_of_stage(settings, ops);
}

static const struct settings *current(void)
{
	return reload.current != NULL ? reload.current : reload.parts.settings;
}

static void describe(const struct stage_ops *ops, const void *settings, char *text, size_t bytes)
{
	snprintf(text, bytes, "tables");
	if (ops->hooks.describe != NULL)
		ops->hooks.describe(settings, text, bytes);
}

static void say_all(const struct table_reloads *r, uint64_t number)
{
	for (uint32_t i = 0; i < r->count; i++) {
		const struct table_reload *n = &r->of[i];
		char was[64], is[64];
		describe(n->stage->ops, settings_of_stage(current(), n->stage->ops), was, sizeof(was));
		describe(n->stage->ops, n->settings, is, sizeof(is));
		fprintf(stderr, "reload %" PRIu64 ": %s: %s (were %s), built in %.1f ms\n", number, n->stage->ops->name, is,
			was, as_ms(n->build_cycles));
	}
}

static void apply(struct table_reloads *r, struct settings *settings)
{
	uint64_t number = atomic_load(&reload.done) + 1, begin = rte_rdtsc();

	say_all(r, number);
	table_reloads_exchange(r, reload.parts.readers);
	if (reload.current != NULL) {
		settings_free(reload.current);
		free(reload.current);
	}
	reload.current = settings;
	atomic_store(&reload.done, number);
	fprintf(stderr, "reload %" PRIu64 ": in effect, exchanged in %.1f ms\n", number, as_ms(rte_rdtsc() - begin));
}

static void refuse(struct settings *settings)
{
	if (settings != NULL)
		settings_free(settings);
	free(settings);
	atomic_fetch_add(&reload.refused, 1);
	fprintf(stderr, "reload: refused, nothing changed\n");
}

static void reload_once(void)
{
	struct settings *settings = calloc(1, sizeof(*settings));
	struct table_reloads reloads;

	if (settings == NULL)
		fprintf(stderr, "reload: no memory for the configuration\n");
	if (settings == NULL || !settings_read_again(settings, reload.parts.chain, reload.parts.options)) {
		refuse(settings);
		return;
	}
	settings_say_fixed(reload.parts.settings, settings, reload.parts.chain);
	if (table_reloads_build(&reloads, reload.parts.chain, stage_settings, settings))
		apply(&reloads, settings);
	else
		refuse(settings);
}

static void serve(void)
{
	uint64_t requests;

	for (;;) {
		ssize_t n = read(wake, &requests, sizeof(requests));
		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof(requests) || atomic_load_explicit(&reload.closing, memory_order_relaxed))
			return;
		reload_once();
	}
}

bool reload_open(const struct reload_parts *parts)
{
	reload.parts = *parts;
	if (control_thread_start(&reload.thread, "reload", serve))
		return true;
	fprintf(stderr, "reload: cannot start its thread\n");
	return false;
}

void reload_close(void)
{
	atomic_store_explicit(&reload.closing, true, memory_order_relaxed);
	reload_ask();
	control_thread_join(&reload.thread);
}

void reload_release(void)
{
	if (reload.current != NULL)
		settings_free(reload.current);
	free(reload.current);
	reload.current = NULL;
	close(wake);
}

void reload_count(uint64_t *done, uint64_t *refused)
{
	*done = atomic_load(&reload.done);
	*refused = atomic_load(&reload.refused);
}
