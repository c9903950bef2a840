/* SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

#include "check.h"
#include "config/config.h"
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
	RUN(lines_are_found);
	remove(path);
	return 0;
}
