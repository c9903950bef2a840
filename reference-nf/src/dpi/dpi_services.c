/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Services from a file, lines `service share rule...`, and their buckets.
 */
#include <stdlib.h>
#include <string.h>

#include "dpi/dpi_rules.h"
#include "dpi/dpi_services.h"

#define NS_PER_MS UINT64_C(1000000)
#define KBIT_PER_MBIT UINT64_C(1000)
#define LEAST_BURST_BYTES 2000u /* more than a packet */
#define NO_SERVICE UINT8_MAX

static uint64_t part_of(uint64_t whole, uint32_t index, uint32_t count)
{
	return whole * (index + 1) / count - whole * index / count;
}

struct dpi_shaper *dpi_shaper_make(const struct dpi_settings *settings, uint32_t index, uint32_t count)
{
	struct dpi_shaper *s = aligned_alloc(64, RTE_ALIGN_CEIL(sizeof(*s), 64));
	uint64_t kbit = part_of(settings->shape_kbit, index, count);

	if (s == NULL)
		return NULL;
	*s = (struct dpi_shaper){
		.limits = settings->shape_kbit != 0,
		.burst_ns = settings->shape_burst_ns,
		.spare_full = kbit * 100 * settings->shape_burst_ns,
	};
	for (uint32_t i = 0; i < settings->service_count; i++) {
		struct dpi_share *share = &s->shares[i];
		share->rate = kbit * settings->services[i].percent;
		if (share->rate != 0)
			share->full = RTE_MAX(share->rate * s->burst_ns, LEAST_BURST_BYTES * DPI_TOKENS_OF_BYTE);
		share->tokens = share->full;
	}
	return s;
}

/* `id`, or the beginning of ids and `*`. */
static bool names(const char *word, const char *id)
{
	size_t n = strlen(word);

	return word[n - 1] == '*' ? strncmp(word, id, n - 1) == 0 : strcmp(word, id) == 0;
}

static void add_rules(struct dpi_place *at, const char *word, uint8_t service)
{
	struct dpi_settings *s = at->settings;
	uint32_t found = 0;

	for (uint32_t i = 0; i < s->rule_count; i++) {
		if (!names(word, s->rules[i].id))
			continue;
		found++;
		if (s->service_of[i] != NO_SERVICE && s->service_of[i] != service) {
			DPI_MISTAKE(at, "rule %s is already in service %s", s->rules[i].id, s->services[s->service_of[i]].name);
			return;
		}
		s->service_of[i] = service;
	}
	if (found == 0)
		DPI_MISTAKE(at, "there is no rule %s", word);
}

static bool is_taken(const struct dpi_settings *s, const char *name)
{
	for (uint32_t i = 0; i < s->service_count; i++)
		if (strcmp(s->services[i].name, name) == 0)
			return true;
	return false;
}

static void read_service(struct dpi_place *at, const char *text)
{
	struct dpi_settings *s = at->settings;
	struct dpi_service *others = &s->services[DPI_OTHER], *service = &s->services[s->service_count];
	char word[DPI_RULE_NAME + 1];
	unsigned int percent;
	int words = 0, next = 0;

	if (s->service_count == DPI_SERVICES_MAX) {
		DPI_MISTAKE(at, "more than %u services", DPI_SERVICES_MAX - 1);
		return;
	}
	if (sscanf(text, "%31[A-Za-z0-9_.-] %3u %n", service->name, &percent, &words) != 2 || text[words] == '\0') {
		DPI_MISTAKE(at, "expected `service share rule...`, the share in percent");
		return;
	}
	if (is_taken(s, service->name)) {
		DPI_MISTAKE(at, "service %s is there already; `other` is for packets of no service", service->name);
		return;
	}
	if (percent > others->percent) {
		DPI_MISTAKE(at, "share %u: shares add up to more than 100 %%", percent);
		return;
	}
	service->percent = percent;
	others->percent -= percent;
	for (const char *rest = text + words; sscanf(rest, "%32s %n", word, &next) == 1; rest += next)
		add_rules(at, word, (uint8_t)s->service_count);
	s->service_count++;
}

static void read_rate(struct config *config, struct dpi_settings *s)
{
	s->shape_kbit = config_u64(config, "dpi", "shape_mbit", 0, 0, 100000) * KBIT_PER_MBIT;
	s->shape_burst_ns = config_u64(config, "dpi", "shape_burst_ms", 100, 1, 500) * NS_PER_MS;
}

void dpi_services_configure(struct config *config, struct dpi_settings *s)
{
	read_rate(config, s);
	s->services_path = config_path(config, "dpi", "services");
	if (s->services_path == NULL) {
		if (s->shape_kbit != 0)
			config_mistake(config, "dpi", "shape_mbit", "needs [dpi] services, among which the rate is divided");
		return;
	}
	s->services = calloc(DPI_SERVICES_MAX, sizeof(*s->services));
	s->service_of = malloc(s->rule_count + 1);
	if (s->services == NULL || s->service_of == NULL) {
		config_mistake(config, "dpi", "services", "no memory");
		return;
	}
	memset(s->service_of, NO_SERVICE, s->rule_count);
	s->services[DPI_OTHER] = (struct dpi_service){.name = "other", .percent = 100};
	s->service_count = 1;
	dpi_read_file(&(struct dpi_place){config, s, s->services_path, 0}, "dpi", "services", read_service);
	for (uint32_t i = 0; i < s->rule_count; i++)
		if (s->service_of[i] == NO_SERVICE)
			s->service_of[i] = DPI_OTHER;
}
