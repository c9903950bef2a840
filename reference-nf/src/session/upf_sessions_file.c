/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/upf_sessions_file.h"

#define LINE_BYTES 512u

/* A file that is being read. */
struct reader {
	struct config *config;
	const char *path;
	uint32_t line;
	struct upf_session_text *sessions;
	uint32_t count, room;
	char *rest; /* of the line */
};

#define MISTAKE(r, ...) config_mistake_in_file((r)->config, (r)->path, (r)->line, __VA_ARGS__)

static const char *next_word(struct reader *r)
{
	return strtok_r(NULL, " \t", &r->rest);
}

/* A whole number from min to max, decimal or 0x. false: said. */
static bool read_number(struct reader *r, const char *name, uint64_t min, uint64_t max, uint64_t *number)
{
	const char *word = next_word(r);
	char *end;

	errno = 0;
	*number = word == NULL ? 0 : strtoull(word, &end, 0);
	if (word != NULL && word[0] >= '0' && word[0] <= '9' && *end == '\0' && errno == 0 && *number >= min && *number <= max)
		return true;
	MISTAKE(r, "%s %s: expected a number from %llu to %llu", name, word == NULL ? "" : word, (unsigned long long)min,
		(unsigned long long)max);
	return false;
}

static bool read_number32(struct reader *r, const char *name, uint32_t min, uint32_t *number)
{
	uint64_t value;
	bool good = read_number(r, name, min, UINT32_MAX, &value);

	*number = (uint32_t)value;
	return good;
}

/* The index of the next word in names, which end with NULL. false: said. */
static bool read_choice(struct reader *r, const char *what, const char *const names[], uint32_t *choice)
{
	const char *word = next_word(r);
	char known[128] = "";

	for (*choice = 0; names[*choice] != NULL; (*choice)++) {
		size_t used = strlen(known);
		if (word != NULL && strcmp(word, names[*choice]) == 0)
			return true;
		snprintf(known + used, sizeof(known) - used, "%s%s", used == 0 ? "" : ", ", names[*choice]);
	}
	MISTAKE(r, "%s %s: expected one of %s", what, word == NULL ? "" : word, known);
	return false;
}

static bool read_ipv4(struct reader *r, const char *what, uint32_t *address)
{
	const char *word = next_word(r);

	if (word != NULL && inet_pton(AF_INET, word, address) == 1 && *address != 0)
		return true;
	MISTAKE(r, "%s %s: expected an IPv4 address", what, word == NULL ? "" : word);
	return false;
}

static bool read_ue(struct reader *r, struct upf_ue *ue)
{
	const char *word = next_word(r);
	uint64_t ipv6[2];
	struct upf_ue one = {0};

	if (word != NULL && inet_pton(AF_INET, word, &one.ipv4) == 1)
		one.versions = DPI_IPV4;
	else if (word != NULL && inet_pton(AF_INET6, word, ipv6) == 1 && ipv6[1] == 0)
		one = (struct upf_ue){.ipv6 = ipv6[0], .versions = DPI_IPV6};
	if (one.versions == 0)
		MISTAKE(r, "ue %s: expected an IPv4 address, or an IPv6 prefix of 64 bits like 2001:db8:1:2::",
			word == NULL ? "" : word);
	else if (!upf_ue_add(ue, &one))
		MISTAKE(r, "ue %s: a PDR has one address of each version", word);
	else
		return true;
	return false;
}

static bool read_reference(struct reader *r, const char *what, uint32_t numbers[], uint8_t *count)
{
	if (*count == UPF_OF_PDR) {
		MISTAKE(r, "more than %u of %s", UPF_OF_PDR, what);
		return false;
	}
	return read_number32(r, what, 1, &numbers[(*count)++]);
}

static bool read_filter(struct reader *r, struct upf_pdr_terms *p)
{
	const char *wrong = upf_parse_filter(r->rest + strspn(r->rest, " \t"), p->side, &p->filters[0]);

	if (wrong != NULL)
		MISTAKE(r, "filter: %s", wrong);
	p->filter_count = 1;
	r->rest += strlen(r->rest);
	return wrong == NULL;
}

static bool read_qfi(struct reader *r, uint8_t *qfi)
{
	uint64_t number;
	bool good = read_number(r, "qfi", 1, 63, &number);

	*qfi = (uint8_t)number;
	return good;
}

static bool add_qfi(struct reader *r, uint64_t *qfis)
{
	uint8_t qfi;
	bool good = read_qfi(r, &qfi);

	*qfis |= good ? UINT64_C(1) << qfi : 0;
	return good;
}

static bool read_pdr_option(struct reader *r, const char *word, struct upf_pdr_terms *p)
{
	if (strcmp(word, "ue") == 0)
		return read_ue(r, &p->ue);
	if (strcmp(word, "far") == 0)
		return read_number32(r, "far", 1, &p->far);
	if (strcmp(word, "qer") == 0)
		return read_reference(r, "qer", p->qers, &p->qer_count);
	if (strcmp(word, "urr") == 0)
		return read_reference(r, "urr", p->urrs, &p->urr_count);
	if (strcmp(word, "qfi") == 0)
		return add_qfi(r, &p->qfis);
	if (strcmp(word, "predefined") == 0)
		return p->predefined = true;
	if (strcmp(word, "filter") == 0)
		return read_filter(r, p);
	MISTAKE(r, "%s: expected ue, far, qer, urr, qfi, predefined or filter", word);
	return false;
}

/* `pdr ID PRECEDENCE access TEID | core ...` */
static bool read_pdr(struct reader *r, struct upf_pdr_terms *p)
{
	static const char *const sides[] = {"access", "core", NULL};
	uint32_t side;
	const char *word;

	if (!read_number32(r, "pdr", 1, &p->id) || !read_number32(r, "precedence", 0, &p->precedence) ||
	    !read_choice(r, "side", sides, &side))
		return false;
	p->side = (uint8_t)side;
	if (side == UPF_ACCESS && !read_number32(r, "TEID", 1, &p->teid))
		return false;
	while ((word = next_word(r)) != NULL)
		if (!read_pdr_option(r, word, p))
			return false;
	return true;
}

/* `far ID drop | buffer | core | access TEID ADDRESS` */
static bool read_far(struct reader *r, struct upf_far_terms *f)
{
	static const char *const actions[] = {"drop", "buffer", "core", "access", NULL};
	enum { DROP, BUFFER, CORE, ACCESS };
	uint32_t action;

	if (!read_number32(r, "far", 1, &f->id) || !read_choice(r, "action", actions, &action))
		return false;
	f->action = action == DROP ? UPF_DROP : action == BUFFER ? UPF_BUFFER : UPF_FORWARD;
	f->to = action == CORE ? UPF_CORE : UPF_ACCESS;
	return action != ACCESS || (read_number32(r, "TEID", 1, &f->teid) && read_ipv4(r, "peer", &f->peer));
}

static bool read_qer_option(struct reader *r, const char *word, struct upf_qer_terms *q)
{
	static const char *const gates[] = {"open", "closed", NULL};
	uint32_t closed[UPF_DIRECTIONS];

	if (strcmp(word, "gate") == 0) {
		bool good = read_choice(r, "uplink gate", gates, &closed[0]) && read_choice(r, "downlink gate", gates, &closed[1]);
		for (uint32_t d = 0; good && d < UPF_DIRECTIONS; d++)
			q->closed[d] = closed[d] != 0;
		return good;
	}
	if (strcmp(word, "kbit") == 0)
		return read_number32(r, "uplink kbit", 0, &q->kbit[0]) && read_number32(r, "downlink kbit", 0, &q->kbit[1]);
	if (strcmp(word, "qfi") == 0)
		return read_qfi(r, &q->qfi);
	MISTAKE(r, "%s: expected gate, kbit or qfi", word);
	return false;
}

/* `qer ID [gate UPLINK DOWNLINK] [kbit UPLINK DOWNLINK] [qfi N]` */
static bool read_qer(struct reader *r, struct upf_qer_terms *q)
{
	const char *word;

	*q = (struct upf_qer_terms){.kbit = {UPF_UNLIMITED, UPF_UNLIMITED}};
	if (!read_number32(r, "qer", 1, &q->id))
		return false;
	while ((word = next_word(r)) != NULL)
		if (!read_qer_option(r, word, q))
			return false;
	return true;
}

static bool read_urr_option(struct reader *r, const char *word, struct upf_urr_terms *u)
{
	static const char *const volumes[] = {"uplink", "downlink", "total", NULL};
	uint32_t volume;

	if (strcmp(word, "quota") == 0)
		return read_number(r, "quota", 1, UPF_NO_VOLUME - 1, &u->quota);
	if (strcmp(word, "threshold") != 0) {
		MISTAKE(r, "%s: expected threshold or quota", word);
		return false;
	}
	return read_choice(r, "threshold", volumes, &volume) &&
	       read_number(r, "threshold", 1, UPF_NO_VOLUME / 2, &u->threshold[volume]);
}

/* `urr ID [threshold uplink|downlink|total BYTES]... [quota BYTES]` */
static bool read_urr(struct reader *r, struct upf_urr_terms *u)
{
	const char *word;

	*u = (struct upf_urr_terms){.threshold = {UPF_NO_VOLUME, UPF_NO_VOLUME, UPF_NO_VOLUME}, .quota = UPF_NO_VOLUME};
	if (!read_number32(r, "urr", 1, &u->id))
		return false;
	while ((word = next_word(r)) != NULL)
		if (!read_urr_option(r, word, u))
			return false;
	return true;
}

static bool begin_session(struct reader *r)
{
	if (r->count == r->room) {
		uint32_t room = r->room == 0 ? 8 : r->room * 2;
		struct upf_session_text *grown = realloc(r->sessions, room * sizeof(*grown));
		if (grown == NULL) {
			MISTAKE(r, "no memory");
			return false;
		}
		r->sessions = grown;
		r->room = room;
	}
	memset(&r->sessions[r->count], 0, sizeof(*r->sessions));
	r->sessions[r->count++].line = r->line;
	return true;
}

#define READ(r, rules, kind)                                                                                           \
	do {                                                                                                           \
		if ((rules)->kind##_count == UPF_RULES_MAX)                                                            \
			MISTAKE(r, "a session has at most %u of them", UPF_RULES_MAX);                                 \
		else if (read_##kind(r, &(rules)->kind##s[(rules)->kind##_count]))                                     \
			(rules)->kind##_count++;                                                                       \
	} while (0)

static void read_line(struct reader *r, char *text)
{
	const char *word = strtok_r(text, " \t", &r->rest);

	if (word == NULL)
		return;
	if (strcmp(word, "session") == 0) {
		if (begin_session(r) && next_word(r) != NULL)
			MISTAKE(r, "nothing stands behind session");
		return;
	}
	if (r->count == 0) {
		MISTAKE(r, "%s: expected session before its rules", word);
		return;
	}
	struct upf_rules *rules = &r->sessions[r->count - 1].rules;
	if (strcmp(word, "pdr") == 0)
		READ(r, rules, pdr);
	else if (strcmp(word, "far") == 0)
		READ(r, rules, far);
	else if (strcmp(word, "qer") == 0)
		READ(r, rules, qer);
	else if (strcmp(word, "urr") == 0)
		READ(r, rules, urr);
	else
		MISTAKE(r, "%s: expected session, pdr, far, qer or urr", word);
}

static void read_file(struct reader *r, FILE *file)
{
	char text[LINE_BYTES];

	for (r->line = 1; fgets(text, sizeof(text), file) != NULL; r->line++) {
		if (strlen(text) == sizeof(text) - 1 && text[sizeof(text) - 2] != '\n') {
			MISTAKE(r, "longer than %u characters", LINE_BYTES - 2);
			return;
		}
		text[strcspn(text, "#\r\n")] = '\0';
		read_line(r, text);
	}
}

static void check_sessions(struct reader *r)
{
	for (uint32_t i = 0; i < r->count; i++) {
		struct upf_refusal refusal;
		if (upf_rules_check(&r->sessions[i].rules, &refusal))
			continue;
		char text[UPF_REFUSAL_BYTES];
		upf_say_refusal(&refusal, text);
		r->line = r->sessions[i].line;
		MISTAKE(r, "session: %s", text);
	}
}

struct upf_session_text *upf_read_sessions(struct config *config, const char *section, const char *key, uint32_t *count)
{
	char *path = config_path(config, section, key);
	struct reader r = {.config = config, .path = path};

	*count = 0;
	if (path == NULL)
		return NULL;
	FILE *file = fopen(path, "r");
	if (file == NULL) {
		config_mistake(config, section, key, "cannot read %s: %s", path, strerror(errno));
	} else {
		uint32_t before = config_mistakes(config);
		read_file(&r, file);
		fclose(file);
		if (config_mistakes(config) == before)
			check_sessions(&r);
	}
	free(path);
	*count = r.count;
	return r.sessions;
}
