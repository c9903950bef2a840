/* SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

#include "check.h"
#include "config/config.h"
#include "config/config_lines.h"
#include "config/line_finder.h"

static char path[] = "/tmp/nalm-config-test-XXXXXX";

static void write_text(const char *text)
{
	FILE *file = fopen(path, "w");
	CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static struct config *load(const char *text)
{
	write_text(text);
	struct config *c = config_load(path);
	CHECK(c != NULL);
	return c;
}

static void values_defaults_overrides(void)
{
	static const char *const names[] = {"one", "two", NULL};
	struct config *c = load("# comment\n[a]\nn = 7 # seven\np = 10.1.0.0/16\nword = two\nfile = x.txt\n[b]\n");

	config_override(c, "b.m=8");
	config_override(c, "b.file=y.txt");
	CHECK_EQUAL(config_u64(c, "a", "n", 1, 0, 10), 7);
	CHECK_EQUAL(config_u64(c, "b", "m", 1, 0, 10), 8);
	CHECK_EQUAL(config_u64(c, "b", "absent", 5, 0, 10), 5);
	CHECK_EQUAL(config_choice(c, "a", "word", "one", names), 1);
	struct ipv4_prefix p = config_prefix(c, "a", "p", "0.0.0.0/0");
	CHECK(p.address == 0x0a010000 && p.length == 16);
	char *file = config_path(c, "a", "file"), *other = config_path(c, "b", "file");
	CHECK(strcmp(file, "/tmp/x.txt") == 0); /* relative to the configuration */
	CHECK(strcmp(other, "y.txt") == 0);	 /* relative to the working directory */
	free(file);
	free(other);
	config_check_unknown(c);
	CHECK_EQUAL(config_mistakes(c), 0);
	config_override(c, "a.n=9");
	CHECK_EQUAL(config_u64(c, "a", "n", 1, 0, 10), 9);
	config_free(c);
}

static void each_mistake_counts(void)
{
	struct config *c = load("[a]\nn = 11\nm = 1x\no = -1\np = 10.1.0.1/16\nstray = 1\n");

	CHECK_EQUAL(config_u64(c, "a", "n", 3, 0, 10), 3);
	config_u64(c, "a", "m", 3, 0, 10);
	config_u64(c, "a", "o", 3, 0, 10);
	config_prefix(c, "a", "p", "0.0.0.0/0");
	CHECK_EQUAL(config_mistakes(c), 4);
	config_check_unknown(c);
	CHECK_EQUAL(config_mistakes(c), 5);
	config_override(c, "no_dot=1");
	config_override(c, "a.no_equals");
	config_override(c, ".n=1");
	config_override(c, "a.=1");
	CHECK_EQUAL(config_mistakes(c), 9);
	config_free(c);
}

static void what_is_no_configuration(void)
{
	write_text("[a]\nn = 1\nthis is no key\n");
	CHECK(config_load(path) == NULL);
	CHECK_EQUAL(find_bad_line(path), 3);
	CHECK(config_load("/nowhere/nalm.conf") == NULL);
}

/* rte_cfgfile gives the first section's keys, whichever section is asked for. */
static void a_section_stands_once(void)
{
	struct config *c = load("[a]\nn = 1\n[b]\nm = 2\n[ a ] # again\nn = banana\n[a]\n");

	CHECK_EQUAL(config_u64(c, "a", "n", 0, 0, 10), 1);
	CHECK_EQUAL(config_u64(c, "b", "m", 0, 0, 10), 2);
	config_check_unknown(c);
	CHECK_EQUAL(config_mistakes(c), 2);
	config_free(c);
	CHECK_EQUAL(find_section_line(path, "a", 1), 1);
	CHECK_EQUAL(find_section_line(path, "a", 2), 5);
	CHECK_EQUAL(find_section_line(path, "a", 3), 7);
}

static void numbers_do_not_wrap(void)
{
	static const char *const wrong[] = {
		"", "-1", "+1", " 1", "1 ", "0x1", "11", "4294967296", "4294967297", "18446744073709551617",
	};
	uint32_t number;

	CHECK(parse_whole("0", 0, 10, &number) && number == 0);
	CHECK(parse_whole("4294967295", 0, UINT32_MAX, &number) && number == UINT32_MAX);
	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!parse_whole(wrong[i], 0, 10, &number));
}

struct seen {
	uint32_t lines[4], count;
	size_t longest;
};

static void see(void *seen, uint32_t line, char *text)
{
	struct seen *s = seen;
	size_t n = strlen(text);

	CHECK(s->count < 4);
	s->lines[s->count++] = line;
	s->longest = n > s->longest ? n : s->longest;
}

static void lines_have_any_length(void)
{
	struct config *c = load("[a]\nfile = x\n");
	char text[8192];
	struct seen s = {0};

	snprintf(text, sizeof(text), "one\n\n# %05000d\n \t# two\n%02000d # tail\r\nthe last", 0, 0);
	write_text(text);
	config_read_lines(c, "a", "file", path, see, &s);
	CHECK_EQUAL(config_mistakes(c), 0);
	CHECK_EQUAL(s.count, 3);
	CHECK_EQUAL(s.lines[0], 1);
	CHECK_EQUAL(s.lines[1], 5);
	CHECK_EQUAL(s.lines[2], 6);
	CHECK_EQUAL(s.longest, 2001);
	config_read_lines(c, "a", "file", "/nowhere/rules", see, &s);
	config_read_lines(c, "a", "file", "/tmp", see, &s); /* opens, but has no lines */
	CHECK_EQUAL(config_mistakes(c), 2);
	CHECK_EQUAL(s.count, 3);
	config_free(c);
}

static void lines_are_found(void)
{
	write_text("# x = 1\n[b]\nx = 1\n[a]\n\n  x=2\n");
	CHECK_EQUAL(find_config_line(path, "b", "x"), 3);
	CHECK_EQUAL(find_config_line(path, "a", "x"), 6);
}

int main(void)
{
	int fd = mkstemp(path);
	CHECK(fd >= 0);
	close(fd);
	RUN(values_defaults_overrides);
	RUN(each_mistake_counts);
	RUN(what_is_no_configuration);
	RUN(a_section_stands_once);
	RUN(numbers_do_not_wrap);
	RUN(lines_have_any_length);
	RUN(lines_are_found);
	remove(path);
	return 0;
}
