/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Input: a configuration, and after each form feed a further file: first the --set options, one a line, then the files
 * that the configuration names `2`, `3` and so on (routes, rules). Checks that a mistake is reported exactly if the
 * configuration is refused.
 */
#include <ctype.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "settings.h"

#define FILES 12u
#define GENERATED_DIGITS 4u /* more generated routes or rules only take longer */

static char folder[200];
static char files[FILES][sizeof(folder) + 16]; /* links to files in memory, which are faster than a disk */
static int memory[FILES];

static void remove_files(void)
{
	for (uint32_t i = 0; i < FILES; i++)
		(void)remove(files[i]);
	(void)rmdir(folder);
}

static void make_file(uint32_t number)
{
	char target[32];

	memory[number] = memfd_create("fuzz", 0);
	CHECK(memory[number] >= 0);
	snprintf(target, sizeof(target), "/proc/self/fd/%d", memory[number]);
	snprintf(files[number], sizeof(files[number]), "%s/%u", folder, number);
	CHECK(symlink(target, files[number]) == 0);
}

static void write_file(uint32_t number, const uint8_t *data, size_t size)
{
	CHECK(ftruncate(memory[number], 0) == 0);
	CHECK(pwrite(memory[number], data, size, 0) == (ssize_t)size);
}

/* The piece of data up to the next form feed, which is skipped. */
static size_t next_file(const uint8_t **data, size_t *size, const uint8_t **piece)
{
	const uint8_t *end = memchr(*data, '\f', *size);
	size_t length = end == NULL ? *size : (size_t)(end - *data), taken = length + (end != NULL);

	*piece = *data;
	*data += taken;
	*size -= taken;
	return length;
}

/* Splits text into options, one a line, in place. */
static void read_sets(struct options *o, char *text)
{
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
		if (o->set_count < OPTIONS_MAX_SETS)
			o->sets[o->set_count++] = line;
}

static bool takes_long(const uint8_t *data, size_t size)
{
	static const char word[] = "generated";

	for (const uint8_t *at = data; (at = memmem(at, size - (size_t)(at - data), word, sizeof(word) - 1)) != NULL; at++) {
		const uint8_t *digit = at + sizeof(word) - 1, *end = data + size;
		uint32_t digits = 0;
		while (digit < end && (isspace(*digit) || *digit == '=' || *digit == '0'))
			digit++;
		while (digit < end && isdigit(*digit++))
			digits++;
		if (digits > GENERATED_DIGITS)
			return true;
	}
	return false;
}

static bool read_quietly(const struct options *options, size_t *said)
{
	static struct settings settings;
	static struct chain chain;
	FILE *real = stderr;
	char *text = NULL;

	stderr = open_memstream(&text, said);
	CHECK(stderr != NULL);
	bool good = settings_read(&settings, &chain, options);
	settings_free(&settings);
	fclose(stderr);
	stderr = real;
	free(text);
	return good;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *parent = getenv("TMPDIR");

	(void)argc, (void)argv;
	snprintf(folder, sizeof(folder), "%s/nalm-fuzz-XXXXXX", parent == NULL ? "/tmp" : parent);
	CHECK(mkdtemp(folder) != NULL);
	for (uint32_t i = 0; i < FILES; i++)
		make_file(i);
	atexit(remove_files);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct options options = {.config = files[0], .check_config = true};
	const uint8_t *piece;
	size_t said = 0;

	if (takes_long(data, size))
		return 0;
	size_t length = next_file(&data, &size, &piece);
	write_file(0, piece, length);
	length = next_file(&data, &size, &piece);
	char *sets = strndup((const char *)piece, length);
	CHECK(sets != NULL);
	read_sets(&options, sets);
	for (uint32_t i = 2; i < FILES; i++) {
		length = next_file(&data, &size, &piece);
		write_file(i, piece, length);
	}
	bool good = read_quietly(&options, &said);
	CHECK_EQUAL(good, said == 0);
	free(sets);
	return 0;
}
