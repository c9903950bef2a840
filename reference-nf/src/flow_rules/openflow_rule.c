/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The grammar is told in docs/behaviour.md, openflow.
 */
#include "flow_rules/openflow_line.h"
#include "flow_rules/openflow_match.h"
#include "flow_rules/openflow_value.h"

#define BLANKS " \t"
#define DROP_PRECEDENCES 2u /* that a remark can go up */

/* An action as it is written; dec_ttl alone takes no value. */
static const struct action_form {
	const char *name;
	uint8_t kind, form;
	uint64_t min, max;
} action_forms[] = {
	{"dec_ttl", OPENFLOW_DEC_TTL, FORM_NUMBER, 0, 0},
	{"eth_dst", OPENFLOW_SET_ETH_DST, FORM_MAC, 0, OPENFLOW_MAC_BITS},
	{"eth_src", OPENFLOW_SET_ETH_SRC, FORM_MAC, 0, OPENFLOW_MAC_BITS},
	{"ip_dscp", OPENFLOW_SET_DSCP, FORM_NUMBER, 0, 63},
	{"ipv4_src", OPENFLOW_SET_IPV4_SRC, FORM_IPV4, 0, UINT32_MAX},
	{"ipv4_dst", OPENFLOW_SET_IPV4_DST, FORM_IPV4, 0, UINT32_MAX},
	{"queue", OPENFLOW_QUEUE, FORM_NUMBER, 0, OPENFLOW_QUEUES - 1},
	{"group", OPENFLOW_GROUP, FORM_NUMBER, 0, OPENFLOW_ID_MAX},
	{"output", OPENFLOW_OUTPUT, FORM_NUMBER, 1, OPENFLOW_PORTS},
};

/* Kinds that send the packet, or say how: only an action set has them. */
#define SENDING (1u << OPENFLOW_QUEUE | 1u << OPENFLOW_GROUP | 1u << OPENFLOW_OUTPUT)

/* A group is known by its id in the file and by its number from here on. */
static bool resolve_group(const struct openflow_line *line, struct openflow_action *action)
{
	uint32_t number = openflow_find_group(line->settings, (uint32_t)action->value);

	if (number == OPENFLOW_NONE)
		return wrong(line, "no group %u above this line", (uint32_t)action->value);
	action->value = number;
	return true;
}

static bool parse_action(const struct openflow_line *line, char *text, struct openflow_action *action)
{
	char *equals = strchr(text, '='), whole[80];

	snprintf(whole, sizeof(whole), "%s", text);
	if (equals != NULL)
		*equals = '\0';
	for (uint32_t i = 0; i < RTE_DIM(action_forms); i++) {
		const struct action_form *f = &action_forms[i];
		if (strcmp(f->name, text) != 0 || (f->kind == OPENFLOW_DEC_TTL) != (equals == NULL))
			continue;
		*action = (struct openflow_action){.kind = f->kind};
		if (equals != NULL && !openflow_parse_value(f->form, equals + 1, f->min, f->max, &action->value, NULL))
			return wrong(line, "%s: not a value of this action", whole);
		return f->kind != OPENFLOW_GROUP || resolve_group(line, action);
	}
	return wrong(line, "%s: expected an action: dec_ttl, or one of eth_dst, eth_src, ip_dscp, ipv4_src, ipv4_dst, queue, "
			   "group, output with a value",
		     whole);
}

/* An action set; later actions of a kind replace earlier ones in the standard, here they are a mistake. */
static bool parse_set(const struct openflow_line *line, char *text, struct openflow_action_set *set)
{
	struct openflow_action action;
	char *rest = NULL;

	memset(set, 0, sizeof(*set));
	for (char *word = strtok_r(text, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
		if (!parse_action(line, word, &action))
			return false;
		if (set->present >> action.kind & 1)
			return wrong(line, "two actions of one kind in an action set: one of them would never be executed");
		set->present |= 1u << action.kind;
		set->values[action.kind] = action.value;
	}
	return set->present != 0 || wrong(line, "expected actions, like dec_ttl,output=1");
}

static bool parse_apply(const struct openflow_line *line, char *text, struct openflow_instructions *i)
{
	char *rest = NULL;

	for (char *word = strtok_r(text, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
		if (i->apply_count == OPENFLOW_APPLY_MAX)
			return wrong(line, "more than %u actions to apply", OPENFLOW_APPLY_MAX);
		if (!parse_action(line, word, &i->apply[i->apply_count]))
			return false;
		if (SENDING >> i->apply[i->apply_count].kind & 1)
			return wrong(line, "apply: queue, group and output would act on a copy of the packet, which is not made "
					   "here: write them");
		i->apply_count++;
	}
	return i->apply_count != 0 || wrong(line, "expected actions, like dec_ttl");
}

static bool parse_meter_number(const struct openflow_line *line, const char *text, struct openflow_instructions *i)
{
	uint64_t id;

	if (!parse_number(text, 0, OPENFLOW_ID_MAX, &id))
		return wrong(line, "meter=%s: expected the id of a meter", text);
	i->meter = openflow_find_meter(line->settings, (uint32_t)id);
	return i->meter != OPENFLOW_NONE || wrong(line, "no meter %s above this line", text);
}

static bool parse_goto(const struct openflow_line *line, const char *text, uint32_t table, struct openflow_instructions *i)
{
	uint64_t next;

	if (!parse_number(text, table + 1, OPENFLOW_TABLES - 1, &next))
		return wrong(line, "goto=%s: expected a table behind this one, at most %u", text, OPENFLOW_TABLES - 1);
	i->next = (uint32_t)next;
	return true;
}

static bool parse_metadata(const struct openflow_line *line, char *text, struct openflow_instructions *i)
{
	return openflow_parse_value(FORM_MASKED, text, 0, UINT64_MAX, &i->metadata, &i->metadata_mask) ||
	       wrong(line, "metadata=: expected a number, or number/mask without bits set outside the mask");
}

enum instruction { DO_METER, DO_APPLY, DO_CLEAR, DO_WRITE, DO_METADATA, DO_GOTO, DO_DROP };

static bool parse_instruction(const struct openflow_line *line, char *word, uint32_t table, struct openflow_instructions *i,
			      uint32_t *seen)
{
	static const char *const begins[] = {"meter=", "apply:", "clear", "write:", "metadata=", "goto=", "drop"};
	uint32_t what = 0;

	while (what < RTE_DIM(begins) && strncmp(word, begins[what], strlen(begins[what])) != 0)
		what++;
	if (what == RTE_DIM(begins) || ((what == DO_CLEAR || what == DO_DROP) && strcmp(word, begins[what]) != 0))
		return wrong(line, "%s: expected meter=, apply:, clear, write:, metadata=, goto= or drop", word);
	if (*seen >> what & 1)
		return wrong(line, "%s stands there twice", begins[what]);
	*seen |= 1u << what;
	word += strlen(begins[what]);
	switch (what) {
	case DO_METER:
		return parse_meter_number(line, word, i);
	case DO_APPLY:
		return parse_apply(line, word, i);
	case DO_WRITE:
		return parse_set(line, word, &i->write);
	case DO_METADATA:
		return parse_metadata(line, word, i);
	case DO_GOTO:
		return parse_goto(line, word, table, i);
	default:
		i->clear |= what == DO_CLEAR;
		return true;
	}
}

static bool parse_instructions(const struct openflow_line *line, char **rest, uint32_t table, struct openflow_instructions *i)
{
	uint32_t seen = 0;

	memset(i, 0, sizeof(*i));
	i->meter = i->next = OPENFLOW_NONE;
	for (char *word = strtok_r(NULL, BLANKS, rest); word != NULL; word = strtok_r(NULL, BLANKS, rest))
		if (line->match_alone)
			return wrong(line, "%s: nothing follows the match of an entry to delete", word);
		else if (!parse_instruction(line, word, table, i, &seen))
			return false;
	if (seen == 0 && !line->match_alone)
		return wrong(line, "expected instructions, or drop");
	return (seen >> DO_DROP & 1) == 0 || seen == 1u << DO_DROP || wrong(line, "drop stands alone");
}

static bool add_flow(const struct openflow_line *line, const struct openflow_match *m, struct openflow_entry *entry,
		     const struct openflow_instructions *i)
{
	struct openflow_term terms[OPENFLOW_FIELDS];

	for (uint32_t field = 0; field < OPENFLOW_FIELDS; field++)
		if (m->fields >> field & 1 && m->masks[field] != 0)
			terms[entry->term_count++] = (struct openflow_term){m->values[field], m->masks[field], field, 0};
	if (line->settings->entry_count == OPENFLOW_ENTRIES_MAX)
		return wrong(line, "more than %u flow entries", OPENFLOW_ENTRIES_MAX);
	entry->instructions = openflow_add_instructions(line->settings, i);
	return (entry->instructions != OPENFLOW_NONE && openflow_add_entry(line->settings, entry, terms)) ||
	       wrong(line, "no memory");
}

/* flow TABLE PRIORITY MATCH INSTRUCTION... */
static void read_flow(const struct openflow_line *line, char **rest)
{
	char *table = strtok_r(NULL, BLANKS, rest), *priority = strtok_r(NULL, BLANKS, rest);
	char *match = strtok_r(NULL, BLANKS, rest);
	struct openflow_instructions instructions;
	struct openflow_entry entry = {.table = 0};
	uint64_t number, rank;
	struct openflow_match m;

	if (match == NULL || !parse_number(table, 0, OPENFLOW_TABLES - 1, &number) ||
	    !parse_number(priority, 0, UINT16_MAX, &rank)) {
		(void)wrong(line, "expected `flow TABLE PRIORITY MATCH INSTRUCTION...`, tables to %u, priorities to 65535",
			    OPENFLOW_TABLES - 1);
		return;
	}
	entry.table = (uint8_t)number;
	entry.priority = (uint16_t)rank;
	if (openflow_parse_match(line, match, &m) && parse_instructions(line, rest, entry.table, &instructions))
		(void)add_flow(line, &m, &entry, &instructions);
}

/* group ID indirect ACTIONS */
static void read_group(const struct openflow_line *line, char **rest)
{
	char *id = strtok_r(NULL, BLANKS, rest), *type = strtok_r(NULL, BLANKS, rest), *actions = strtok_r(NULL, BLANKS, rest);
	struct openflow_group group = {.id = 0};
	uint64_t number;

	if (actions == NULL || strtok_r(NULL, BLANKS, rest) != NULL || !parse_number(id, 0, OPENFLOW_ID_MAX, &number) ||
	    strcmp(type, "indirect") != 0) {
		(void)wrong(line, "expected `group ID indirect ACTION,...`, ids to %u", OPENFLOW_ID_MAX);
		return;
	}
	group.id = (uint32_t)number;
	if (openflow_find_group(line->settings, group.id) != OPENFLOW_NONE)
		(void)wrong(line, "group %u stands there twice", group.id);
	else if (parse_set(line, actions, &group.actions)) {
		if (group.actions.present >> OPENFLOW_GROUP & 1)
			(void)wrong(line, "a group in a group: chains of groups are not known here");
		else if (!openflow_add_group(line->settings, &group))
			(void)wrong(line, "no memory");
	}
}

/* meter ID pps|kbps RATE burst BURST drop|remark LEVEL */
static void read_meter(const struct openflow_line *line, char **rest)
{
	enum { ID, UNIT, RATE, BURST_WORD, BURST, BAND, LEVEL, WORDS };
	char *words[WORDS + 1];
	struct openflow_meter meter = {.id = 0};
	uint64_t id, level = 0;
	uint32_t count = 0;

	while (count <= WORDS && (words[count] = strtok_r(NULL, BLANKS, rest)) != NULL)
		count++;
	bool drops = count == LEVEL && strcmp(words[BAND], "drop") == 0;
	bool remarks = count == WORDS && strcmp(words[BAND], "remark") == 0 &&
		       parse_number(words[LEVEL], 1, DROP_PRECEDENCES, &level);
	if (!(drops || remarks) || !parse_number(words[ID], 0, OPENFLOW_ID_MAX, &id) ||
	    (strcmp(words[UNIT], "pps") != 0 && strcmp(words[UNIT], "kbps") != 0) ||
	    !parse_number(words[RATE], 1, OPENFLOW_RATE_MAX, &meter.rate) || strcmp(words[BURST_WORD], "burst") != 0 ||
	    !parse_number(words[BURST], 1, OPENFLOW_RATE_MAX, &meter.burst)) {
		(void)wrong(line, "expected `meter ID pps|kbps RATE burst BURST drop|remark LEVEL`: ids to %u, rates and bursts from "
				  "1 to %u, levels 1 and 2",
			    OPENFLOW_ID_MAX, OPENFLOW_RATE_MAX);
		return;
	}
	meter.id = (uint32_t)id;
	meter.by_packets = strcmp(words[UNIT], "pps") == 0;
	meter.remark = (uint8_t)level;
	if (openflow_find_meter(line->settings, meter.id) != OPENFLOW_NONE)
		(void)wrong(line, "meter %u stands there twice", meter.id);
	else if (!openflow_add_meter(line->settings, &meter))
		(void)wrong(line, "no memory");
}

void openflow_read_line(const struct openflow_line *line, char *text)
{
	char *rest = NULL;
	const char *word = strtok_r(text, BLANKS, &rest);

	if (word == NULL)
		return;
	if (strcmp(word, "flow") == 0)
		read_flow(line, &rest);
	else if (strcmp(word, "group") == 0)
		read_group(line, &rest);
	else if (strcmp(word, "meter") == 0)
		read_meter(line, &rest);
	else
		(void)wrong(line, "%s: expected flow, group or meter", word);
}
