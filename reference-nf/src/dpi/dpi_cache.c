/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compiled patterns in files. A file's name covers all that its bytes depend on: the patterns, their order, the target
 * processor, the library. So a file is valid or absent, and a folder may be shared.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dpi/dpi_cache.h"

/* FNV-1a, 64 bit (draft-eastlake-fnv). It includes the 0 that ends a text, which keeps consecutive texts apart. */
static uint64_t add_text(uint64_t hash, const char *text)
{
	do
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	while (*text++ != '\0');
	return hash;
}

static uint64_t key_of(const struct dpi_patterns *p)
{
	char numbers[64];
	uint64_t hash = add_text(UINT64_C(0xcbf29ce484222325), hs_version());

	for (uint32_t i = 0; i < p->count; i++) {
		snprintf(numbers, sizeof(numbers), "%u %u", p->ids[i], p->flags[i]);
		hash = add_text(add_text(hash, numbers), p->texts[i]);
	}
	return hash;
}

/* NULL: no memory. */
static char *path_of(const char *folder, const struct dpi_patterns *p, const char *end)
{
	char *path;
	int n = asprintf(&path, "%s/dpi-%016" PRIx64 "-%u-%llx.hsdb%s", folder, key_of(p), p->count,
			 p->platform.cpu_features, end);
	return n < 0 ? NULL : path;
}

static hs_database_t *read_database(FILE *file, const char *path)
{
	hs_database_t *database = NULL;
	char *bytes = NULL;
	long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;

	if (size > 0)
		bytes = malloc((size_t)size);
	rewind(file);
	/* the library checks the header and a checksum of the rest */
	if (bytes == NULL || fread(bytes, 1, (size_t)size, file) != (size_t)size ||
	    hs_deserialize_database(bytes, (size_t)size, &database) != HS_SUCCESS)
		fprintf(stderr, "dpi: %s is not a complete database; its patterns are compiled again\n", path);
	free(bytes);
	return database;
}

hs_database_t *dpi_cache_load(const char *folder, const struct dpi_patterns *patterns)
{
	char *path = path_of(folder, patterns, "");
	FILE *file = path == NULL ? NULL : fopen(path, "rb");
	hs_database_t *database = NULL;

	if (file != NULL) {
		database = read_database(file, path);
		fclose(file);
	}
	free(path);
	return database;
}

static bool write_file(const char *path, const char *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");

	if (file == NULL)
		return false;
	bool whole = fwrite(bytes, 1, size, file) == size;
	return fclose(file) == 0 && whole;
}

/* Writes to a temporary name first, so that another process never sees a partial file. */
static void put(const char *folder, const struct dpi_patterns *p, const char *bytes, size_t size)
{
	char own[32];

	snprintf(own, sizeof(own), ".%ld", (long)getpid());
	char *path = path_of(folder, p, ""), *unfinished = path_of(folder, p, own);
	if (path == NULL || unfinished == NULL || !write_file(unfinished, bytes, size) ||
	    rename(unfinished, path) != 0)
		fprintf(stderr, "dpi: cannot keep compiled patterns in %s: %s\n", folder, strerror(errno));
	free(path);
	free(unfinished);
}

void dpi_cache_store(const char *folder, const struct dpi_patterns *p, const hs_database_t *database)
{
	char *bytes = NULL;
	size_t size;

	if (hs_serialize_database(database, &bytes, &size) == HS_SUCCESS)
		put(folder, p, bytes, size);
	else
		fprintf(stderr, "dpi: cannot keep compiled patterns in %s: no memory\n", folder);
	free(bytes);
}
